# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Effects that are always estimated, with how large each may well be before the data.

Noise finds an effect only when it has moved values by several deviations already, so none is asked whether it is there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from pkm_identification.machines.contract import Machine
from pkm_identification.machines.knowledge import KnownNumber
from pkm_identification.machines.knowledge.build import NUMBERS
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.parameter_set import ParameterSet

from ..model_errors import friction, inner_joints, sensing, unsearched
from ..model_errors.effect import Effect
from ..model_errors.effects import find_effects
from ..model_errors.forces import DELAY, GAIN, OFFSET
from ..model_errors.geometry import DRIFTS, describe_drifts, name_offset, name_places, name_scale
from ..model_errors.geometry import PLACES as GEOMETRY
from ..model_errors.gravity import NAME as GRAVITY
from ..model_errors.platform import outside_forces, resonance
from ..model_errors.situation import Situation

LEAST_FELT = 1e-9  # of a typical force per unit: less is no motion
LEAST_AMOUNT = 1e-6  # of a large coefficient: where the change is linear
FRICTION = ("friction_transition", "friction_stribeck", "friction_presliding", "friction_asymmetric",
            "friction_load", "friction_position", "friction_square", "joint_friction")  # fmt: skip

# Names of what stands for friction about a reversal, whose law no file has to a hundredth of its transition
NEAR_STANDSTILL = ("friction_transition", "friction_stribeck", "friction_presliding", "reversal")

OUTSIDE = (
    outside_forces.WRENCH, outside_forces.SPRING, outside_forces.DAMPER, outside_forces.FRICTION,
    resonance.NAME, resonance.OF_DRIVES,
)  # fmt: skip
SIDES = "friction_sides"  # widens what is viscous, and is seldom
SHAPES = (sensing.SQUARE, sensing.CUBE, sensing.DEAD_BAND, sensing.CROSS_TALK)


@dataclass(frozen=True)
class Nuisance:
    """One kind of effect: its columns times `directions` (q, p) are those of p unknowns of deviation 1.

    Attributes
    ----------
    effect : Effect
    names : tuple of str
        Of the p unknowns.
    keys : tuple of str
        Of the file's numbers, or the names of what no file has.
    widths : tuple of float
        What a deviation of each is, in `units`.
    units : tuple of str
    directions : ndarray, shape (q, p)
    """

    effect: Effect
    names: tuple[str, ...]
    keys: tuple[str, ...]
    widths: tuple[float, ...]
    units: tuple[str, ...]
    directions: FloatArray

    @property
    def assessed(self) -> bool:
        """Whether one that is large contradicts the file: of friction near standstill and drifts no file tells."""
        return self.effect.name not in (*FRICTION, SIDES, *unsearched.UNWRITTEN, *OUTSIDE, *SHAPES, *DRIFTS)

    def name_cause(self, name: str) -> str:
        """Return what one of its unknowns is called as a cause: all shapes of a law near standstill are one."""
        shapes = self.effect.name in NEAR_STANDSTILL and not self.effect.members
        return self.effect.name if shapes else name

    def columns(self, situations: Sequence[Situation], places: FloatArray | None = None) -> FloatArray:
        """Return the columns (K, n, p) at a situation of each log; `places` are those of `GEOMETRY` if made already."""
        if places is None or self.effect.name != GEOMETRY:
            return np.concatenate([self.effect.columns(one) for one in situations]) @ self.directions
        return places @ self.directions

    def fit_to_motion(self, columns: FloatArray, typical: FloatArray) -> tuple[Nuisance, FloatArray]:
        """Return the effect and its columns (K, n, p), its widths those of what it may well add to typical forces (n,).

        As they are of an effect whose size is known without a motion.
        """
        if not self.effect.of_motion:
            return self, columns
        felt = np.sqrt(np.mean(columns**2, axis=0)) / typical[:, None]
        return self.widen(self.effect.of_motion / np.maximum(np.max(felt, axis=0), LEAST_FELT), columns)

    def widen(self, factors: FloatArray, columns: FloatArray) -> tuple[Nuisance, FloatArray]:
        """Return the effect and its columns (K, n, p), each unknown so many times (p,) as wide."""
        if np.all(factors == 1.0):
            return self, columns
        widths = tuple(float(one) for one in self.widths * factors)
        return replace(self, widths=widths, directions=self.directions * factors), columns * factors

    def columns_at(self, situations: Sequence[Situation], found: FloatArray) -> FloatArray:
        """Return the columns (K, n, p) where the unknowns are about `found` (p,): what those add, per unit."""
        secant = self.effect.secant
        if secant is None:
            return self.columns(situations)
        amounts, least = self.directions @ found, LEAST_AMOUNT * np.array(self.effect.scale)
        amounts = np.where(np.abs(amounts) < least, least, amounts)
        return np.concatenate([secant(one, amounts) for one in situations]) @ self.directions


def list_seldom(machine: Machine) -> list[Nuisance]:
    """Return the effects that a machine can have and seldom has."""
    by_direction = (one for one in friction.effects(machine) if one.name == SIDES)
    effects = (*sensing.effects(machine), *by_direction, describe_drifts(machine))
    return [apply_prior(machine, effect) for effect in effects]


