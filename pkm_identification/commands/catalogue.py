# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The commands of `pkm`, in the groups of its help: the module that has each, a summary and an example."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Command:
    """One command of `pkm`.

    Attributes
    ----------
    module : str
        In `commands/`, with the options.
    summary : str
        Verb and object, one line of `pkm --help`.
    example : str
        A whole line to be typed, shown below the options.
    """

    module: str
    summary: str
    example: str


GROUPS: dict[str, dict[str, Command]] = {
    "begin": {
        "init": Command(
            "init", "write a first machine file", "pkm init my.yaml   # asks; --kind delta, --from arm.urdf"
        ),
        "check": Command(
            "check",
            "report what is wrong with a log and what it can determine",
            "pkm check log.csv --machine my.yaml",
        ),
        "import": Command(
            "import_log",
            "convert a log of another program to SI units",
            "pkm import drive.csv log.csv --columns t=Time,length=L1..L6,force=F1..F6 --units ms,mm,kN",
        ),
        "simulate": Command(
            "simulate",
            "write a log of a simulated machine",
            "pkm simulate --machine uf --trajectory rich --duration 40 --noise 0.5 --seed 1 --out rich.csv.gz",
        ),
    },
    "identify": {
        "identify": Command(
            "identify",
            "estimate masses, inertias and friction from logs",
            "pkm identify log.csv --machine my.yaml --out result",
        ),
        "friction": Command(
            "friction",
            "estimate the friction of every drive from slow logs",
            "pkm friction slow.csv --machine my.yaml",
        ),
        "staged": Command(
            "staged",
            "estimate friction and inertia one after the other, as Oh (2003)",
            "pkm staged slow.csv fast.csv --machine my.yaml --out staged",
        ),
        "export": Command(
            "export",
            "write the machine for other programs: URDF, SDF, MJCF, C, LinuxCNC, machine file",
            "pkm export --machine my.yaml --estimate result/estimate.json --out identified.urdf",
        ),
    },
    "understand": {
        "diagnose": Command(
            "diagnose",
            "report whether the model fits, and if not, why",
            "pkm diagnose log.csv --machine my.yaml",
        ),
        "compare": Command(
            "compare",
            "list what differs between estimates by more than chance",
            "pkm compare spring/estimate.json autumn/estimate.json",
        ),
        "history": Command(
            "history",
            "list what changed when, from all logs of a machine",
            "pkm history logs/ --machine my.yaml --out history",
        ),
        "identifiability": Command(
            "identifiability",
            "list what logs or a motion determine, and how well",
            "pkm identifiability log.csv --machine my.yaml",
        ),
        "base-parameters": Command(
            "base_parameters",
            "list the combinations of parameters that forces depend on",
            "pkm base-parameters --machine mast",
        ),
        "contributions": Command(
            "contributions",
            "split the drives' forces of a motion into their components",
            "pkm contributions --machine uf --trajectory rich",
        ),
        "sensitivity": Command(
            "sensitivity",
            "compute what a wrong centre of mass does to the drives' forces",
            "pkm sensitivity --machine uf --trajectory rich",
        ),
        "excite": Command(
            "excite",
            "design a motion that determines the parameters within all limits",
            "pkm excite --machine uf --budget 20 --out motion.yaml",
        ),
    },
    "machine": {
        "mechanism": Command(
            "mechanism", "list bodies, joints, loops and degrees of freedom", "pkm mechanism --machine mast"
        ),
        "inverse": Command(
            "kinematics",
            "compute coordinates of the drives from poses or outputs",
            "pkm inverse --machine uf --in poses.csv --out lengths.csv",
        ),
        "forward": Command(
            "kinematics",
            "compute poses or outputs from coordinates of the drives",
            "pkm forward --machine uf --in lengths.csv --out poses.csv",
        ),
        "forces": Command(
            "kinematics",
            "compute the drives' forces that a motion needs",
            "pkm forces --machine uf --in poses.csv --out forces.csv",
        ),
        "workspace": Command(
            "workspace",
            "compute where a machine reaches and how dexterous it is",
            "pkm workspace --machine uf --out area",
        ),
        "step": Command(
            "bench",
            "compute the step response of machine and drives",
            "pkm step --machine uf_hydraulic --axis z",
        ),
        "response": Command(
            "bench",
            "compute the frequency response of machine and drives",
            "pkm response --machine uf_hydraulic --axis z",
        ),
        "modes": Command(
            "bench",
            "compute the modes on the compliance of the drives",
            "pkm modes --machine uf_hydraulic",
        ),
        "control-design": Command(
            "control_design",
            "compare laws of control on a machine with its drives",
            "pkm control-design --machine mast_belt --axes z,psi",
        ),
        "drive": Command(
            "drive",
            "estimate numbers of the drives themselves from a log of a step or a sweep",
            "pkm drive step.csv --machine uf_hydraulic",
        ),
        "reproduce": Command(
            "reproduce",
            "repeat a study of a reference text and compare its numbers",
            "pkm reproduce mast --out study",
        ),
    },
    "ROS 2": {
        "demo": Command("demo", "identify a simulated machine through the nodes", "pkm demo"),
        "watch": Command("watch", "serve a web page of running nodes", "pkm watch"),
        "record": Command("bags", "record topics into a bag", "pkm record --out my_bag"),
        "play": Command("bags", "publish a bag as it was recorded", "pkm play my_bag"),
        "warm-up": Command(
            "warm_up", "compile ahead what nodes and identify need", "pkm warm-up --machine my.yaml"
        ),
        "completion": Command(
            "completion", "print the script that completes commands in a shell", "pkm completion bash"
        ),
    },
}
COMMANDS = {name: command for group in GROUPS.values() for name, command in group.items()}
