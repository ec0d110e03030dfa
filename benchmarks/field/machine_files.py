# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Machine files with one number in another unit, and right ones: refused with the unit named, or loaded.

`python -m benchmarks.field.machine_files [--seed N] [--count N]` draws machines anew, puts one unit mistake after the
other at each of their numeric keys, and prints how many are refused, how many with the right unit, and how many load.
Guesses of the assembly are turned by some degrees, and home must stay in its mode.
"""

from __future__ import annotations

import argparse
import copy
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from pkm_identification.errors import MachineError
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.mechanisms.multibody.mechanism import Mechanism

from .drawn_machines import Document, draw_hexapod, draw_mechanism

# How many of a wrong unit make one of the SI unit
LENGTH = {"mm": 1e3, "cm": 1e2}
MASS = {"g": 1e3, "t": 1e-3}
INERTIA = {"kg mm^2": 1e6, "kg cm^2": 1e4, "g mm^2": 1e9, "g cm^2": 1e7}
SPEED = {"mm/s": 1e3}
GRAVITY = {"mm/s^2": 1e3, "cm/s^2": 1e2, "g": 1 / 9.80665}
DEGREES = {"degrees": 180 / np.pi}
HEXAPOD_KEYS = {
    "gravity": GRAVITY,
    "geometry.base_joints": LENGTH,
    "geometry.platform_joints": LENGTH,
    "geometry.home.position": LENGTH,
    "geometry.length_limits": LENGTH,
    "geometry.rate_limit": SPEED,
    "platform.mass": MASS,
    "platform.center_of_mass": LENGTH,
    "platform.inertia": INERTIA,
    **{f"strut.body_{body}.{key}": units for body in "be" for key, units in (
        ("mass", MASS), ("center_of_mass", LENGTH), ("inertia", INERTIA))},
    "friction.transition_rate": SPEED,
    "drive.encoder.counts_per_meter": {"counts/mm": 1e-3},
    "drive.encoder.length_at_zero": {"mm": 1e3},
    "drive.motor.screw_lead": {"mm": 1e3},
    "drive.motor.inertia": {"kg cm^2": 1e4},
}  # fmt: skip
PERTURBED = 4.0  # deg of a guess, standard deviation


@dataclass(frozen=True)
class Case:
    """A machine file and what is wanted of it.

    Attributes
    ----------
    document : dict
    key, unit : str
        Where the mistake is and which unit the number is in; empty of a right file.
    """

    document: Document
    key: str = ""
    unit: str = ""

    @property
    def load(self) -> type[Machine] | type[Mechanism]:
        return Mechanism if "kind" in self.document else Machine


def cases(seed: int) -> Iterator[Case]:
    """Yield one drawn hexapod and one drawn mechanism, right, then with every unit mistake at every key."""
    rng = np.random.default_rng(seed)
    hexapod, mechanism = draw_hexapod(rng), draw_mechanism(rng)
    for made, keys in ((hexapod, HEXAPOD_KEYS), (mechanism, mechanism_keys(mechanism))):
        yield Case(made)
        for key, units in keys.items():
            for unit, factor in units.items():
                wrong = in_unit(made, key, factor)
                if wrong is not None:
                    yield Case(wrong, key, unit)


def mechanism_keys(made: Document) -> dict[str, dict[str, float]]:
    """Return the numeric keys of a mechanism's file with the units they may be mistaken in."""
    keys: dict[str, dict[str, float]] = {"gravity": GRAVITY} if "gravity" in made else {}
    for name in made["bodies"]:
        keys |= {f"bodies.{name}.mass": MASS, f"bodies.{name}.inertia": INERTIA}
        keys[f"bodies.{name}.center_of_mass"] = LENGTH
    for name, joint in made["joints"].items():
        keys |= {f"joints.{name}.place.{k}": {"mm": 1e3} for k in range(2) if "place" in joint}
        if name in made["home"].get("guess", {}):
            keys[f"home.guess.{name}"] = {"mm": 1e3} if joint["type"] == "prismatic" else DEGREES
    for name, drive in made["drives"].items():
        units = {"mm": 1e3} if made["joints"][drive["joint"]]["type"] == "prismatic" else DEGREES
        keys |= {f"drives.{name}.limits": units, f"home.drives.{name}": units}
    return keys


