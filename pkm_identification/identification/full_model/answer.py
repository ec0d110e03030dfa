# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The answer of an experiment by its full model: values with total deviations, statuses and a verdict."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from pkm_identification.estimation.posterior.answer import Answer, FoundEffect
from pkm_identification.estimation.posterior.profile import compute_profile_deviations, is_skewed
from pkm_identification.estimation.posterior.status import (
    CONTRADICTS,
    NAMED_KEYS,
    KnownValue,
    Leaning,
    choose_status,
    is_near_zero,
)
from pkm_identification.estimation.posterior.thresholds import (
    CHECKED_GAIN,
    FOUND,
    LARGE_SHARE,
    LIKELY,
    LITTLE_RESIDUAL,
    MAX_COMMON_CONFLICT,
    MAX_FLOOR_RATIO,
    MAX_PLACE_CONFLICT,
    MOST_OF_MISFIT,
    NEGATIVE,
    VERY_LARGE_SHARE,
)
from pkm_identification.estimation.posterior.verdict import DO_NOT_USE, Conflict, assess
from pkm_identification.machines.knowledge import KnownNumber
from pkm_identification.machines.knowledge.records import WIDTH
from pkm_identification.numerics.arrays import FloatArray

from ..model_errors.geometry import compute_pitch
from .posterior import Posterior, Views, build_posterior_views

SKEWED = 1.2  # of the Gaussian deviation: the profile's
LEAST_SEEN = 0.05  # of a width: a number of which the data say less is not judged by what they say
LARGEST_GAIN = (
    0.5  # that all forces have in common: more is another unit, or what is linear in it says nothing
)
LEAST_FORCE = (
    0.1  # of the largest drive's: a drive that carries next to nothing is not judged by its own force
)
PLACES = ("joint_places", "coordinate_offset")
ROUNDING = 1e-9  # of a variance
SHIFTED = 1.0  # deviations by which a key in conflict moves a value that then rests on it


def answer(
    posterior: Posterior, floor: FloatArray | None = None, coloured: FloatArray | None = None
) -> Answer:
    """Return the answer of a posterior.

    Parameters
    ----------
    posterior : Posterior
    floor : ndarray, shape (m,), optional
        Noise of the forces in the band if it is white; None: not known.
    coloured : ndarray, shape (m,), optional
        The same by what noise there is just above the band (`coloured_noise`).
    """
    views = build_posterior_views(posterior)
    moved = views.slopes @ posterior.mode.covariance  # (r, p): by a width of each number of the file
    gain = _common_gain(posterior)
    conflicts = find_conflicts(posterior)
    in_conflict = [one.key for one in conflicts if one.beyond]
    white = ratio = float("nan")
    if floor is not None:
        white = posterior.compute_residual_ratio(floor)
        ratio = white if coloured is None else posterior.compute_residual_ratio(np.maximum(floor, coloured))
    values = list_values(posterior, views, moved, in_conflict)
    misplaced = _is_misplaced(posterior, conflicts, ratio)
    if misplaced or gain.key in in_conflict:
        values = tuple(replace(one, status=CONTRADICTS) for one in values)
    certain = not white > MAX_FLOOR_RATIO or posterior.residual_share <= LITTLE_RESIDUAL
    factor = posterior.common_factor if in_conflict else None
    halves, halves_chance = posterior.blocks.halves_disagreement(views.slopes)
    braking = _name_braking_friction(posterior)
    values = tuple(judge_sign(one) if one.name in braking else one for one in values)
    verdict = assess(
        ratio, posterior.residual_share, posterior.held_out_ratio, halves, conflicts,
        any(one.status == CONTRADICTS for one in values),
        factor=factor, impossible=_find_impossible(posterior, values, braking), certain=certain,
        parts_agree=certain or (not in_conflict and posterior.contrasts.agree(views.slopes)),
        held_out_chance=posterior.held_out_chance, halves_chance=halves_chance, none_holds=misplaced,
        unseen_share=posterior.unseen_share, usual_gain=_find_usual_gain(posterior),
    )  # fmt: skip
    if verdict.widening > 1.0:
        values = tuple(one.widen(verdict.widening) for one in values)
    if verdict.grade == DO_NOT_USE:
        values = tuple(one.affected() for one in values)
    covariance, shared = _find_covariance(posterior, views, moved, values)
    return Answer(values, find_effects(posterior), verdict, covariance, shared)


