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

_JUDGED = "the full model judges every fit, of rows in which drives move"
_COMBINATIONS = "combinations by the covariance of every direction"
_DRAWN = "the places of its base joints are corrected"
_CAUSAL = "a causal run publishes the full model's values with total deviations, as a stream"
_DELAY = "the full model finds the delay, allows for it, and then fits"

_SHORT = "a short stream is judged at its end, and has the values of a causal run, as since cd00b437"
_CORRECTED = (
    "drives with states move by the dynamics of both ends of a period, not by what the last one let expect"
)
_BOUNDED = (
    "effects have bounds and friction a sign, as since 74c15211; all is equal to 1e-8 with that revision, but a log "
    "with late forces, where what swings is looked for in whitened residuals, as since f8ded2d6"
)
_NAMED = "a sum that has a moment of inertia is called by one"
_PULSES = (
    "pulses at reversals are unknowns besides, and the row in which a drive leaves its standstill is used; all other "
    "rows and columns are equal to the last digit"
)

# (pattern of a case, pattern of a place in its outputs, why it may differ) since da7a101a: as narrow as can be, so that
# whatever else differs fails
EXPLAINED: tuple[tuple[str, str, str], ...] = (
    *(
        ("*", f"*.json.{key}", "a key that the answers of all machines have now")
        for key in (
            "answer",
            "base",
            "drives",
            "equations",
            "fit.per_drive",
            "validation.rms_percent.per_drive",
            "validation.rms_percent_raw.per_drive",
            "validation.parameters_percent",
        )
    ),
    ("*", "*.json.fit.remarks", "a key that is gone: what is odd about a log is among the warnings"),
    *(
        ("*", f"*.json.fit.{key}", _JUDGED)
        for key in ("noise_floor_percent", "noise_std.?", "per_strut.?", "ratio", "unseen")
    ),
    ("*", "*.json.validation.predicted_by", "other words"),
    ("*", "*.json.answer.verdict.conflicts.*.limit", "a key that contradictions have since a809614a"),
    ("*", "*.json.fit.unseen.*.unit", "zeros of turning drives are told in rad, as since e8586c5e"),
    *(
        ("stream-uf", f"stream.json.{key}", _SHORT)
        for key in ("estimate.*.value", "estimate.*.std", "status.*", "suspicions*", "fit*")
    ),
    *(
        (case, place, _BOUNDED)
        for case in ("identify-*", "diagnose-uf", "check-uf")
        for place in (
            "*.json.answer.values.*",
            "*.json.answer.effects.*",
            "*.json.answer.verdict.conflicts.*",
            "*.json.answer.verdict.note",
            "*.json.answer.verdict.halves",
            "*.json.answer.verdict.residual_over_*",
            "*.json.answer.verdict.unseen_over_*",
            "*.json.fit.per_drive.?",
        )
    ),
    ("identify-mast-late", "estimate.json.answer.verdict.sentence", _BOUNDED),
    ("simulate-uf_hydraulic", "log.csv.*", _CORRECTED),
    *(
        ("identify-uf_hydraulic-ls", f"estimate.json.{key}", _CORRECTED)
        for key in ("answer.*", "parameters.*", "fit.*", "trace.*", "validation.*", "samples", "dropped.*")
    ),
    # combinations follow the 20 parameters
    *(
        (f"identify-uf-{name}", f"estimate.json.parameters.2?.{key}", _COMBINATIONS)
        for name in ("ukf", "rls", "energy")
        for key in ("* *.value", "* *.std", "name", "nominal", "weights.*")
    ),
    *(
        ("identify-uf-causal", f"estimate.json.parameters.{place}", _CAUSAL)
        for place in ("*.value", "*.std", "6.status", "2?.nominal")
    ),
    ("identify-hexel-ls", "estimate.json.machine_hash", _DRAWN),
    *(
        ("identify-hexel-ls", f"estimate.json.{place}", _DRAWN)
        for place in (
            "parameters.*.value",
            "parameters.*.std",
            "parameters.20.name",
            "parameters.20.nominal",
            "parameters.20.weights.m_b",
            "validation.*percent",
            "validation.*percent*.per_strut.?",
            "validation.*percent*.total",
        )
    ),
    ("simulate-hexel", "log.csv.*", _DRAWN),
    ("export-hexel", "machine.yaml.geometry.base_joints.?.?", _DRAWN),
    *(
        (f"export-{name}", "machine.yaml.known", "the file says that its numbers are of a drawing")
        for name in (*HEXAPODS, *MECHANISMS)
    ),
    *(
        (
            "check-uf",
            f"check.json.{key}",
            "verdict and statuses are the full model's, of every number of the file",
        )
        for key in ("verdict", "status.*", "combinations")
    ),
    ("check-*", "check.json.standstill", "hexapods' logs are searched for standstill, too"),
    ("check-*", "check.json.rate_shows", "a key that the checks of all machines have now"),
    *(
        ("diagnose-uf", f"diagnosis.json.{key}", _DELAY)
        for key in (
            "contradiction",
            "converged",
            "estimator",
            "fit.adequate",
            "fit.causes",
            "parameter_set",
            "parameters",
            "tolerance_changes",
        )
    ),
    ("diagnose-uf", "outcome.json.exit.0", _DELAY),
    *(
        (f"identify-{name}-*", f"estimate.json.{key}", "files of all machines have these keys now")
        for name in MECHANISMS
        for key in (
            "also",
            "consistent",
            "contradiction",
            "parameter_set",
            "warnings",
            "fit.noise_basis",
            "fit.per_strut",
            "validation.rms_percent.per_strut",
            "validation.rms_percent_raw",
            "validation.without_friction_percent",
            "validation.held_out",
        )
    ),
    *(
        (f"identify-{name}-*", f"estimate.json.{key}", _PULSES)
        for name in MECHANISMS
        for key in (
            "parameters.*",
            "samples",
            "dropped.standing",
            "fit.per_drive.?",
            "validation.nominal_percent",
            "validation.rms_percent.per_drive.?",
            "validation.rms_percent.total",
        )
    ),
    ("identify-mast-late", "estimate.json.parameters", "a log that fits has other combinations"),
    ("identify-mast-late", "estimate.json.fit.causes.0.*", "a cause is told as those of a hexapod"),
    ("identify-epaas-ls", "estimate.json.base.*", _NAMED),
    *(
        ("base-parameters-epaas", f"base.json.expressions.*{key}", _NAMED)
        for key in (".name", ".terms", ".factor")
    ),
    (
        "base-parameters-mast",
        "base.json.expressions.*.factor",
        "the last digit: the kept parameters are pivots first",
    ),
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
