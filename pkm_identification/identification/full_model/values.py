# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The values of an answer: how well each is known, and from where."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

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
    LEAST_TAKEN_SHARE,
    LIKELY,
    MAX_UNNOTICED,
    MOST_OF_VARIANCE,
)
from pkm_identification.numerics.arrays import FloatArray

from .other_size import OtherSize
from .posterior import Posterior
from .reliability import find_reliability
from .views import Views

SKEWED = 1.2  # of the Gaussian deviation: the profile's
SHIFTED = 1.0  # deviations by which a key in conflict moves a value that then rests on it


def list_values(
    posterior: Posterior,
    views: Views,
    moved: FloatArray,
    in_conflict: list[str],
    possible: OtherSize | None = None,
) -> tuple[KnownValue, ...]:
    """Return values with total deviations and statuses.

    Parameters
    ----------
    posterior : Posterior
    views : Views
    moved : ndarray, shape (r, p)
        What a width of each number of the file moves the values by.
    in_conflict : list of str
        Keys that the data contradict.
    possible : OtherSize, optional
        That the machine may have.
    """
    mode, slopes = posterior.mode, views.slopes
    white = np.sum((moved @ (mode.information - np.eye(len(mode.unknowns)))) * moved, axis=1)
    data = np.sqrt(np.maximum(posterior.blocks.jackknife(slopes), white))
    apart = posterior.contrasts.find_model_deviations(slopes)
    of_file = np.sqrt(np.sum(moved**2, axis=1))
    prior = np.sum(slopes**2, axis=1)
    (_, gain), gained = posterior.common_gain, views.find_gained(posterior)
    unknowns = posterior.model.unknowns
    guessed = np.array([one.guessed for one in unknowns])
    beyond = np.array([one.key in in_conflict for one in unknowns])
    of_keys = [np.array([one.key == key for one in unknowns]) for key in in_conflict]
    of_moments = posterior.model.hold_moments(mode.unknowns, in_conflict)
    least = np.sqrt(data**2 + apart**2 + of_file**2 + (gain * gained) ** 2)  # without what skewness adds
    reliability = find_reliability(posterior, moved, least)
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
        if taken < LEAST_TAKEN_SHARE and np.sum(moved[j][guessed] ** 2) > MOST_OF_VARIANCE * std**2:
            size = 0.0  # of next to nothing, guessed, nobody knows that it is near 0
        unnoticed = float(reliability.shifts[j])
        of_lengths = 0.0 if possible is None else float(possible.moved[j])
        # nothing notices that size: it counts as a key in conflict does
        unnoticed = max(unnoticed, MAX_UNNOTICED / SHIFTED * abs(of_lengths))
        status = choose_status(value, std, file_std, taken, size, unnoticed)
        pulls = moved[j] * mode.unknowns
        # one number alone, or all of a key together: what holds a machine's bodies alike is a number for each
        shifts = [*np.abs(pulls[beyond]), *(abs(float(pulls[own].sum())) for own in of_keys)]
        shifts += [abs(float(moved[j] @ off)) for off in of_moments]
        if max(shifts, default=0.0) > SHIFTED * std:
            status = CONTRADICTS
        leanings = _find_leanings(posterior, moved[j], gained[j], gain, std)
        if possible is not None and abs(of_lengths) > SHIFTED * std:
            leanings = _put_first(leanings, possible.find_leaning(of_lengths, std))
        elif unnoticed > MAX_UNNOTICED * std:
            k = int(reliability.numbers[j])
            slope, one = float(reliability.slopes[j]), unknowns[k]
            share = min(
                (slope / std) ** 2, 1.0
            )  # what is not linear moves a value by more than its variance has
            first = Leaning(one.key, share, slope / one.width, one.unit, one.in_file)
            leanings = _put_first(leanings, first)
        made.append(
            KnownValue(
                name, unit, value, std, data_std, file_std, taken, status, leanings, is_near_zero(value, size),
                float(views.nominal[j]), size, float(apart[j]), unnoticed,
            )
        )  # fmt: skip
    return tuple(made)


def judge_sign(value: KnownValue) -> KnownValue:
    """Return a value that cannot be negative: below 0 no per cent say how well it is known, far below it is wrong."""
    if value.value >= 0.0 or value.status == CONTRADICTS:
        return value
    value = replace(value, near_zero=True)
    if value.value < -LIKELY * value.std:
        return value.affected()
    return value.widen(1.0)


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


def _find_leanings(
    posterior: Posterior, moved: FloatArray, gained: float, gain: float, std: float
) -> tuple[Leaning, ...]:
    """Return the keys that a value rests on most; a gain of that width multiplies `gained` of it."""
    gain_key, _ = posterior.common_gain
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
        leanings.append(
            Leaning(
                key, shares[key], float(moved[largest[key]]) / unknown.width, unknown.unit, unknown.in_file
            )
        )
    return tuple(leanings)


def _put_first(leanings: tuple[Leaning, ...], first: Leaning) -> tuple[Leaning, ...]:
    """Return the keys that a value rests on with one in front."""
    return (first, *(one for one in leanings if one.key != first.key))[:NAMED_KEYS]