def _find_covariance(
    posterior: Posterior, views: Views, moved: FloatArray, values: tuple[KnownValue, ...]
) -> tuple[FloatArray, FloatArray]:
    """Return the total covariance (r, r) of values, and what each number of the file, off by its width, does (K, r).

    The data's part is correlated as white noise would be, and as large as the values say.
    """
    rows = [views.names.index(one.name) for one in values]
    information = posterior.mode.information - np.eye(len(posterior.mode.unknowns))
    white = moved[rows] @ information @ moved[rows].T
    size = np.sqrt(np.maximum(np.diag(white), 1e-300))
    data = np.array([one.data_std for one in values]) / size
    gain = float(_common_gain(posterior).width) * views.find_gained(posterior)[rows]
    of_file = np.sqrt(np.maximum(np.array([one.file_std for one in values]) ** 2 - gain**2, 0.0))
    own = moved[rows].T * (of_file / np.maximum(np.sqrt(np.sum(moved[rows] ** 2, axis=1)), 1e-300))
    # what is no number of the file, as friction and drifts, is another in every log
    assessed = np.array([one.assessed for one in posterior.model.unknowns])
    total = white * np.outer(data, data) + own.T @ own + np.outer(gain, gain)
    total = 0.5 * (total + total.T) + ROUNDING * np.diag(np.diag(total))  # or it is none, by rounding
    return total, np.vstack([own[assessed], gain])


def _common_gain(posterior: Posterior) -> KnownNumber:
    """Return what is known of the factor that all forces have in common, which no log shows."""
    gain: KnownNumber = posterior.equations.machine.knowledge.of_kind("common_force_gain")[0]
    return gain


def list_values(
    posterior: Posterior, views: Views, moved: FloatArray, in_conflict: list[str]
) -> tuple[KnownValue, ...]:
    """Return values with total deviations and statuses."""
    mode, slopes = posterior.mode, views.slopes
    white = np.sum((moved @ (mode.information - np.eye(len(mode.unknowns)))) * moved, axis=1)
    data = np.sqrt(np.maximum(posterior.blocks.jackknife(slopes), white))
    apart = posterior.contrasts.find_model_deviations(slopes)
    of_file = np.sqrt(np.sum(moved**2, axis=1))
    prior = np.sum(slopes**2, axis=1)
    gain, gained = float(_common_gain(posterior).width), views.find_gained(posterior)
    unknowns = posterior.model.unknowns
    beyond = np.array([one.key in in_conflict for one in unknowns])
    of_keys = [np.array([one.key == key for one in unknowns]) for key in in_conflict]
    of_moments = posterior.model.hold_moments(mode.unknowns, in_conflict)
    made = []
    for j, (name, unit, value) in enumerate(
        zip(views.names, views.units, views.values.tolist(), strict=True)
    ):
        if not np.any(slopes[j]):
            continue
        taken = 1.0 - float(data[j] ** 2 + of_file[j] ** 2) / float(prior[j])
        own_of_file = float(of_file[j]) * _find_skewness(posterior, views, j, moved[j])
        file_std = float(np.hypot(own_of_file, gain * gained[j]))
        data_std = float(np.hypot(data[j], apart[j]))
        std = float(np.hypot(data_std, file_std))
        size = float(views.sizes[j])
        status = choose_status(value, std, file_std, taken, size)
        pulls = moved[j] * mode.unknowns
        # one number alone, or all of a key together: what holds a machine's bodies alike is a number for each
        shifts = [*np.abs(pulls[beyond]), *(abs(float(pulls[own].sum())) for own in of_keys)]
        shifts += [abs(float(moved[j] @ off)) for off in of_moments]
        if max(shifts, default=0.0) > SHIFTED * std:
            status = CONTRADICTS
        leanings = _find_leanings(posterior, moved[j], gained[j], gain, std)
        made.append(
            KnownValue(
                name,
                unit,
                value,
                std,
                data_std,
                file_std,
                taken,
                status,
                leanings,
                is_near_zero(value, size),
                float(views.nominal[j]),
                size,
                float(apart[j]),
            )
        )
    return tuple(made)


