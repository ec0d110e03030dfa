# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The rows of the table: what every machine should do, as commands."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np

from pkm_identification.errors import PkmError
from pkm_identification.machines.capabilities import (
    ActuatedDrives,
    NamedOutputs,
    PlatformPose,
    has,
)
from pkm_identification.machines.contract import Machine
from pkm_identification.machines.load import read_machine
from pkm_identification.machines.motions import compute_rest
from pkm_identification.mechanisms.friction.registry import LAW_NAMES
from pkm_identification.records.drive_csv import write_csv
from pkm_identification.simulation.simulator import simulate

from ..field.drawn_kinds import draw_truth, scale_mechanism
from ..field.truth import find_errors
from ..right_logs import GRAVITY, SENSORS, displace_numbers, spoil_sensors
from .logs import round_coordinates, write_long, write_variants
from .run import Bench, Failure, Row, run, write_machine

SHORTEST, PER_PARAMETER = 8.0, 0.2  # s of a log, and s for each parameter where that is more
LONGER = 20.0  # s of the log of the machine off its file
WEIGHT = 1e-3  # of a typical force: less does not make a fall
COUNT = 1e-5  # m or rad, of the encoders in a fall
MISLEADING = 4.0  # deviations
UNLIKE = 0.2  # by which bodies that look alike in a file may differ
NOT_SHOWN = 2.0  # noise floors in the forces by a wrong file, which then are as good as by the right one
Commands = Iterable[list[Any]]
LAW_NUMBERS: dict[str, dict[str, Any]] = {
    "stribeck": {"static_ratio": 1.5, "stribeck_rate": 0.02},
    "asymmetric": {"asymmetry": 0.01},
}
ESTIMATORS = ("full", "ls", "robust", "ukf", "ekf", "rls", "iv", "joint", "dual")
ALSO = {
    "delay, gain, offset": "force_delay,force_gain,force_offset", "zeros": "coordinate_offset",
    "pitch": "coordinate_scale", "sides, travel, square": "friction_asymmetric,friction_position,friction_square",
    "Stribeck": "friction_stribeck", "transition": "friction_transition", "presliding": "friction_presliding",
    "load": "friction_load", "joint friction": "joint_friction", "motors' inertia": "motor_inertia",
    "gravity": "gravity_direction", "centre of mass": "center_of_mass",
    "unequal struts": "unequal_struts", "compliance": "compliance", "efficiency": "efficiency",
}  # fmt: skip


def _a(command: str, *words: Any, log: str = "a.csv") -> Callable[[Bench], Commands]:
    """Return a command on the first log of a bench."""
    return lambda bench: [[command, bench[log], "--machine", bench["machine.yaml"], *words]]


def _m(command: str, *words: Any) -> Callable[[Bench], list[list[Any]]]:
    """Return a command without a log; words with a `:` before them are files of the bench."""

    def build(bench: Bench) -> list[list[Any]]:
        named = [bench[word[1:]] if str(word).startswith(":") else word for word in words]
        return [[command, "--machine", bench["machine.yaml"], *named]]

    return build


def _find_duration(machine: Machine) -> float:
    """Return how long a log of a machine is, s."""
    return max(SHORTEST, round(PER_PARAMETER * len(machine.build_parameter_set(machine.sums_set))))


def _simulate(bench: Bench, out: str, *words: Any, machine: str = "machine.yaml") -> list[Any]:
    motion = ["--trajectory", "rich", "--duration", _find_duration(bench.machine), "--noise", 1]
    return ["simulate", "--machine", bench[machine], "--out", bench[out], "--si", *motion, *words]


def _identify(bench: Bench, logs: str, *words: Any, machine: str = "machine.yaml") -> list[Any]:
    return ["identify", *(bench[log] for log in logs.split()), "--machine", bench[machine], *words]


def _size_payload(machine: Machine) -> float:
    """Return a mass that weighs a tenth of a typical force, kg."""
    lever = [machine.size if drive.unit == "rad" else 1.0 for drive in machine.drives]
    return round(0.1 * float(np.median(machine.force_size / np.array(lever))) / 9.81, 4)


def _make_variants(bench: Bench) -> Commands:
    write_variants(bench["a.csv"], bench.folder, bench.machine)
    yield ["check", bench["a.csv"], "--machine", bench["machine.yaml"]]


def _import_bag(bench: Bench) -> Commands:
    joints = ",".join(drive.joint for drive in bench.machine.drives)
    shutil.rmtree(bench["bag"], ignore_errors=True)
    yield _simulate(bench, "bag", "--seed", 3)
    for words in ((), ("--joints", joints)):
        yield ["import", bench["bag"], bench["bag.csv"], "--machine", bench["machine.yaml"], *words]


