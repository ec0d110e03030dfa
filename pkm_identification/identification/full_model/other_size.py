# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Whether the machine may be longer or shorter than its file says, by how gravity's part of the forces comes out.

Forces of a machine whose drives turn are the same with all lengths l times as large, all masses 1/l^2 times, in gravity
l times as large: gravity that is none on Earth says that the lengths are another machine's. Where the platform weighs
most, a constant force on it along gravity says nearly the same, and both are compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pkm_identification.estimation.posterior.mode import Mode, find_mode
from pkm_identification.estimation.posterior.status import KnownValue, Leaning
from pkm_identification.estimation.posterior.thresholds import (
    LARGEST_GRAVITY_CHANGE,
    MAX_COMMON_CONFLICT,
    MAX_CONFLICT,
    MAX_FLOOR_RATIO,
    MAX_PLACE_CONFLICT,
    POSSIBLE,
)
from pkm_identification.estimation.posterior.verdict import Conflict
from pkm_identification.machines.knowledge.records import WIDTH
from pkm_identification.numerics.arrays import FloatArray

from ..model_errors.platform.outside_forces import WRENCH
from ..model_errors.unsearched import GRAVITY_SIZE
from .conflicts import LEAST_SEEN
from .like_bodies import find_differences
from .posterior import FREEDOM, STEPS, Posterior, build_model
from .unknowns import Unknown
from .views import Views

ANY = 100.0  # stated widths of gravity's size where it stands for lengths: 10 %
MASSES = 0.3  # by which all masses may be off in common
LEAST_ASKED = 1.0  # stated widths of a force: what is less explains no other size
LENGTHS = "tolerances.joint_places"
POWERS = {"kg": -2, "kg m": -1}  # of the lengths, in what forces that are the same make of a body's numbers


@dataclass(frozen=True)
class OtherSize:
    """A machine of another size than its file's, by a log that a force on the platform explains as well.

    Attributes
    ----------
    times : float
        How many times as long as in its file the machine is then.
    conflict : Conflict
        By how many deviations the log and all other numbers of the file prefer that to the force.
    moved : ndarray, shape (r,)
        How much larger the values may be then, at the farthest size that is possible.
    """

    times: float
    conflict: Conflict
    moved: FloatArray

    @property
    def sentence(self) -> str:
        """That either may be."""
        return (
            f"A constant force on the platform explains this log, and so do lengths {self.times:.3g} times the "
            f"file's, with other values. Measure one length, and state `{LENGTHS}`."
        )

    def matters(self, values: Sequence[KnownValue]) -> bool:
        """Return whether any of the values leans on the lengths."""
        return any(one.key == LENGTHS for value in values for one in value.rests_on[:1])

    def find_leaning(self, moved: float, std: float) -> Leaning:
        """Return how a value that is so much larger then, of that deviation, leans on the lengths."""
        return Leaning(LENGTHS, min((moved / std) ** 2, 1.0), 0.01 * moved / (self.times - 1.0), "%")


def find_size_of_gravity(posterior: Posterior, ratio: float) -> float | None:
    """Return how many times as long as in its file the machine is by gravity's size; None where that is the file's.

    Parameters
    ----------
    posterior : Posterior
    ratio : float
        Of residual and noise: an error of the model moves gravity, too.
    """
    k = _find_gravity(posterior)
    if k is None:
        return None
    off, unknown = float(posterior.mode.unknowns[k]), posterior.model.unknowns[k]
    seen = 1.0 - float(posterior.mode.covariance[k, k])  # by the data, the rest by the file's width
    limit = MAX_PLACE_CONFLICT if ratio > MAX_FLOOR_RATIO else MAX_CONFLICT
    if abs(off) <= limit * max(posterior.own_deviations[k], LEAST_SEEN):
        return None
    return _compute_times(posterior, off * unknown.width / seen)


def find_size_or_force(posterior: Posterior, views: Views, ratio: float) -> OtherSize | None:
    """Return the size that explains a log as well as, or better than, a force on the platform; None without a force.

    Both are priced by what they leave of the log and how far they put the file's numbers off, the force also by
    Student's distribution; lengths may be anything, unless the file says that they were measured.

    Parameters
    ----------
    posterior : Posterior
    views : Views
        Values, r of them.
    ratio : float
        Of residual and noise.
    """
    k, full = _find_gravity(posterior), posterior.equations
    first = len(posterior.model.unknowns) - len(full.effect_widths)
    kinds = [one.effect.name for one in full.nuisances for _ in one.names]
    force = np.flatnonzero([name == WRENCH for name in kinds])
    if k is None or not len(force) or _are_lengths_known(posterior):
        return None
    widened = np.array([one.widened for one in posterior.model.unknowns[first:]])
    if np.max(np.abs(posterior.mode.unknowns[first:] * widened)[force]) < LEAST_ASKED:
        return None
    stated = np.ones(len(force))
    pulled = _find_mode(posterior, k, 1.0, force, [widened[force]])
    longer = _find_mode(posterior, k, ANY, force, [widened[force], stated])
    share = _find_white_share(posterior, k)
    evidence, preferred = share * (pulled.cost - longer.cost), share * (pulled.rest - longer.rest)
    other = longer.mode
    times = _compute_times(posterior, float(other.unknowns[k]) * ANY * posterior.model.unknowns[k].width)
    if times is None or evidence < POSSIBLE**2 or preferred < -(POSSIBLE**2):
        return None
    limit = MAX_PLACE_CONFLICT if ratio > MAX_FLOOR_RATIO else MAX_COMMON_CONFLICT
    off = float(np.copysign(np.sqrt(max(preferred, 0.0)), 1.0 - times))
    conflict = Conflict(posterior.model.unknowns[k].key, off, limit)
    std = float(np.sqrt(other.covariance[k, k]) / abs(other.unknowns[k]))
    farthest = (1.0 + POSSIBLE * std) * _move_values(posterior, views, other, times)
    return OtherSize(times, conflict, farthest)