def list_nuisances(machine: Machine, parameters: ParameterSet) -> list[Nuisance]:
    """Return the effects that a machine with these parameters can have."""
    kinds = (DELAY, GAIN, GRAVITY, OFFSET, GEOMETRY, name_offset(machine), name_scale(machine), *FRICTION)
    found = [effect for effect in find_effects(machine, parameters) if effect.name in kinds]
    names = [effect.name for effect in found]
    outside = (*outside_forces.effects(machine), *inner_joints.effects(machine))
    every = (*found, *unsearched.effects(machine), *outside)
    kinds_of, shapes = Counter(effect.name for effect in every), Counter[str]()
    made = []
    for effect in every:
        # joints and zeros of the drives are one effect where joints are known
        if effect.name == name_offset(machine) and GEOMETRY in names:
            continue
        shapes[effect.name] += 1  # of one kind: a grid of transitions has a number for each
        number = shapes[effect.name] if kinds_of[effect.name] > 1 else 0
        made.append(apply_prior(machine, effect, number))
    return [*made, *_list_stated(machine)]


def _list_stated(machine: Machine) -> Iterator[Nuisance]:
    """Yield errors of numbers of which nobody asks unless the file states their width, or guesses them."""
    numbers = {one.key: one for one in machine.knowledge.of_kind(NUMBERS)}
    if numbers:
        keys = tuple(numbers)
        widths = tuple(one.width for one in numbers.values())
        shifts = [
            {path: one.width * factor for path, factor in one.paths.items()} for one in numbers.values()
        ]
        effect = Effect("stated_numbers", "", "", partial(_compute_shifted, shifts), np.ones(len(keys)), "")
        yield Nuisance(effect, keys, keys, widths, ("",) * len(keys), np.eye(len(keys)))


def _compute_shifted(shifts: Sequence[dict[str, float]], situation: Situation) -> FloatArray:
    """Return what each of some numbers of the file, off by its width, would add, (K, n, q)."""
    machine = situation.machine
    added = [situation.of_machine(machine.with_changes(shift), moved=True) for shift in shifts]
    return np.nan_to_num(np.stack(added, axis=2))


def apply_prior(machine: Machine, effect: Effect, first: int = 0) -> Nuisance:
    """Return an effect with what the machine's knowledge says of its coefficients, else with its own scale.

    Coefficients without names are numbered from `first`; a single one that is the only of its kind (0) has its name.
    """
    count = len(effect.scale)
    # a drive has a number, too
    stem = f"{effect.name}_shape" if effect.name in NEAR_STANDSTILL else effect.name
    numbered = tuple(f"{stem}_{max(first, 1) + k}" for k in range(count))
    parts = effect.members or effect.parts or (numbered if count > 1 or first else (effect.name,))
    if first and effect.parts:
        parts = tuple(f"{one}_{first}" for one in parts)
    names = parts if len(set(parts)) == count else tuple(f"{one}_{k + 1}" for k, one in enumerate(parts))
    units = tuple(effect.unit_of(k) for k in range(count))
    known = _find_numbers(machine, effect)
    scale, keys = np.array(effect.scale, dtype=float), names
    if len(known) == count:
        scale, keys = np.array([one.width for one in known]), tuple(one.key for one in known)
        units = tuple(one.unit for one in known)
    directions = np.diag(scale)
    if effect.name == GAIN:  # the common factor is no unknown: no log shows it
        directions = directions - np.outer(np.full(count, 1.0 / count), scale)
    if effect.name == DELAY:
        (common,) = machine.knowledge.of_kind("force_delay")
        directions = np.column_stack([np.full(count, common.width), directions])
        names, keys = (DELAY, *names), (common.key, *keys)
        scale, units = np.array([common.width, *scale]), ("s", *units)
    return Nuisance(effect, names, keys, tuple(scale.tolist()), units, directions)


_KINDS = {
    DELAY: "drive_delay", GAIN: "force_gain", OFFSET: "force_offset", GRAVITY: "gravity_direction",
    "friction_asymmetric": "asymmetry", unsearched.TIME_BASE: "time_base", unsearched.GRAVITY_SIZE: "gravity_size",
}  # fmt: skip


def _find_numbers(machine: Machine, effect: Effect) -> tuple[KnownNumber, ...]:
    """Return the numbers of a machine that an effect's coefficients are errors of; none of what no file has."""
    knowledge = machine.knowledge
    if effect.name in _KINDS:
        return knowledge.of_kind(_KINDS[effect.name])
    if effect.name == name_scale(machine):
        return knowledge.of_kind("coordinate_scale")
    zeros = knowledge.of_kind("coordinate_offset")
    if effect.name == GEOMETRY:
        places = {one.key: one for one in knowledge.of_kind("joint_places")}
        return (*(places[path] for path in name_places(machine).values() if path in places), *zeros)
    return zeros if effect.name == name_offset(machine) else ()
