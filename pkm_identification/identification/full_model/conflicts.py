# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Which numbers of the file the data contradict."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pkm_identification.estimation.posterior.thresholds import (
    CHECKED_GAIN,
    MAX_COMMON_CONFLICT,
    MAX_CONFLICT,
    MAX_FLOOR_RATIO,
    MAX_PLACE_CONFLICT,
    MOST_OF_MISFIT,
)
from pkm_identification.estimation.posterior.verdict import Conflict
from pkm_identification.machines.knowledge import KnownNumber
from pkm_identification.machines.knowledge.bodies import ALIKE_KEY
from pkm_identification.machines.knowledge.records import WIDTH
from pkm_identification.numerics.arrays import FloatArray

from ..model_errors.geometry import compute_pitch
from .like_bodies import judge_spread
from .posterior import Posterior

LEAST_SEEN = 0.05  # of a width: a number of which the data say less is not judged by what they say
# That all forces have in common: more is another unit, or what is linear in it says nothing
LARGEST_GAIN = 0.5
PLACES = ("joint_places", "coordinate_offset")


def find_conflicts(posterior: Posterior) -> tuple[Conflict, ...]:
    """Return the worst number of each key of the file, the worst key first.

    A number k that is right is x_k = ((1 - P) x)_k + (P s)_k from its file, x being how far all numbers are off and s
    the scores of the data, whose scatter the blocks show: each is judged by its own deviation (Baarda 1968). The common
    gain of the forces, which is no unknown, moves x by h times its width besides. The scale
    that all drives have in common is one number more.
    """
    mode, assessed = posterior.mode, np.array([one.assessed for one in posterior.model.unknowns])
    of_gain = posterior.gain_moves
    off = mode.unknowns / np.maximum(posterior.own_deviations, LEAST_SEEN)
    worst: dict[str, float] = {}
    for unknown, one in zip(posterior.model.unknowns, off.tolist(), strict=True):
        if unknown.assessed and abs(one) >= abs(worst.get(unknown.key, 0.0)):
            worst[unknown.key] = one
    found = {key: Conflict(key, one) for key, one in worst.items()}
    together = _judge_common_scale(posterior)
    if together is not None and together.beyond:
        single = found[together.key]
        larger = abs(together.deviations) > abs(single.deviations)
        found[together.key] = together if larger or not single.beyond else single
    apart = judge_spread(posterior.model, mode, posterior.own_deviations)
    if ALIKE_KEY in found and apart > abs(found[ALIKE_KEY].deviations):
        found[ALIKE_KEY] = Conflict(ALIKE_KEY, apart)
    gain = _judge_common_gain(posterior, of_gain, assessed)
    if abs(gain) > MAX_COMMON_CONFLICT:
        key = get_common_gain(posterior).key
        found[key] = Conflict(key, gain, MAX_COMMON_CONFLICT)
    return tuple(sorted(found.values(), key=lambda one: -abs(one.deviations)))


def get_common_gain(posterior: Posterior) -> KnownNumber:
    """Return what is known of the factor that all forces have in common, which no log shows."""
    gain: KnownNumber = posterior.equations.machine.knowledge.of_kind("common_force_gain")[0]
    return gain


def find_usual_gain(posterior: Posterior) -> tuple[str, float] | None:
    """Return key and width of the common gain where that is a usual one that no mass of the file checks, else None."""
    gain = get_common_gain(posterior)
    checked = gain.how == WIDTH or _find_gain_deviation(posterior) <= CHECKED_GAIN
    return None if checked else posterior.common_gain