def _rename(bench: Bench) -> Commands:
    """The log with other columns, in other units, without a clock; each must be the log in SI units."""
    count = len(bench.machine.drives)
    columns = f"coordinate=q1..q{count},force=M1..M{count}"
    kinds = {drive.unit for drive in bench.machine.drives}
    units = ["ms", *(["mm", "kN"] if "m" in kinds else []), *(["deg", "Nmm"] if "rad" in kinds else [])]
    whole = np.loadtxt(bench["a.csv"], delimiter=",", skiprows=1)
    for log, words in (
        ("columns", ["--columns", f"t=Zeit,{columns}"]),
        ("units", ["--columns", f"t=Zeit,{columns}", "--units", ",".join(units)]),
        ("rate", ["--columns", columns, "--rate", round(1.0 / float(np.median(np.diff(whole[:, 0]))))]),
    ):
        out = bench[f"{log}_si.csv"]
        yield ["import", bench[f"{log}.csv"], out, "--machine", bench["machine.yaml"], *words]
        if not np.allclose(np.loadtxt(out, delimiter=",", skiprows=1), whole, rtol=1e-8, atol=1e-8):
            raise Failure(f"{log}: another log than in SI units")


def _take_wrong_machine(bench: Bench) -> Commands:
    """Identify a log with the file of a machine 1.4 times as large, which shows where drives are measured in m."""
    if all(drive.unit == "rad" for drive in bench.machine.drives):
        bench.note("similar machines turn through the same angles")
        return []
    if not Path(bench["a.csv"]).exists():
        raise Failure("no log: simulate one first")
    document = bench.document
    if "bodies" in document:
        made = scale_mechanism(document, 1.4, 1.0)
    else:
        made = json.loads(json.dumps(document))
        for name in ("base_joints", "platform_joints"):
            geometry = made["geometry"]
            geometry[name] = (1.4 * np.array(geometry[name], dtype=float)).tolist()
    write_machine(bench["larger.yaml"], made)
    code, said = run(_identify(bench, "a.csv", machine="larger.yaml"))
    if code == 0:
        held_out = re.search(r"noise floor ([\d.e-]+) %; machine file's values ([\d.e-]+) %", said)
        if held_out is None or float(held_out[2]) > NOT_SHOWN * float(held_out[1]):
            raise Failure("a log of another machine is identified with exit 0")
        bench.note(
            f"no log shows it: the larger file's values leave {held_out[2]} % of the force, noise {held_out[1]} %"
        )
        return []
    bench.note(f"exit {code}: {said.strip().splitlines()[-1]}")
    return []


def _take_other_drives(bench: Bench) -> Commands:
    """Hand over a log with a drive too few."""
    if len(bench.machine.drives) == 1:
        bench.note("it has one drive: none to leave out")
        return
    lines = bench["a.csv"].read_text().splitlines()
    bench["few.csv"].write_text("\n".join(line.rsplit(",", 1)[0] for line in lines) + "\n")
    yield ["check", bench["few.csv"], "--machine", bench["machine.yaml"]]


def _with_law(law: str) -> Callable[[Bench], Commands]:
    """Return a row: a machine whose drives have a friction law is simulated and identified with it."""

    def build(bench: Bench) -> Commands:
        machine, document = bench.machine, dict(bench.document)
        rate = np.array([drive.size for drive in machine.drives])
        several = len({drive.unit for drive in machine.drives}) > 1
        law_rate = rate if several else rate.min()
        own = {
            name: (value * machine.force_size).tolist() if name == "asymmetry" else value
            for name, value in LAW_NUMBERS.get(law, {}).items()
        }
        friction = {
            "law": law, "transition_rate": (0.02 * law_rate).tolist(), "coulomb": (0.05 * machine.force_size).tolist(),
            "viscous": (0.02 * machine.force_size / rate).tolist(), **own,
        }  # fmt: skip
        if law == "stribeck":
            friction["stribeck_rate"] = (0.2 * law_rate).tolist()
        document["friction"] = _write_numbers(friction) if "bodies" in document else friction
        try:
            read_machine(document)
        except PkmError as error:
            raise Failure(f"not made: {error}") from None
        write_machine(bench[f"{law}.yaml"], document)
        yield _simulate(bench, f"{law}.csv", "--seed", 5, machine=f"{law}.yaml")
        yield _identify(bench, f"{law}.csv", machine=f"{law}.yaml")

    return build


