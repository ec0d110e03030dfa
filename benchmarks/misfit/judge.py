# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What a diagnosis of a log with a known fault is worth."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any

import numpy as np

from pkm_identification.identification.settings import Settings
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.simulation.faults import parse_fault, with_faults
from pkm_identification.simulation.imperfections.setup import Setup

from .cases import Case
from .machines import nominal, truth
from .pairs import Pair
from .runs import Runs, is_earlier

MOVED = 3.0  # deviations by which a shown parameter must move
SEEN = 7.0  # deviations a score needs
REFUSED_UNITS = {"inch": "in"}  # as logs name them, whose reader refuses what cannot be metres or seconds
# Causes that one motion often cannot tell apart; names as faults and diagnoses have them, numbers of struts left out.
FAMILIES = (
    {"force_delay"},
    {"force_gain", "force_unit", "force_sign"},
    {"force_offset", "friction_asymmetric"},
    {"length_unit"},
    {"time_unit"},
    {"exchanged_struts", "exchanged_lengths"},
    {"length_offset", "length_scale", "geometry"},
    {"gravity_direction"},
    {"motor_inertia"},
    {"center_of_mass", "products_of_inertia", "unequal_struts"},
    {"friction_transition", "friction_stribeck", "friction_presliding"},
    {"friction_load", "joint_friction", "friction_position"},
    {"hinge_axis", "hinge_at_platform", "no_spin"},
    {"compliance"},
    {"lost_counts"},
    {"saturation"},
    {"changed_during_log"},
)


def stem(name: str) -> str:
    """A cause without the number of its strut."""
    head, _, last = name.rpartition("_")
    return head if last.isdigit() else name.removesuffix("_friction") if name.startswith("changed") else name


def same_family(a: str, b: str) -> bool:
    """Whether two causes are one, or of a family."""
    a, b = stem(a), stem(b)
    return a == b or any({a, b} <= family for family in FAMILIES)


@dataclass(frozen=True)
class Verdict:
    """One case, judged.

    Attributes
    ----------
    case : Case
    moves : float
        Largest change of a shown parameter by the fault, in its stated deviations; infinite where the log is refused,
        NaN where it could not be simulated.
    score : float
        Size of the fault over the deviation with which it is found, NaN where the diagnosis says neither.
    alarm : bool
    first : str
        The first cause; what was said, where a log was refused.
    rank : int
        Place of the true cause or its family among the causes, from 1; 0: it is not among them.
    cured : float
        Largest error of a shown parameter in its stated deviations with a machine file that knows the fault; NaN where
        no key of the file could.
    mean_square : float
        Of the same errors: 1 is ideal.
    seconds : float
        Processor time of the diagnosis.
    earlier : bool
        Whether an earlier state of the package made the diagnosis.
    """

    case: Case
    moves: float
    score: float
    alarm: bool
    first: str
    rank: int
    cured: float
    mean_square: float
    seconds: float
    earlier: bool

    @property
    def named(self) -> bool:
        """Whether the first cause is the true one, not one of its family."""
        if np.isinf(self.moves):
            return self.rank == 1
        return stem(self.first) == stem(parse_fault(self.case.fault).name)

    @property
    def demanded(self) -> bool:
        """Whether an alarm is asked for: it moves a parameter, and its score is high enough to be seen."""
        return self.moves > MOVED and not self.score < SEEN


@dataclass(frozen=True)
class PairVerdict:
    """Two faults at once, judged.

    Attributes
    ----------
    pair : Pair
    asked : bool
        Whether an alarm is asked for where each of them is alone; if not, they are not tried together.
    alarm : bool
    named : tuple of bool
        Whether the first and the second, or its family, are among the causes.
    causes : tuple of str
    earlier : bool
        Whether an earlier state of the package made the diagnosis of both together.
    """

    pair: Pair
    asked: bool
    alarm: bool
    named: tuple[bool, bool]
    causes: tuple[str, ...]
    earlier: bool = False


def judge(runs: Runs, case: Case) -> Verdict:
    """Simulate, diagnose and judge one case (or read it)."""
    right, wrong = runs.right(case.machine), runs.case(case)
    fault = parse_fault(case.fault)
    earlier = is_earlier(wrong)
    if wrong["code"] is None:
        return Verdict(case, np.nan, np.nan, False, wrong["said"], 0, np.nan, np.nan, 0.0, earlier)
    document = wrong["document"]
    fit = document.get("fit") if document else None
    if fit is None:
        # without the file's name, which has the fault's in it
        said = " ".join(word for word in wrong["said"].split() if case.key not in word)
        unit = case.fault.partition("=")[2]
        named = stem(fault.name) in said or f"--units {REFUSED_UNITS.get(unit, unit)}" in said
        return Verdict(
            case,
            np.inf,
            np.nan,
            wrong["code"] != 0,
            said,
            int(named),
            np.nan,
            np.nan,
            wrong["seconds"],
            earlier,
        )
    causes = fit["causes"]
    ranks = [
        n for n, names in enumerate(_families(fit), 1) if any(same_family(fault.name, name) for name in names)
    ]
    return Verdict(
        case,
        _moves(right["document"], document),
        _score(fault.name, abs(_size(case)), fit),
        not fit["adequate"],
        causes[0]["name"] if causes else "",
        ranks[0] if ranks else 0,
        *_cured(runs, case),
        wrong["seconds"],
        earlier,
    )