def _find_skewness(posterior: Posterior, views: Views, number: int, moved: FloatArray) -> float:
    """Return the larger deviation of a skewed value over its Gaussian one; 1 where both agree well enough."""
    parts = (
        posterior.model, posterior.normal, posterior.mode,
        lambda *at: views.view_at(posterior, number, *at), moved,
    )  # fmt: skip
    if not is_skewed(*parts, SKEWED):
        return 1.0
    factor = max(compute_profile_deviations(*parts)) / float(np.sqrt(views.slopes[number] @ moved))
    return factor if factor > SKEWED else 1.0


def find_conflicts(posterior: Posterior) -> tuple[Conflict, ...]:
    """Return the worst number of each key of the file, the worst key first.

    A number k that is right is x_k = ((1 - P) x)_k + (P s)_k from its file, x being how far all numbers are off and s
    the scores of the data, whose scatter the blocks show: each is judged by its own deviation (Baarda 1968). The common
    gain of the forces, which is no unknown, moves x by h times its width besides. The scale
    that all drives have in common is one number more.
    """
    mode, assessed = posterior.mode, np.array([one.assessed for one in posterior.model.unknowns])
    of_gain = posterior.gain_moves
    own = np.sqrt(_find_variances(posterior, np.eye(len(mode.unknowns))) + of_gain**2)
    off = mode.unknowns / np.maximum(own, LEAST_SEEN)
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
    gain = _judge_common_gain(posterior, of_gain, assessed)
    if abs(gain) > MAX_COMMON_CONFLICT:
        key = _common_gain(posterior).key
        found[key] = Conflict(key, gain, MAX_COMMON_CONFLICT)
    return tuple(sorted(found.values(), key=lambda one: -abs(one.deviations)))


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
                _find_variances(posterior, direction[None])[0] + (direction @ posterior.gain_moves) ** 2
            )
            off = direction @ mode.unknowns / max(np.sqrt(variance), LEAST_SEEN)
            return Conflict(nuisance.keys[0], float(off), MAX_COMMON_CONFLICT)
    return None


def _find_variances(posterior: Posterior, directions: FloatArray) -> FloatArray:
    """Return the variances of unknowns along directions (r, p) if the file is right."""
    covariance = posterior.mode.covariance
    # an effect at its bound is none: it moves nothing
    widened = np.maximum([one.widened for one in posterior.model.unknowns], 1.0)
    moved = directions @ covariance
    of_file = np.sum(((directions - moved) / widened) ** 2, axis=1)
    white = np.sum(moved * directions, axis=1) - np.sum(moved**2, axis=1)
    return np.asarray(of_file + np.maximum(posterior.blocks.jackknife(directions), white))


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
    width = float(_common_gain(posterior).width)
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
    variance = float(_find_variances(posterior, direction[None])[0])
    return float(_common_gain(posterior).width) * float(np.sqrt(variance)) / max(seen, LEAST_SEEN**2)


def _find_usual_gain(posterior: Posterior) -> tuple[str, float] | None:
    """Return key and width of the common gain where that is a usual one that no mass of the file checks, else None."""
    gain = _common_gain(posterior)
    checked = gain.how == WIDTH or _find_gain_deviation(posterior) <= CHECKED_GAIN
    return None if checked else (gain.key, float(gain.width))


def _is_misplaced(posterior: Posterior, conflicts: tuple[Conflict, ...], ratio: float) -> bool:
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
    return bool(places & set(far)) or other_size or (bool(signs) and misfit)