def _write_numbers(section: dict[str, Any]) -> dict[str, Any]:
    """Return numbers as text, as files of mechanisms are read."""
    written = {
        name: [f"{one:.6g}" for one in value] if isinstance(value, list) else value
        for name, value in section.items()
    }
    return {name: f"{value:.6g}" if isinstance(value, float) else value for name, value in written.items()}


def _list_values(bench: Bench) -> list[str]:
    """Return names of parameters of the first estimate."""
    return [one["name"] for one in json.loads(bench["id.json"].read_text())["parameters"]]


def _tie(bench: Bench) -> Commands:
    if len(bench.machine.drives) == 1:
        bench.note("it has one drive: no two coefficients to tie")
        return
    names = [name for name in _list_values(bench) if name.startswith("viscous")]
    if len(names) < 2:
        raise Failure("the estimate has no two viscous coefficients to tie")
    entries = {one.name: one.nominal for one in bench.machine.basis}
    first, second = (entries.get(name, 0.0) for name in names[:2])
    factor = second / first if first and second else 1.0
    yield _identify(bench, "a.csv", "--tie", f"{names[1]}={names[0]}*{factor:.9g}")


def _prior(bench: Bench) -> Commands:
    one = json.loads(bench["id.json"].read_text())["parameters"][0]
    bench["prior.yaml"].write_text(
        f"{one['name']}: {{value: {one['value']}, std: {abs(one['value']) / 10 + 1e-6}}}\n"
    )
    yield _identify(bench, "a.csv", "--prior", bench["prior.yaml"])


def _take_perturbed(bench: Bench) -> Commands:
    """Identify a machine whose bodies and friction are 5 to 20 % off its file; compare with the truth.

    Gravity, places of joints and sensors are off as well, by as much as a file says that states nothing of them: the
    deviations of an answer hold that, too.
    """
    file, truth = _write_perturbed(bench, "truth.csv", 8, (*GRAVITY, "joint_places"), SENSORS)
    code, said = run(_identify(bench, "truth.csv", "--json", bench["truth.json"], machine="unknown.yaml"))
    if not bench["truth.json"].exists():
        raise Failure(f"exit {code}: {said.strip().splitlines()[-1]}")
    answer = json.loads(bench["truth.json"].read_text())["answer"]
    errors = find_errors(answer, file, truth)
    worst = max(errors, key=lambda name: abs(errors[name]))
    square = float(np.mean(np.square(list(errors.values()))))
    bench.note(
        f"largest {abs(errors[worst]):.1f} deviations ({worst}), mean square {square:.2f} of {len(errors)}"
    )
    if code != 0:
        raise Failure(f"exit {code}: {said.strip().splitlines()[-1]}")
    if abs(errors[worst]) > MISLEADING:
        raise Failure("exit 0")
    return []


def _write_perturbed(
    bench: Bench, name: str, seed: int, numbers: tuple[str, ...], sensors: tuple[str, ...]
) -> tuple[Machine, Machine]:
    """Write the log of a machine whose bodies, friction and some numbers are off its file; return file and truth."""
    random = np.random.default_rng(seed)
    # a file that says that it is of a drawing would rightly be contradicted, one that is guessed says too little
    unknown = _drop_statements(bench.document)
    # each body is drawn by itself: one that says nothing of that would be contradicted, too
    unknown["tolerances"] = {**unknown.get("tolerances", {}), "bodies_alike": UNLIKE}
    write_machine(bench["unknown.yaml"], unknown)
    file = read_machine(unknown)
    truth = displace_numbers(read_machine(draw_truth(random, unknown)), file, random, numbers)
    longer = max(LONGER, 2 * _find_duration(bench.machine))
    record = simulate(truth, "rich", longer, seed=seed + 1)
    log = spoil_sensors(record.log(), file, random, sensors)
    write_csv(bench[name], log, file.drives, record.motor_length)
    return file, truth


def _take_displaced(bench: Bench) -> Commands:
    """Identify a machine whose joints and zeros are off its file, too, and nothing else than bodies and friction.

    A fit of few parameters is right where the log has nothing that it does not ask for.
    """
    _write_perturbed(bench, "displaced.csv", 12, ("joint_places",), ("coordinate_offset",))
    yield _identify(bench, "displaced.csv", "--estimator", "ls", "--also", "geometry", machine="unknown.yaml")


def _drop_statements(document: Any) -> Any:
    """Return a file that says nothing of how well its numbers are known."""
    if not isinstance(document, dict):
        return document
    return {key: _drop_statements(one) for key, one in document.items() if key != "known"}