def judge_pair(runs: Runs, pair: Pair) -> PairVerdict:
    """Simulate, diagnose and judge two faults at once (or read it), if each alone asks for an alarm."""
    if not all(judge(runs, case).demanded for case in (pair.first, pair.second)):
        return PairVerdict(pair, False, False, (False, False), ())
    found = runs.pair(pair)
    possible = found["code"] is not None
    document = found["document"]
    fit = document.get("fit") if document else None
    if fit is None:
        return PairVerdict(pair, possible, bool(found["code"]), (False, False), (), is_earlier(found))
    families = [name for names in _families(fit) for name in names]
    first, second = (
        any(same_family(parse_fault(text).name, name) for name in families) for text in pair.faults
    )
    causes = tuple(cause["name"] for cause in fit["causes"])
    return PairVerdict(pair, True, not fit["adequate"], (first, second), causes, is_earlier(found))


def _families(fit: dict[str, Any]) -> list[list[str]]:
    """Each cause with those that the data could not tell from it."""
    return [[cause["name"]] for cause in fit["causes"]]


def _size(case: Case) -> float:
    fault = parse_fault(case.fault)
    value = float(np.linalg.norm(fault.numbers))
    return value - 1.0 if fault.kind.name in ("force_gain", "length_scale") else value


def _moves(right: dict[str, Any], wrong: dict[str, Any]) -> float:
    """Of what the right log shows, in its stated deviations; by the whole state: what is in doubt is not shown."""
    if right["state"] is None or wrong["state"] is None:
        return float("nan")
    before, after = (
        dict(zip(each["state"]["names"], each["state"]["mean"], strict=True)) for each in (right, wrong)
    )
    changes = [
        abs(after[entry["name"]] - before[entry["name"]]) / entry["std"]
        for entry in right["parameters"]
        if entry["value"] is not None and entry["std"] and entry["name"] in after
    ]
    return max(changes, default=float("nan"))


def _score(name: str, size: float, fit: dict[str, Any]) -> float:
    for cause in (*fit["causes"], *fit.get("remarks", ())):
        if stem(cause["name"]) == stem(name) and cause["value"] is not None and cause["std"]:
            one = 1.0 if stem(name) in ("force_gain", "length_scale") else 0.0
            return abs(cause["value"] - one) / cause["std"]
    for unseen in fit.get("unseen", ()):
        if unseen["name"] == (f"{stem(name)}_N" if stem(name) != name else name) and unseen["above"]:
            return SEEN * size / unseen["above"]
    return float("nan")


def _cured(runs: Runs, case: Case) -> tuple[float, float]:
    """Largest error and mean square of the errors."""
    file = cured_file(case)
    document = None if file is None else runs.cured(case, file)["document"]
    if document is None:
        return np.nan, np.nan
    parameters = Settings().parameter_set(truth(case.machine))
    true = dict(zip(parameters.names, parameters.nominal, strict=True))
    errors = [
        abs(entry["value"] - true[entry["name"]]) / entry["std"]
        for entry in document["parameters"]
        if entry["value"] is not None and entry["std"] and entry["name"] in true
    ]
    return (max(errors), float(np.mean(np.square(errors)))) if errors else (np.nan, np.nan)


def cured_file(case: Case) -> Machine | None:
    """The machine file that knows the fault as it is; None where no key can say it."""
    fault = parse_fault(case.fault)
    document = copy.deepcopy(nominal(case.machine).document)
    drive, value = document["drive"], fault.numbers[0]
    if fault.name == "force_delay":
        drive["force_delay"] = value
    elif fault.kind.name == "force_gain":
        drive["force_gain"] = [value if k in fault.struts else 1.0 for k in range(6)]
    elif fault.kind.name == "force_offset":
        drive["force_offset"] = [value if k in fault.struts else 0.0 for k in range(6)]
    elif fault.kind.name == "gravity_direction":
        machine = with_faults(Setup.of(nominal(case.machine)), [fault]).machine
        document["gravity"] = machine.gravity.tolist()
    elif fault.kind.name == "motor_inertia":
        made = nominal(case.machine).drive
        assert made is not None
        drive["motor"]["inertia"] = value / (2 * np.pi * made.gear_ratio / made.screw_lead) ** 2
    elif fault.kind.name == "friction_transition":
        document["friction"]["transition_rate"] = value
    else:
        return None
    return Machine.from_document(document)