def find_effects(posterior: Posterior) -> tuple[FoundEffect, ...]:
    """Return the effects that are surely there and large, or likely and very large, the surest first.

    Large is what the file does not allow, or what adds much to a force.
    """
    mode, full = posterior.mode, posterior.equations
    std = np.sqrt(np.diag(mode.covariance))
    force = np.sqrt(np.mean(full.problem.equations.force**2, axis=0))
    force = np.maximum(force, LEAST_FORCE * float(np.max(force)))
    first = full.basis + full.reversals
    numbers = [k for k, unknown in enumerate(posterior.model.unknowns) if unknown.effect]
    effects = [nuisance.effect for nuisance in full.nuisances for _ in nuisance.names]
    found = []
    for index, (k, effect) in enumerate(zip(numbers, effects, strict=True)):
        unknown, value = posterior.model.unknowns[k], float(mode.unknowns[k])
        possible = effect.least <= value * unknown.width and abs(value) * unknown.width <= effect.largest
        if abs(value) <= LIKELY * std[k] or not possible:
            continue
        added = np.sqrt(np.mean(full.columns[:, :, first + index] ** 2, axis=0)) * abs(
            mode.values[first + index]
        )
        share = float(np.max(added / force))
        large = abs(value) * unknown.widened > 1.0 or share > LARGE_SHARE
        if (large and abs(value) > FOUND * std[k]) or share > VERY_LARGE_SHARE:
            size, its_std = effect.read(value * unknown.width, float(std[k]) * unknown.width)
            one = FoundEffect(unknown.name, size, its_std, unknown.unit, share)
            found.append((-abs(value) / float(std[k]), one))
    return tuple(one for _, one in sorted(found, key=lambda pair: pair[0]))


def _name_braking_friction(posterior: Posterior) -> frozenset[str]:
    """Return the names of friction that no machine has less than none of."""
    machine = posterior.equations.machine
    signed = {one.name for law in machine.friction for one in law.law.coefficients if one.within is not None}
    return frozenset(one.name for one in machine.basis if one.kind.friction and one.symbol not in signed)


def judge_sign(value: KnownValue) -> KnownValue:
    """Return a value that cannot be negative: below 0 no per cent say how well it is known, far below it is wrong."""
    if value.value >= 0.0 or value.status == CONTRADICTS:
        return value
    value = replace(value, near_zero=True)
    if value.value < -LIKELY * value.std:
        return value.affected()
    return value.widen(1.0)


def _find_impossible(posterior: Posterior, values: tuple[KnownValue, ...], braking: frozenset[str]) -> str:
    """Return why no machine has these values, or why they are none."""
    if not posterior.mode.converged:
        return "the estimate did not converge"
    for one in values:
        if one.name in braking and one.value < -NEGATIVE * one.std:
            return f"{one.name} is negative by {-one.value / one.std:.2g} deviations"
    std = np.sqrt(np.diag(posterior.mode.covariance))
    for unknown, value, own in zip(posterior.model.unknowns, posterior.mode.unknowns, std, strict=True):
        if (abs(value) - NEGATIVE * own) * unknown.width > unknown.largest:
            size = f"{value * unknown.width:.3g} {unknown.unit}".rstrip()
            return f"{unknown.name} = {size} is more than any can have, {unknown.largest:g}"
    return ""


def _find_leanings(
    posterior: Posterior, moved: FloatArray, gained: float, gain: float, std: float
) -> tuple[Leaning, ...]:
    """Return the keys that a value rests on most; a gain of that width multiplies `gained` of it."""
    gain_key = _common_gain(posterior).key
    shares: dict[str, float] = {gain_key: (gain * gained / std) ** 2 if std else 0.0}
    largest: dict[str, int] = {}
    for k, unknown in enumerate(posterior.model.unknowns):
        shares[unknown.key] = shares.get(unknown.key, 0.0) + (moved[k] / std) ** 2
        if unknown.key not in largest or abs(moved[k]) > abs(moved[largest[unknown.key]]):
            largest[unknown.key] = k
    leanings = []
    for key in sorted(shares, key=lambda one: -shares[one])[:NAMED_KEYS]:
        if key == gain_key:
            leanings.append(Leaning(key, shares[key], float(gained) / 100.0, "%"))
            continue
        unknown = posterior.model.unknowns[largest[key]]
        leanings.append(Leaning(key, shares[key], float(moved[largest[key]]) / unknown.width, unknown.unit))
    return tuple(leanings)
