# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What a wrong number of the file does to values before the data contradict it: external reliability (Baarda 1968)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pkm_identification.estimation.posterior.thresholds import (
    LARGEST_ERROR,
    LARGEST_FACTOR,
    LARGEST_MISPLACEMENT,
    MAX_CONFLICT,
    MAX_UNNOTICED,
)
from pkm_identification.machines.knowledge.records import DEFAULT
from pkm_identification.numerics.arrays import FloatArray

from .conflicts import LEAST_SEEN, PLACES
from .like_bodies import find_differences, find_unnoticed_spread
from .posterior import Posterior
from .unknowns import Unknown


@dataclass(frozen=True)
class Reliability:
    """See the module; r values.

    Attributes
    ----------
    numbers : ndarray of int, shape (r,)
        Which of the unknowns moves a value most.
    shifts : ndarray, shape (r,)
        By how much, where it is off by as much as the data let pass.
    slopes : ndarray, shape (r,)
        By how much for each width that it is off by.
    """

    numbers: NDArray[np.int64]
    shifts: FloatArray
    slopes: FloatArray


def find_reliability(posterior: Posterior, moved: FloatArray, deviations: FloatArray) -> Reliability:
    """Return which number of the file, off without being noticed, moves each value most.

    A number k that is off by one width w moves the statistics of `find_conflicts` to (1 - P) e_k over their deviations,
    and value j by (P L)_jk: it is noticed at MAX_CONFLICT. None is taken to be off by more than LARGEST_ERROR widths,
    or LARGEST_MISPLACEMENT. Bodies made alike may all differ by more than stated: values then scatter by as many widths
    of all their numbers. A joint that is elsewhere is off in all its coordinates, the way that moves a value most.

    Parameters
    ----------
    posterior : Posterior
    moved : ndarray, shape (r, p)
        What a width of each unknown moves the values by.
    deviations : ndarray, shape (r,)
        Of the values: what moves one by less than MAX_UNNOTICED of its own is not looked for among joints.
    """
    assessed = np.flatnonzero([one.assessed for one in posterior.model.unknowns])
    numbers, errors = _list_errors(posterior, assessed)
    noticed = _find_noticed(posterior, errors)[:, assessed]
    most = np.max(np.abs(noticed), axis=1, initial=0.0)
    largest = _list_largest_widths(posterior)
    slopes = moved @ errors.T
    shifts = np.abs(slopes) * np.minimum(MAX_CONFLICT / np.maximum(most, 1e-300), largest[numbers])
    worst = np.argmax(shifts, axis=1)
    rows = np.arange(len(moved))
    numbers, shifts, slopes = numbers[worst], shifts[rows, worst], slopes[rows, worst]
    apart = find_differences(posterior.model)
    if len(apart):  # many that are off a little, of which none is noticed
        each = moved[:, apart]
        together = np.sqrt(np.sum(each**2, axis=1))
        its_shifts = together * find_unnoticed_spread(
            posterior.model, posterior.mode, posterior.own_deviations
        )
        more = its_shifts > shifts
        numbers[more] = apart[np.argmax(np.abs(each[more]), axis=1)]
        shifts[more], slopes[more] = its_shifts[more], together[more]
    for own in _list_joints(posterior):
        noticed = _find_noticed(posterior, np.eye(moved.shape[1])[own])[:, assessed]
        counts = np.maximum(shifts, MAX_UNNOTICED * deviations)
        its_shifts = _find_displaced(moved, own, noticed, largest[own], counts)
        more = its_shifts > shifts
        numbers[more] = own[np.argmax(np.abs(moved[more][:, own]), axis=1)]
        shifts[more], slopes[more] = its_shifts[more], moved[more, numbers[more]]
    return Reliability(numbers, shifts, slopes)


