# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Arguments of the launch files: what they are called, what they mean, and how their text is read.

Without ROS 2's launch system, so that tests and pages can read the table where it is not installed.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any, TypeVar

import yaml

from pkm_identification.errors import PkmError, one_line

Value = TypeVar("Value")
SWITCH = ("true", "false")
CHAIN = ("strut_filter", "kinematics", "estimator")
EVERY_NODE = (*CHAIN, "controller", "simulator", "player")
ASSIGNMENT = ":="


def switch(text: str) -> bool:
    """Return whether a text says true, in any case as launch's own conditions take it: true, 1, false, 0."""
    known = {"true": True, "1": True, "false": False, "0": False}
    if text.lower() not in known:
        raise ValueError(text)
    return known[text.lower()]


def names(text: str) -> list[str]:
    """Return the parts of a comma-separated list of names."""
    names = [name.strip() for name in text.split(",")]
    if not all(names):
        raise ValueError(text)
    return names


KINDS: dict[object, str] = {
    int: "a whole number",
    float: "a number",
    switch: "true or false",
    names: "names with commas between",
}


@dataclass(frozen=True)
class Argument:
    """An argument of a launch file.

    Attributes
    ----------
    name : str
    meaning : str
    read : callable
        Its value of its text.
    default : str or None
        None: it must be given. Empty: as in params_file, or as the nodes have it.
    choices : tuple of str
        Texts it may be; any if empty. Of a switch they are only reported: `True` of a Python launch file is as good.
    nodes : tuple of str
        Nodes of which it is a parameter of that name.
    """

    name: str
    meaning: str
    read: Callable[[str], Any] = str
    default: str | None = ""
    choices: tuple[str, ...] = ()
    nodes: tuple[str, ...] = ()

    @property
    def description(self) -> str:
        """For `ros2 launch --show-args`."""
        meaning = f"{self.meaning} (true or false)" if self.read is switch else self.meaning
        return f"{meaning}; empty: as in params_file" if self.nodes and not self.default else meaning


# Of every launch file that starts nodes.
COMMON = (
    Argument("namespace", "namespace of all nodes and topics"),
    Argument(
        "machine",
        "built-in machine (uf, mast, epaas, ...) or path of a machine YAML file",
        nodes=(*CHAIN, "controller", "simulator"),
    ),
    # its default is a file of the installed package (`nodes.declare_arguments`)
    Argument(
        "params_file", "ROS parameter file of the nodes; start from a copy of the default", default=None
    ),
    Argument(
        "use_sim_time",
        "whether time comes from /clock (samples keep their own stamps in any case)",
        switch,
        "false",
        SWITCH,
    ),
    Argument(
        "log_level",
        "least important log lines shown",
        default="info",
        choices=("debug", "info", "warn", "error", "fatal"),
    ),
    Argument(
        "executor",
        "executor of the nodes",
        choices=("", "single_threaded", "events"),
        nodes=EVERY_NODE,
    ),
    Argument(
        "autostart",
        "false: nodes wait for a life cycle manager or `ros2 lifecycle set`",
        switch,
        choices=("", *SWITCH),
        nodes=EVERY_NODE,
    ),
    Argument("enclave", "SROS 2 enclave below which every node has its own, ENCLAVE/NODE; empty: none"),
    Argument(
        "strut_states",
        "topic of the drives' coordinates and forces, such as /joint_states; empty: strut_states",
    ),
    Argument(
        "joint_names",
        "joint names of the drives in the machine's order, with commas between",
        names,
        nodes=("strut_filter", "kinematics", "controller", "simulator"),
    ),
    Argument(
        "sample_rate",
        "rate of strut_states in Hz; 0: the machine file's, 1000 Hz where it states none",
        float,
        nodes=("strut_filter", "estimator", "controller"),
    ),
    Argument("save_folder", "folder that estimates are saved in", nodes=("estimator",)),
    Argument("save_name", "file that an estimate is saved as, NAME.json", nodes=("estimator",)),
    Argument(
        "resume",
        "start from the saved estimate, when there is one",
        switch,
        choices=("", *SWITCH),
        nodes=("estimator",),
    ),
    Argument("base_frame", "frame that poses are given in", nodes=("kinematics", "controller", "simulator")),
    Argument("platform_frame", "frame of the platform", nodes=("kinematics", "estimator", "simulator")),
    Argument("frame_prefix", "written before base_frame and platform_frame, as robot_state_publisher does"),
    Argument(
        "joint_states",
        "let the kinematics node publish joint_states for a robot_state_publisher (view.launch.py), which then sends "
        "TF; not together with a driver that publishes joint_states under this namespace",
        switch,
        "false",
        SWITCH,
    ),
    Argument("rviz", "view.launch.py, too", switch, "false", SWITCH),
)

