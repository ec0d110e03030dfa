# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The answer of an experiment by its full model: values with total deviations, statuses and a verdict."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pkm_identification.estimation.posterior.answer import Answer, FoundEffect
from pkm_identification.estimation.posterior.status import CONTRADICTS, KnownValue
from pkm_identification.estimation.posterior.thresholds import (
    FOUND,
    LARGE_SHARE,
    LIKELY,
    LITTLE_RESIDUAL,
    MAX_FLOOR_RATIO,
    NEGATIVE,
    VERY_LARGE_SHARE,
)
from pkm_identification.estimation.posterior.verdict import DO_NOT_USE, assess
from pkm_identification.numerics.arrays import FloatArray

from .conflicts import find_conflicts, find_usual_gain, get_common_gain, is_misplaced
from .other_size import find_size_of_gravity, find_size_or_force
from .posterior import Posterior
from .unstated_motors import describe_large_motors
from .values import judge_sign, list_values
from .views import Views, build_posterior_views

# Of the largest drive's: a drive that carries next to nothing is not judged by its own force
LEAST_FORCE = 0.1
ROUNDING = 1e-9  # of a variance


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
    gain = get_common_gain(posterior)
    conflicts = find_conflicts(posterior)
    white = ratio = float("nan")
    if floor is not None:
        white = posterior.compute_residual_ratio(floor)
        ratio = white if coloured is None else posterior.compute_residual_ratio(np.maximum(floor, coloured))
    other_size, possible = find_size_of_gravity(posterior, ratio), find_size_or_force(posterior, views, ratio)
    if possible is not None and possible.conflict.beyond:
        others = (one for one in conflicts if one.key != possible.conflict.key)
        conflicts = (possible.conflict, *others)
        other_size, possible = possible.times, None
    in_conflict = [one.key for one in conflicts if one.beyond]
    values = list_values(posterior, views, moved, in_conflict, possible)
    misplaced = other_size is not None or is_misplaced(posterior, conflicts, ratio)
    factor = posterior.common_factor if in_conflict else None
    if misplaced or gain.key in in_conflict or factor is not None:
        values = tuple(replace(one, status=CONTRADICTS) for one in values)
    certain = not white > MAX_FLOOR_RATIO or posterior.residual_share <= LITTLE_RESIDUAL
    halves, halves_chance = posterior.blocks.halves_disagreement(views.slopes)
    braking = _name_braking_friction(posterior)
    values = tuple(judge_sign(one) if one.name in braking else one for one in values)
    notes = [
        describe_large_motors(posterior.equations.machine, posterior.model, posterior.mode, posterior.motors)
    ]
    if possible is not None and possible.matters(values):
        notes.append(possible.sentence)
    verdict = assess(
        ratio, posterior.residual_share, posterior.held_out_ratio, halves, conflicts,
        any(one.status == CONTRADICTS for one in values),
        factor=factor, impossible=_find_impossible(posterior, values, braking), certain=certain,
        parts_agree=certain or (not in_conflict and posterior.contrasts.agree(views.slopes)),
        held_out_chance=posterior.held_out_chance, halves_chance=halves_chance, none_holds=misplaced,
        unseen_share=posterior.unseen_share, usual_gain=find_usual_gain(posterior),
        other_size=other_size, notes=[one for one in notes if one],
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
    rounding = ROUNDING * np.sum((np.abs(moved[rows]) @ np.abs(information)) * np.abs(moved[rows]), axis=1)
    size = np.sqrt(np.where(np.diag(white) > rounding, np.diag(white), 0.0))
    between = np.outer(size, size)  # 0 of what the data say nothing of: correlated with nothing
    correlation = np.divide(white, between, out=np.eye(len(rows)), where=between > 0.0)
    data = np.array([one.data_std for one in values])
    gain = posterior.common_gain[1] * views.find_gained(posterior)[rows]
    of_file = np.sqrt(np.maximum(np.array([one.file_std for one in values]) ** 2 - gain**2, 0.0))
    own = moved[rows].T * (of_file / np.maximum(np.sqrt(np.sum(moved[rows] ** 2, axis=1)), 1e-300))
    # what is no number of the file, as friction and drifts, is another in every log
    assessed = np.array([one.assessed for one in posterior.model.unknowns])
    total = correlation * np.outer(data, data) + own.T @ own + np.outer(gain, gain)
    total = 0.5 * (total + total.T) + ROUNDING * np.diag(np.diag(total))  # or it is none, by rounding
    return total, np.vstack([own[assessed], gain])


def find_effects(posterior: Posterior) -> tuple[FoundEffect, ...]:
    """Return the effects that are surely there and large, or likely and very large, the surest first.

    Large is what the file does not allow, or what adds much to a force. What is estimated as well is none of them.
    """
    mode, full = posterior.mode, posterior.equations
    std = np.sqrt(np.diag(mode.covariance))
    force = np.sqrt(np.mean(full.problem.equations.force**2, axis=0))
    force = np.maximum(force, LEAST_FORCE * float(np.max(force)))
    first = full.basis + full.reversals
    numbers = [k for k, unknown in enumerate(posterior.model.unknowns) if unknown.effect]
    kinds = [nuisance for nuisance in full.nuisances for _ in nuisance.names]
    found = []
    for index, (k, kind) in enumerate(zip(numbers, kinds, strict=True)):
        effect = kind.effect
        unknown, value = posterior.model.unknowns[k], float(mode.unknowns[k])
        possible = effect.least <= value * unknown.width and abs(value) * unknown.width <= effect.largest
        asked = full.is_asked(effect.name, unknown.name)
        if asked or abs(value) <= LIKELY * std[k] or not possible:
            continue
        added = np.sqrt(np.mean(full.columns[:, :, first + index] ** 2, axis=0)) * abs(
            mode.values[first + index]
        )
        share = float(np.max(added / force))
        large = abs(value) * unknown.widened > 1.0 or share > LARGE_SHARE
        if (large and abs(value) > FOUND * std[k]) or share > VERY_LARGE_SHARE:
            size, its_std = effect.read(value * unknown.width, float(std[k]) * unknown.width)
            one = FoundEffect(kind.name_cause(unknown.name), size, its_std, unknown.unit, share)
            found.append((abs(value) / float(std[k]), one))
    # friction near standstill has several shapes: the surest stands for all
    surest = {one.name: (sure, one) for sure, one in sorted(found, key=lambda pair: pair[0])}
    return tuple(one for _, one in sorted(surest.values(), key=lambda pair: -pair[0]))


def _name_braking_friction(posterior: Posterior) -> frozenset[str]:
    """Return the names of friction that no machine has less than none of."""
    machine = posterior.equations.machine
    signed = {one.name for law in machine.friction for one in law.law.coefficients if one.within is not None}
    return frozenset(one.name for one in machine.basis if one.kind.friction and one.symbol not in signed)


def _find_impossible(posterior: Posterior, values: tuple[KnownValue, ...], braking: frozenset[str]) -> str:
    """Return why no machine has these values, or why they are none."""
    if not posterior.mode.converged:
        return "the estimate did not converge"
    for one in values:
        if one.name in braking and one.value < -NEGATIVE * one.std:
            return f"{one.name} is negative by {-one.value / one.std:.2g} standard deviations"
    std = np.sqrt(np.diag(posterior.mode.covariance))
    for unknown, value, own in zip(posterior.model.unknowns, posterior.mode.unknowns, std, strict=True):
        if (abs(value) - NEGATIVE * own) * unknown.width > unknown.largest:
            size = f"{value * unknown.width:.3g} {unknown.unit}".rstrip()
            return f"{unknown.name} = {size} is impossible, at most {unknown.largest:g} is allowed"
    return ""