def _find_noticed(posterior: Posterior, errors: FloatArray) -> FloatArray:
    """Return the deviations (E, p) by which numbers off by so many widths (E, p) move all unknowns from the file."""
    seen = np.maximum(posterior.own_deviations, LEAST_SEEN)
    return np.asarray((errors - errors @ posterior.mode.covariance) / seen)


def _find_displaced(
    moved: FloatArray, own: NDArray[np.int64], noticed: FloatArray, largest: FloatArray, counts: FloatArray
) -> FloatArray:
    """Return what numbers `own` (q,), all off at once, move values (r,) by at most before one is noticed.

    Where that cannot be more than `counts` (r,), it is 0. Of each number are known the deviations (q, a) by which a
    width of it is noticed, and its `largest` widths (q,).
    """
    from scipy.optimize import linprog  # slow to load

    found = np.zeros(len(moved))
    slopes = moved[:, own]
    limits, bounds = np.vstack([noticed.T, -noticed.T]), [(-one, one) for one in largest.tolist()]
    for j in np.flatnonzero(np.abs(slopes) @ largest > counts):
        worst = linprog(-slopes[j], limits, np.full(len(limits), MAX_CONFLICT), bounds=bounds)
        found[j] = -(worst.fun or 0.0)
    return found


def _list_joints(posterior: Posterior) -> list[NDArray[np.int64]]:
    """Return which unknowns are the coordinates of each joint's places."""
    keys = [one.key if one.assessed else "" for one in posterior.model.unknowns]
    joints = posterior.equations.machine.joint_places.values()
    found = [np.array([k for k, key in enumerate(keys) if key in set(paths)]) for paths in joints]
    return [own for own in found if len(own)]


def _list_largest_widths(posterior: Posterior) -> FloatArray:
    """Return the widths that each unknown (p,) may be off by."""
    knowledge = posterior.equations.machine.knowledge
    numbers = [one for kind in (*PLACES, "coordinate_scale") for one in knowledge.of_kind(kind)]
    unmeasured = {one.key for one in numbers if one.how in (DEFAULT, "cad")}
    unknowns = posterior.model.unknowns
    return np.array([LARGEST_MISPLACEMENT if one.key in unmeasured else LARGEST_ERROR for one in unknowns])


def _list_errors(posterior: Posterior, assessed: NDArray[np.int64]) -> tuple[NDArray[np.int64], FloatArray]:
    """Return numbers (E,) that are off, and by how many widths all are then (E, p), per width of that number.

    A mass may be off with the moments of its body, or without them. What is not linear, as a centre of mass in the
    moments about a joint, is as LARGEST_ERROR widths either way have it, and is taken for what of all it is most like.
    """
    model, mode = posterior.model, posterior.mode
    unit = np.eye(model.width)
    numbers, errors = list(assessed[assessed >= model.bent]), list(unit[assessed[assessed >= model.bent]])
    bent = [
        (k, sign * (unit[k] + off))
        for k in assessed[assessed < model.bent]
        for off in (np.zeros(model.width), *model.hold_moments(unit[k], [model.unknowns[k].key]))
        for sign in (1.0, -1.0)
    ]
    if bent:
        off = np.array([one for _, one in bent])
        sizes = np.array([_find_largest_error(model.unknowns[k]) for k, _ in bent])
        there = np.array(
            [model.compute(mode.unknowns + size * one)[0] for size, one in zip(sizes, off, strict=True)]
        )
        beyond = (there - mode.values) / sizes[:, None] - off @ mode.slope.T
        errors += list(off + np.linalg.lstsq(mode.slope, beyond.T)[0].T)
        numbers += [k for k, _ in bent]
    return np.array(numbers), np.array(errors)


def _find_largest_error(unknown: Unknown) -> float:
    """Return the widths by which a number may be off: of what is log-normal not more than LARGEST_FACTOR times."""
    if unknown.unit != "%":
        return LARGEST_ERROR
    return min(LARGEST_ERROR, float(np.log(LARGEST_FACTOR)) / (0.01 * unknown.width))
