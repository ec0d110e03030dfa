# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What a model error is: columns that it adds to the forces, how large it may well be, and what to do about it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from pkm_identification.machines.contract import Machine
from pkm_identification.numerics.arrays import FloatArray

from .situation import Situation

Columns = Callable[[Situation], FloatArray]
LARGEST_SHARE = 0.75  # of a force: a larger share turns it round


@dataclass(frozen=True)
class Effect:
    """One kind of error of model or log: what it would add to the forces.

    Attributes
    ----------
    name : str
        As in estimate.json; of the whole kind.
    family : str
        Kinds of one family look alike in most motions.
    unit : str
        Of all coefficients; of those of drives with other units `units`.
    columns : callable (Situation) -> ndarray, shape (K, n, q)
        Force in the band per unit of each coefficient.
    scale : ndarray, shape (q,)
        What a large coefficient is: standard deviation of its prior.
    correction : str
        What to do, for a person; `{name}` stands for the cause's own name.
    correction_of_one : str
        What to do where a single member is the cause, if that is something else.
    members : tuple of str
        Names of the single coefficients where each is a cause of its own, as `force_gain_4`; empty where the
        coefficients only make sense together.
    common : str
        Name of the cause in which all members have one coefficient in common; empty where there is none.
    offset : float
        What the coefficients are added to: 1 for a factor.
    reading : callable (value, std) -> (value, std), optional
        What the coefficient means in the effect's unit where it is not in that unit itself.
    linear : bool
        Whether its columns do not depend on the estimate; else they are made anew until they agree.
    parts : tuple of str
        What single coefficients are called that are no causes of their own; empty where they have no names.
    positive : bool
        Whether a single coefficient cannot be negative.
    secant : callable (Situation, values) -> ndarray, shape (K, n, q), or None
        Columns of coefficients that are not linear: what these values (q,) add, each per unit of it.
    directions : ndarray, shape (B, q), or None
        What the coefficients do to the model's basis, where the columns are those of the model.
    units : tuple of str
        Of each member, where they differ; else empty.
    least, largest : float
        What no machine has less and more of, in the coefficients' units.
    of_motion : float
        Share of a typical force that each of its columns may well add in the motion at hand, times `scale`; 0: what it
        may add is known without one.
    """

    name: str
    family: str
    unit: str
    columns: Columns
    scale: FloatArray
    correction: str
    members: tuple[str, ...] = ()
    common: str = ""
    offset: float = 0.0
    reading: Callable[[float, float], tuple[float, float]] | None = None
    linear: bool = False
    parts: tuple[str, ...] = ()
    directions: FloatArray | None = None
    correction_of_one: str = ""
    positive: bool = False
    units: tuple[str, ...] = ()
    secant: Callable[[Situation, FloatArray], FloatArray] | None = None
    of_motion: float = 0.0
    least: float = -np.inf
    largest: float = np.inf

    def read(self, value: float, std: float) -> tuple[float, float]:
        """Return what a coefficient and its deviation mean in the effect's unit, without `offset`."""
        return (value, std) if self.reading is None else self.reading(value, std)

    def unit_of(self, member: int) -> str:
        """Return the unit of one coefficient."""
        return self.units[member] if self.units else self.unit


def name_drives(name: str, machine: Machine) -> tuple[str, ...]:
    """Return the names of the drives' own errors of a kind."""
    return tuple(f"{name}_{drive.label}" for drive in machine.drives)


def name_units(machine: Machine) -> list[tuple[str, int]]:
    """Return for each unit of the drives the end of its names, empty where there is one unit, and its first drive."""
    units = [drive.unit for drive in machine.drives]
    several = len(set(units)) > 1
    return [(f"_{unit}" if several else "", units.index(unit)) for unit in dict.fromkeys(units)]


def group_drives(machine: Machine) -> FloatArray:
    """Return which drives have which unit, (n, units): 1 or 0, units in the order of `name_units`."""
    units = [drive.unit for drive in machine.drives]
    return np.array([[float(unit == units[first]) for _, first in name_units(machine)] for unit in units])


def units_of_drives(machine: Machine, pattern: str) -> dict[str, str | tuple[str, ...]]:
    """Return `unit` and `units` of an effect, of a pattern with {force} and {coordinate}."""
    units = tuple(pattern.format(force=drive.force_unit, coordinate=drive.unit) for drive in machine.drives)
    return {"unit": units[0]} if len(set(units)) == 1 else {"unit": "", "units": units}


def describe_correction(machine: Machine, key: str) -> str:
    """Return what to do: what a key of the file has, of machines whose files have it, or to estimate it."""
    if machine.states_reports:
        return f"{key} in the machine file, or estimate it with --also {{name}}"
    return "Estimate it with --also {name}"


def typical_force(machine: Machine) -> FloatArray:
    """Return a typical force of each drive, (n,): what its bodies need, or friction if there is more of that."""
    return np.maximum(machine.force_size, np.concatenate([one.coulomb for one in machine.friction]))


def find_passive_friction(machine: Machine) -> float:
    """Return the share of a typical force that friction of what no drive moves may well take."""
    (number,) = machine.knowledge.of_kind("passive_friction")
    return float(number.width)


def number_coefficients(name: str, count: int = 6) -> tuple[str, ...]:
    """Return the names of single coefficients, by number."""
    return tuple(f"{name}_{i + 1}" for i in range(count))


def repeat_prior(scale: float, count: int = 6) -> FloatArray:
    """Return the same prior for all coefficients."""
    return np.full(count, float(scale))