def _calibrate(bench: Bench) -> Commands:
    mass = _size_payload(bench.machine)
    yield _simulate(bench, "load.csv", "--seed", 7, "--payload", f"0,{mass}")
    yield _identify(bench, "a.csv load.csv", "--payload", f"{mass},0,0,0")


def _take_up(bench: Bench) -> Commands:
    yield _simulate(bench, "taken.csv", "--payload", f"2,{_size_payload(bench.machine)}")


def _long(bench: Bench) -> Commands:
    yield _simulate(bench, "perfect.csv", "--perfect")
    bench.note(f"{write_long(bench['perfect.csv'], bench['long.parquet']):.0f} s")
    yield _identify(bench, "long.parquet")


def _history(bench: Bench) -> Commands:
    bench["logs"].mkdir(exist_ok=True)
    for name in ("a.csv", "b.csv"):
        shutil.copy(bench[name], bench["logs"])
    yield [
        "history",
        bench["logs"],
        "--machine",
        bench["machine.yaml"],
        "--workers",
        0,
        "--out",
        bench["history"],
    ]


def _identify_again(bench: Bench) -> Commands:
    yield _m(
        "export", "--estimate", ":physical/estimate.json", "--format", "yaml", "--out", ":identified.yaml"
    )(bench)[0]
    yield _identify(bench, "a.csv", machine="identified.yaml")


def _export(bench: Bench) -> Commands:
    for form in ("mjcf", "sdf", "c"):
        yield _m("export", "--estimate", ":physical/estimate.json", "--format", form, "--out", f":e.{form}")(
            bench
        )[0]


def _slow(bench: Bench) -> Commands:
    yield ["simulate", "--machine", bench["machine.yaml"], "--out", bench["slow.csv"], "--si", "--trajectory", "slow",
           "--duration", 20, "--noise", 1]  # fmt: skip
    yield ["friction", bench["slow.csv"], "--machine", bench["machine.yaml"]]


def _tables(bench: Bench) -> Commands:
    """Places of the drives to outputs and back."""
    names = [drive.name for drive in bench.machine.drives]
    if not all(isinstance(name, str) for name in names):
        raise Failure("drives have no names")
    head = bench["a.csv"].read_text().splitlines()[0].split(",")[1 : len(names) + 1]
    bench["drives.csv"].write_text(
        ",".join(head) + "\n" + ",".join(repr(float(x)) for x in bench.machine.home) + "\n"
    )
    yield [
        "forward",
        "--machine",
        bench["machine.yaml"],
        "--in",
        bench["drives.csv"],
        "--out",
        bench["pose.csv"],
    ]
    yield [
        "inverse",
        "--machine",
        bench["machine.yaml"],
        "--in",
        bench["pose.csv"],
        "--out",
        bench["back.csv"],
    ]


def _fall(bench: Bench) -> Commands:
    yield [
        "simulate",
        "--machine",
        bench["machine.yaml"],
        "--trajectory",
        "free",
        "--out",
        bench["fall.csv"],
        "--si",
    ]
    round_coordinates(bench["fall.csv"], COUNT)
    yield _identify(bench, "a.csv", "--free-fall", bench["fall.csv"])


def _lacks(capability: type, words: str) -> Callable[[Machine], str]:
    return lambda machine: "" if has(machine, capability) else words


def _lacks_outputs(machine: Machine) -> str:
    return "" if has(machine, PlatformPose) or has(machine, NamedOutputs) else "no pose and no outputs"


def _lacks_weight(machine: Machine) -> str:
    weight = machine.compute_forces(compute_rest(machine, machine.home[None]), machine.basis.nominal)[0]
    if machine.actuators:
        return "its drives have states that hold it"
    return (
        "" if np.any(np.abs(weight) > WEIGHT * machine.force_size) else "gravity does not move it from home"
    )


def _lacks_alike_limbs(machine: Machine) -> str:
    return "" if machine.has_identical_limbs else "its bodies are estimated one by one already"


def _lacks_screws(machine: Machine) -> str:
    kinds = {getattr(one, "type", "") for one in machine.actuators or ()}
    return "" if "screw" in kinds else "no screws"


def _lacks_nothing(machine: Machine) -> str:
    return ""


LACKS = {
    "center_of_mass": _lacks_alike_limbs, "unequal_struts": _lacks_alike_limbs, "efficiency": _lacks_screws,
}  # fmt: skip
LOADED = _lacks(ActuatedDrives, "no actuators")

