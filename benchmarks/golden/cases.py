# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What is run on both revisions, and which differences are explained.

A case is a list of command lines of `pkm`, run in its own folder one after the other; a log that an earlier case of the
same revision wrote is named by its path. What they write as .json is compared number by number, other files by text.
"""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

HEXAPODS = ("uf", "hexel", "uf_hydraulic")
MECHANISMS = ("mast", "epaas", "four-bar")
SECONDS = "10"  # of a simulated motion: enough for every parameter of a small machine
ESTIMATORS = ("ls", "ukf", "rls", "robust")

# (pattern of a case, pattern of a place in its outputs, why it may differ): empty where nothing changed on purpose
EXPLAINED: tuple[tuple[str, str, str], ...] = (
    ("identify-hexel-*", "*.json*", "the places of its base joints are corrected"),
    *(
        ("*", f"*.json.{key}*", "a key that the answers of all machines have now")
        for key in ("answer", "base", "drives", "equations", "fit.per_drive", "validation.*.per_drive")
    ),
    *(
        (
            f"identify-uf-{name}",
            "estimate.json.parameters.*",
            "combinations by the covariance of every direction",
        )
        for name in ("ls", "ukf", "rls", "energy")
    ),
    (
        "diagnose-uf",
        "diagnosis.json.parameters.*",
        "where the model does not fit, deviations are those of a block jackknife",
    ),
    *(
        (
            f"identify-{name}-*",
            "estimate.json*",
            "pulses at reversals are unknowns besides, and the row in which a drive leaves its standstill is used; all "
            "other rows and columns are equal to the last digit",
        )
        for name in ("mast", "epaas", "four-bar")
    ),
    *(
        (f"simulate-{name}", "log.csv", "the last digits: one stepping moves all plants")
        for name in MECHANISMS
    ),
    ("identify-mast-late", "log.csv", "made of the simulated log"),
    ("check-*", "check.json.standstill*", "hexapods' logs are searched for standstill, too"),
    ("export-uf*", "machine.yaml", "the file says that its numbers are of a drawing"),
    ("export-hexel", "machine.yaml", "the file says that its numbers are of a drawing"),
    ("export-mast", "machine.yaml", "numbers of bodies and joints are written without quotation marks"),
    ("export-epaas", "machine.yaml", "numbers of bodies and joints are written without quotation marks"),
    ("export-four-bar", "machine.yaml", "numbers of bodies and joints are written without quotation marks"),
    *(
        ("*", f"*.json.{place}*", "the full model judges every fit, of rows in which drives move")
        for place in ("fit", "validation.parameters_percent", "validation.predicted_by")
    ),
    ("identify-uf-causal", "estimate.json.parameters.*", "the last digits of a combination"),
    ("simulate-hexel", "log.csv", "the places of its base joints are corrected"),
    ("check-uf", "check.json*", "verdict and statuses are the full model's, of every number of the file"),
    ("diagnose-uf", "*", "the full model finds the delay, allows for it, and then fits"),
    ("base-parameters-epaas", "base.json*", "a sum that has a moment of inertia is called by one"),
    ("base-parameters-mast", "base.json*", "the kept parameters are pivots first: the last digit of factors"),
)


@dataclass(frozen=True)
class Case:
    """Commands whose outputs are compared.

    Attributes
    ----------
    name : str
        Of its folder, too.
    commands : tuple of tuple of str
        Arguments of `pkm`, or of one of the worker's own commands (`worker.OWN`).
    """

    name: str
    commands: tuple[tuple[str, ...], ...]


def find_explanation(case: str, place: str) -> str | None:
    """Return why a place in the outputs of a case may differ; None where nothing explains it."""
    reasons = (why for cases, places, why in EXPLAINED if fnmatch(case, cases) and fnmatch(place, places))
    return next(reasons, None)


def list_cases(whole: bool, shared: Path | None) -> list[Case]:
    """Return all cases: the cheap ones, with `whole` all built-in machines, with `shared` the logs of that folder."""
    hexapods: tuple[str, ...] = HEXAPODS
    mechanisms: tuple[str, ...] = MECHANISMS
    if whole:
        hexapods = (*hexapods, "ford", "uf_belt")
        mechanisms = (*mechanisms, "epaas-horizontal", "parallelogram", "pendulum")
    cases = [_simulated(name, "uf" if name == "uf" else "") for name in (*hexapods, *mechanisms)]
    for name in (*hexapods, *mechanisms):
        log = f"../simulate-{name}/log.csv"
        every = whole or name in ("uf", "mast")
        cases += _identified(name, name, log, ESTIMATORS if every else ESTIMATORS[:1])
        cases.append(Case(f"export-{name}", (("export", "--machine", name, "--out", "machine.yaml"),)))
    for name in ("uf", "mast", "epaas"):
        command = ("base-parameters", "--machine", name, "--json", "base.json")
        cases.append(Case(f"base-parameters-{name}", (command,)))
    cases += _hexapod_cases("uf", "uf", "../simulate-uf/log.csv")
    cases.append(_late("mast", ("force_1", "force_2", "force_3")))
    return cases + ([] if shared is None else _logs_of(shared))


def _simulated(name: str, rest: str) -> Case:
    plain: tuple[str, ...] = (
        "simulate",
        "--machine",
        name,
        "--trajectory",
        "rich",
        "--duration",
        SECONDS,
        "--seed",
        "0",
    )
    if name == "uf_hydraulic":  # its currents are those of valves
        plain = (*plain, "--si")
    commands: list[tuple[str, ...]] = [(*plain, "--out", "log.csv")]
    if rest:
        commands.append((*plain, "--fault", "force_delay=0.004", "--out", "faulty.csv"))
    return Case(f"simulate-{name}", tuple(commands))


def _identified(label: str, machine: str, log: str, estimators: tuple[str, ...]) -> list[Case]:
    command = ("identify", log, "--machine", machine, "--json", "estimate.json", "--estimator")
    return [Case(f"identify-{label}-{name}", ((*command, name),)) for name in estimators]


def _hexapod_cases(label: str, machine: str, log: str) -> list[Case]:
    """Commands and options that hexapods alone have so far."""
    command = ("identify", log, "--machine", machine, "--json", "estimate.json")
    cases = [
        Case(f"identify-{label}-energy", ((*command, "--model", "energy"),)),
        Case(f"identify-{label}-causal", ((*command, "--causal", "--estimator", "rls"),)),
        Case(f"stream-{label}", (("stream", machine, log, "stream.json"),)),
        Case(f"check-{label}", (("check", log, "--machine", machine, "--json", "check.json"),)),
    ]
    if label == "uf":
        faulty = "../simulate-uf/faulty.csv"
        cases.append(
            Case("diagnose-uf", (("diagnose", faulty, "--machine", "uf", "--json", "diagnosis.json"),))
        )
    return cases


def _late(name: str, forces: tuple[str, ...]) -> Case:
    """A mechanism's log whose forces come five samples late: its causes."""
    late = ("late", f"../simulate-{name}/log.csv", "log.csv", "5", *forces)
    command = ("identify", "log.csv", "--machine", name, "--json", "estimate.json", "--estimator", "ls")
    return Case(f"identify-{name}-late", (late, command))


def _logs_of(shared: Path) -> list[Case]:
    """Logs beside the repository: sets of simulated hexapods, and of real machines one after the other."""
    cases = []
    for folder in sorted(shared.glob("set_*")):
        machine, log = str(folder / "machine.yaml"), str(folder / "rich.csv.gz")
        cases += _identified(folder.name, machine, log, ESTIMATORS)
        cases += _hexapod_cases(folder.name, machine, log)
        free = ("identify", str(folder / "free.csv.gz"), "--machine", machine, "--json", "estimate.json")
        cases.append(Case(f"free-{folder.name}", (free,)))
    for folder in sorted(shared.glob("real/*")):
        for path in sorted(folder.glob("*.csv.gz")):
            label = f"{folder.name}-{path.name.partition('.')[0]}"
            cases += _identified(label, str(folder / "machine.yaml"), str(path), ("ls",))
    return cases