_OF_SIMULATOR = ("simulator",)
# Of launch files with a simulated machine.
SIMULATED = (
    Argument(
        "perturbation",
        "how far the true parameters are from the machine's: 0.15 is up to 15 %",
        float,
        nodes=_OF_SIMULATOR,
    ),
    Argument("perturbation_seed", "seed of the true parameters", int, nodes=_OF_SIMULATOR),
    Argument("scenario", "file of what happens to it while it runs (docs/scenarios.md)", nodes=_OF_SIMULATOR),
    Argument("truth_rate", "rate of platform_truth in Hz; 0: not published", float, nodes=_OF_SIMULATOR),
)


def read_argument(name: str, read: Callable[[str], Value], text: str) -> Value:
    """Value of a launch argument.

    Parameters
    ----------
    name : str
    read : callable
        One of KINDS, or str.
    text : str
        What the user gave.

    Raises
    ------
    ValueError
        If the text does not fit; launch shows the message, so it names the argument.
    """
    try:
        return read(text)
    except ValueError:
        raise ValueError(f"launch argument '{name}' must be {KINDS[read]}, not '{text}'") from None


def refuse_unknown(file: str, given: Sequence[str], command: Sequence[str], known: Iterable[str]) -> None:
    """Refuse what `ros2 launch` was given for a file that has no such argument; launch itself says nothing.

    Parameters
    ----------
    file : str
        The launch file.
    given : sequence of str
        NAME:=VALUE of the command line.
    command : sequence of str
        The whole command line. A file that another one includes is not asked: the arguments are the other one's.
    known : iterable of str

    Raises
    ------
    ValueError
        Names the argument and the nearest known one.
    """
    launched = PurePath(file).name
    if launched not in {PurePath(word).name for word in command}:
        return
    known = list(known)
    for word in given:
        name = word.partition(ASSIGNMENT)[0]
        if ASSIGNMENT in word and name not in known:
            near = difflib.get_close_matches(name, known, 1)
            hint = f": did you mean '{near[0]}'?" if near else f"; it has {', '.join(known)}"
            raise ValueError(f"{launched} has no argument '{name}'{hint}")


def refuse_wrong_machines(given: str, params_file: str, namespace: str) -> None:
    """Refuse a machine that no node could load, once, before each of them says so.

    Parameters
    ----------
    given : str
        Of the argument `machine`; empty: those of the parameter file count.
    params_file : str
        Empty where the launch file has none. What cannot be read there is left to the nodes.
    namespace : str

    Raises
    ------
    ValueError
        Names where the machine was given and what is wrong with it.
    """
    # here, because it takes .3 s, which files that start no node of a machine need not wait for
    from pkm_identification.machines.load import load_machine

    wanted = {given: "launch argument 'machine'"} if given else _list_machines(params_file, namespace)
    for machine, where in wanted.items():
        try:
            load_machine(machine)
        except PkmError as error:
            raise ValueError(f"{where}: {one_line(str(error))}") from None


def refuse_wrong_commands(commands: str, given: str, params_file: str, namespace: str) -> None:
    """Refuse efforts for drives that go to places by themselves, and coordinates for those that take forces.

    Parameters
    ----------
    commands : str
        Of the argument `commands`.
    given, params_file, namespace : str
        As of `refuse_wrong_machines`.

    Raises
    ------
    ValueError
        Says what to give instead.
    """
    from pkm_identification.machines.load import load_machine

    for name in [given] if given else _list_machines(params_file, namespace):
        machine = load_machine(name)
        fit = "coordinates" if machine.place_drives else "efforts"
        if commands in ("efforts", "coordinates") and commands != fit:
            why = machine.place_drives or "its drives take forces"
            raise ValueError(
                f"launch argument 'commands': {commands} would not move {machine.name}: {why}; give commands:={fit}"
            )


def _list_machines(params_file: str, namespace: str) -> dict[str, str]:
    """Return the machines that a parameter file gives nodes of a namespace, each with its place in the file."""
    try:
        document = yaml.safe_load(Path(params_file).read_text(encoding="utf-8")) if params_file else {}
        found = {
            str(key): block["ros__parameters"]["machine"]
            for key, block in document.items()
            if "machine" in block.get("ros__parameters", {})
        }
    except (OSError, UnicodeDecodeError, yaml.YAMLError, AttributeError, TypeError):
        return {}
    here = {
        "/**",
        *(f"{where}/{node}" for where in ("/**", _make_absolute(namespace)) for node in EVERY_NODE),
    }
    return {
        machine: f"{params_file}: {key}: parameter 'machine'"
        for key, machine in reversed(found.items())  # of equal ones the first place is told
        if isinstance(machine, str) and (key if key.startswith("/") else f"/{key}") in here
    }


def _make_absolute(namespace: str) -> str:
    stripped = namespace.strip("/")
    return f"/{stripped}" if stripped else ""