ROWS: tuple[Row, ...] = (
    Row("simulate", "rich", lambda b: [_simulate(b, "a.csv", "--seed", 3)]),
    Row("simulate", "`--perturb .1`", lambda b: [_simulate(b, "b.csv", "--seed", 4, "--perturb", 0.1)]),
    Row("simulate", "a load on the way", _take_up),
    Row("simulate", "slower", lambda b: [_simulate(b, "a2.csv", "--seed", 6, "--trajectory", "rich2")]),
    Row("logs", "`check`", _make_variants),
    Row("logs", "a bag, `import`, `--joints`", _import_bag),
    Row("logs", "`--columns`, `--units`, `--rate`", _rename),
    Row(
        "logs",
        "gap, NaN, spikes, rows twice, uneven stamps",
        lambda b: [_identify(b, "spoilt.csv", "--estimator", "ls")],
    ),
    Row("logs", "a drive too few: refused", _take_other_drives, codes=(2,)),
    Row("logs", "another machine: refused", _take_wrong_machine),
    Row(
        "identify",
        "full, report",
        lambda b: [_identify(b, "a.csv", "--json", b["id.json"], "--out", b["out"], "--report", b["r.html"])],
    ),
    Row("identify", "a machine 5 to 20 % off its file", _take_perturbed),
    *(
        Row(
            "identify",
            f"`--estimator {name}`",
            lambda b, name=name: [_identify(b, "a.csv", "--estimator", name)],
        )
        for name in ESTIMATORS[1:]
    ),
    Row("identify", "`--model energy`", _a("identify", "--model", "energy")),
    Row("identify", "`--causal`", _a("identify", "--causal")),
    Row(
        "identify",
        "`--consistent`",
        lambda b: [_identify(b, "a.csv", "--consistent", "--out", b["physical"])],
    ),
    Row("identify", "two logs", lambda b: [_identify(b, "a.csv a2.csv")]),
    Row("identify", "a log of four minutes in pieces", _long),
    Row(
        "identify", "`staged`", lambda b: [["staged", b["a.csv"], b["b.csv"], "--machine", b["machine.yaml"]]]
    ),
    *(
        Row(
            "also",
            name,
            _a("identify", "--estimator", "ls", "--also", also),
            lacks=LACKS.get(also, _lacks_nothing),
        )
        for name, also in ALSO.items()
    ),
    Row("also", "geometry, a longer log", _take_displaced),
    *(Row("friction", f"law `{law}`", _with_law(law)) for law in LAW_NAMES),
    Row("friction", "`friction` of a slow log", _slow),
    Row("known", "`--fix friction`", _a("identify", "--fix", "friction")),
    Row("known", "`--tie`", _tie),
    Row("known", "`--prior`", _prior),
    Row("known", "`--payload`", _calibrate),
    Row("known", "`--free-fall`", _fall, lacks=_lacks_weight),
    Row(
        "answers",
        "`--validate`",
        lambda b: [_identify(b, "b.csv", "--validate", b["a.csv"], "--out", b["out2"])],
    ),
    Row("answers", "`diagnose`", _a("diagnose")),
    Row(
        "answers",
        "`compare`",
        lambda b: [["compare", b["out/estimate.json"], b["out2/estimate.json"]]],
        codes=(0, 1),
    ),
    Row("answers", "`history`", _history, codes=(0, 1)),
    Row("export", "yaml, identified again", _identify_again),
    Row("export", "URDF", _m("export", "--format", "urdf", "--out", ":e.urdf")),
    Row("export", "MJCF, SDF, C", _export),
    Row("understand", "`base-parameters`", _m("base-parameters")),
    Row("understand", "`identifiability` of a motion", _m("identifiability", "--trajectory", "rich")),
    Row("understand", "`identifiability` of a log", _a("identifiability")),
    Row("understand", "`excite`", _m("excite", "--duration", 5, "--budget", 6, "--out", ":motion.yaml")),
    Row("understand", "`contributions`", _m("contributions", "--trajectory", "rich")),
    Row("understand", "`sensitivity`", _m("sensitivity", "--trajectory", "rich")),
    Row("machine", "`mechanism`", _m("mechanism")),
    Row("machine", "`forward`, `inverse`", _tables, lacks=_lacks_outputs),
    Row("machine", "`workspace`", _m("workspace", "--points", 21, "--out", ":area"), lacks=_lacks_outputs),
    Row("machine", "`modes`", _m("modes"), lacks=LOADED),
    Row("machine", "`step`", _m("step"), lacks=LOADED),
)