def is_misplaced(posterior: Posterior, conflicts: tuple[Conflict, ...], ratio: float) -> bool:
    """Return whether joints, zeros or scales are so far from the file that every value is another one there.

    Scales are where the coordinates of all drives have another scale, or where one has and there is a misfit by the
    `ratio` of residual and noise: no log tells wrong gears from a machine of another size.
    """
    full = posterior.equations
    far = {one.key: one.deviations for one in conflicts if abs(one.deviations) > MAX_PLACE_CONFLICT}
    places = {one.key for kind in PLACES for one in full.machine.knowledge.of_kind(kind)}
    scales = {key for one in full.nuisances if one.effect.columns is compute_pitch for key in one.keys}
    signs = {far[key] > 0.0 for key in scales & set(far)}
    misfit = ratio > MAX_FLOOR_RATIO
    # an error of the model moves the scale, too
    limit = MAX_PLACE_CONFLICT if misfit else MAX_COMMON_CONFLICT
    together = _judge_common_scale(posterior)
    other_size = (len(signs) == 1 and scales <= set(far)) or (
        together is not None and abs(together.deviations) > limit
    )
    scaled = any(one.key in scales and abs(one.deviations) > MAX_CONFLICT for one in conflicts)
    return bool(places & set(far)) or other_size or (scaled and misfit)


def _judge_common_scale(posterior: Posterior) -> Conflict | None:
    """Return how far off the scale that all drives' coordinates have in common is; None where it is no unknown."""
    full, mode = posterior.equations, posterior.mode
    first = len(mode.unknowns) - sum(len(one.names) for one in full.nuisances)
    for nuisance in full.nuisances:
        own = slice(first, first + len(nuisance.names))
        first = own.stop
        if nuisance.effect.columns is compute_pitch and len(set(nuisance.keys)) == 1:
            direction = np.zeros(len(mode.unknowns))
            direction[own] = len(nuisance.keys) ** -0.5
            variance = (
                posterior.compute_variances(direction[None])[0] + (direction @ posterior.gain_moves) ** 2
            )
            off = direction @ mode.unknowns / max(np.sqrt(variance), LEAST_SEEN)
            return Conflict(nuisance.keys[0], float(off), MAX_COMMON_CONFLICT)
    return None


def _judge_common_gain(posterior: Posterior, of_gain: FloatArray, assessed: NDArray[np.bool_]) -> float:
    """Return the deviations by which all numbers of the file together say that the common gain is off.

    0 unless it explains more than half of how far they are off, or where one key alone leaves less than half as much:
    that one is wrong then. Where one mass alone is known, nothing tells which of both is off, and the gain moves all.

    Parameters
    ----------
    posterior : Posterior
    of_gain : ndarray, shape (p,)
        What a width of it moves the unknowns by.
    assessed : ndarray, shape (p,)
        Which of the unknowns the file can be contradicted in.
    """
    unknowns, direction = posterior.mode.unknowns, posterior.gain_direction
    seen = float(direction @ of_gain)
    if seen < LEAST_SEEN**2:
        return 0.0
    off = float(direction @ unknowns) / seen
    of_keys: dict[str, float] = {}
    for one, square in zip(posterior.model.unknowns, unknowns**2 * assessed, strict=True):
        of_keys[one.key] = of_keys.get(one.key, 0.0) + float(square)
    left, whole = float(np.sum((unknowns - off * of_gain)[assessed] ** 2)), sum(of_keys.values())
    width = float(get_common_gain(posterior).width)
    if (
        left > MOST_OF_MISFIT * whole
        or whole - max(of_keys.values()) < MOST_OF_MISFIT * left
        or abs(off) * width > LARGEST_GAIN
    ):
        return 0.0
    return off / float(np.hypot(1.0, _find_gain_deviation(posterior) / width))


def _find_gain_deviation(posterior: Posterior) -> float:
    """Return the deviation of the common gain as all numbers of the file together have it, relative."""
    direction = posterior.gain_direction
    seen = float(direction @ posterior.gain_moves)
    variance = float(posterior.compute_variances(direction[None])[0])
    return float(get_common_gain(posterior).width) * float(np.sqrt(variance)) / max(seen, LEAST_SEEN**2)