def in_unit(made: Document, key: str, factor: float) -> Document | None:
    """Return the file with the numbers at a key times a factor; None where they are zero or not there."""
    wrong = copy.deepcopy(made)
    place: Any = wrong
    *parents, last = (int(part) if part.isdigit() else part for part in key.split("."))
    for part in parents:
        place = place[part]
    if not isinstance(last, int) and last not in place:
        return None
    values = np.array(place[last], dtype=float)
    if not values.any():
        return None
    scaled = (values * factor).tolist()
    place[last] = scaled if "kind" not in made else _as_text(scaled)
    return wrong


def _as_text(value: Any) -> Any:
    return [_as_text(one) for one in value] if isinstance(value, list) else f"{value:.9g}"


def judge(case: Case) -> tuple[str, str]:
    """Return what is said of a file: 'loads', 'unit' (refused, the unit named), 'refused'; and the message."""
    try:
        case.load.from_document(case.document)
    except MachineError as error:
        message = str(error)
        return ("unit" if case.unit and _is_named(case.unit, message) else "refused"), message
    return "loads", ""


def _is_named(unit: str, message: str) -> bool:
    """Whether a message asks for this very unit, as in '; mm or cm?' and 'limits in degrees?'."""
    return re.search(rf"(; |in | or ){re.escape(unit)}(\?| or )", message) is not None


def perturbed_guess(made: Document, rng: np.random.Generator) -> Document:
    """Return the file with its guessed angles turned by some degrees and the driven joints' guesses left out or not."""
    other = copy.deepcopy(made)
    guess = other["home"]["guess"]
    driven = {drive["joint"] for drive in other["drives"].values()}
    for name, values in list(guess.items()):
        if name in driven and rng.random() < 0.5:
            del guess[name]
        elif other["joints"][name]["type"] != "prismatic":
            turned = np.atleast_1d(np.array(values, dtype=float))
            turned = turned + np.radians(PERTURBED) * rng.normal(size=turned.shape)
            guess[name] = _as_text(turned.tolist())
    return other


def count_modes(seed: int, count: int) -> Counter[str]:
    """Return how many perturbed guesses lead to the mode of the exact one, and how many to another."""
    found: Counter[str] = Counter()
    for k in range(count):
        rng = np.random.default_rng([seed, k])
        made = draw_mechanism(rng)
        if "guess" not in made["home"]:
            continue
        right = Mechanism.from_document(made)
        other = Mechanism.from_document(perturbed_guess(made, rng))
        same = np.allclose(right.home, other.home, atol=1e-6)
        found["same mode" if same else "other mode"] += 1
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=40, help="of hexapods, and of mechanisms (default: 40)")
    options = parser.parse_args()
    table: dict[tuple[str, str], Counter[str]] = {}
    for k in range(options.count):
        for case in cases(1000 * options.seed + k):
            said, message = judge(case)
            kind = "mechanism" if "kind" in case.document else "hexapod"
            key = (
                ".".join(case.key.split(".")[:1] + case.key.split(".")[2:3])
                if kind == "mechanism"
                else case.key
            )
            table.setdefault((f"{kind} {key}" if key else f"{kind}, right file", case.unit), Counter())[
                said
            ] += 1
            if not case.unit and said != "loads":
                print(f"falsely refused: {message}")
    print(f"{'case':<44} {'unit':<10} {'wanted':<8} unit named  refused  loads")
    for (case_name, unit), counts in table.items():
        wanted = "refused" if unit else "loads"
        print(
            f"{case_name:<44} {unit:<10} {wanted:<8} {counts['unit']:>10} {counts['refused']:>8} {counts['loads']:>6}"
        )
    print("assembly:", dict(count_modes(options.seed, options.count)))


if __name__ == "__main__":
    main()