def _find_gravity(posterior: Posterior) -> int | None:
    names = [one.name for one in posterior.model.unknowns]
    return names.index(GRAVITY_SIZE) if GRAVITY_SIZE in names else None


def _compute_times(posterior: Posterior, change: float) -> float | None:
    """Return the lengths that gravity larger by `change`, m/s^2, stands for; None where it may be so on Earth."""
    change = change / float(np.linalg.norm(posterior.equations.machine.gravity))
    return 1.0 / (1.0 + change) if abs(change) > LARGEST_GRAVITY_CHANGE and change > -1.0 else None


def _are_lengths_known(posterior: Posterior) -> bool:
    """Return whether the file says that its joints were measured, or drives' coordinates measure lengths."""
    machine = posterior.equations.machine
    known = [one.how in (WIDTH, "measured") for one in machine.knowledge.of_kind("joint_places")]
    return all(known) or any(drive.unit != "rad" for drive in machine.drives)


def _find_white_share(posterior: Posterior, number: int) -> float:
    """Return the share that white noise is of what an unknown may be off by if the file is right."""
    covariance, unit = posterior.mode.covariance, np.eye(len(posterior.mode.unknowns))[number]
    white = float(covariance[number, number] - covariance[number] @ covariance[number])
    scatter = max(float(posterior.blocks.jackknife(unit[None])[0]) - white, 0.0)
    seen = 1.0 - float(covariance[number, number])
    return seen / max(seen + scatter, 1e-300)


@dataclass(frozen=True)
class _Explained:
    """A mode, its cost with a force priced by Student's distribution, and without what the force costs."""

    mode: Mode
    cost: float
    rest: float


def _find_mode(
    posterior: Posterior, gravity: int, width: float, force: NDArray[np.int64], starts: Sequence[FloatArray]
) -> _Explained:
    """Return the mode of the lowest cost where gravity is so many times as wide as stated, masses by any one factor.

    Masses of another machine are others; which they are in common says nothing of its lengths.

    Parameters
    ----------
    posterior : Posterior
    gravity : int
        Which of the unknowns.
    width : float
    force : ndarray of int
        Which of the effects.
    starts : sequence of ndarray
        Widths of the force, over stated ones, at first.
    """
    full, unknowns = posterior.equations, posterior.model.unknowns
    first = len(unknowns) - len(full.effect_widths)
    stated = np.array([one.widened for one in unknowns[first:]])
    spread = float(posterior.model.list_widened()[find_differences(posterior.model)].max(initial=1.0))
    together = np.zeros(full.columns.shape[2])
    together[: full.basis] = np.where(_list_of_bodies(posterior), MASSES * posterior.basis, 0.0)
    found = []
    for start in starts:
        there, widths = np.append(posterior.mode.unknowns, 0.0), stated
        own = start
        for _ in range(2):
            before, widths = widths, widths.copy()
            widths[gravity - first], widths[force] = width, own
            there[first:-1] *= before / widths
            model = build_model(full, widths, spread, posterior.motors)
            model.add(Unknown("masses", "masses", MASSES, assessed=False), together)
            mode = find_mode(model, posterior.normal, [there], STEPS)
            there = mode.unknowns.copy()
            large = float(np.sum((there[first:-1] * widths)[force] ** 2))
            own = np.full(len(force), max(np.sqrt((FREEDOM + large) / (FREEDOM + len(force))), 1.0))
        rest = mode.cost - float(np.sum(there[first:-1][force] ** 2))
        price = (FREEDOM + len(force)) * float(np.log1p(large / FREEDOM))
        found.append(_Explained(mode, rest + price, rest))
    return min(found, key=lambda one: one.cost)


def _list_of_bodies(posterior: Posterior) -> NDArray[np.bool_]:
    return np.any([np.any(rows, axis=1) for rows in posterior.equations.machine.rows_of_bodies], axis=0)


def _move_values(posterior: Posterior, views: Views, other: Mode, times: float) -> FloatArray:
    """Return how much larger values (r,) of a machine so many times as long are, whose mode is another."""
    basis = posterior.equations.machine.basis
    factors = np.array([times ** POWERS.get(entry.unit, 0) for entry in basis])
    grown = 1.0 + MASSES * other.unknowns[-1]
    masses = [grown * one for _, one, _ in posterior.model.compute_hidden_masses(other.unknowns[:-1])]
    moved = views.factors @ (factors * other.values[: len(basis)] - posterior.basis)
    hidden = times ** POWERS["kg"] * np.array(masses) - views.values[len(moved) :]
    return np.concatenate([moved, hidden])
