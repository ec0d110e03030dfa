# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""A prior without the start values that the data contradict: a wrong guess of a machine file is no misfit.

Before the data, a parameter is the machine file's value give or take about its own size. Where the file's value is a
guess, several times too small, that prior pulls at the fit, and any further column that lets go of it seems to explain
something: a light strut in the file becomes a wrong unit, a gain, joints that are elsewhere. The fit is therefore
repeated with the estimate in place of each start value that it has left, until it leaves none; what the data do not
determine stays where the file has it.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from pkm_identification.estimation.problem import Problem
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.parameter import Kind
from pkm_identification.parameters.prior import Prior

LARGEST_PULL = (
    0.5  # prior deviations an estimate may be off its start value: 10 such parameters have evidence of 1
)
SIGNIFICANT = 5.0  # deviations that data must know it better by: below, noise alone pulls so far
MOST_PASSES = 30  # each about doubles a deviation that is far too small: more than any start value needs
EXACT = (
    1e-4  # of the rms output: no model is taken to be better, so that its rounding does not count as evidence
)
NOT_START_VALUES = (
    Kind.EFFECT,
    Kind.GAIN,
    Kind.NUISANCE,
)  # zero or one unless something is wrong: that is asked


def release_start_values(problem: Problem) -> Prior:
    """Return the problem's prior with estimates in place of the start values that the data contradict.

    Parameters
    ----------
    problem : Problem

    Returns
    -------
    Prior
        Mean and standard deviation (P,), SI units. A parameter keeps its prior where it was stated, is no value of the
        machine file, or lies within half of a prior deviation or SIGNIFICANT deviations of the estimate. Nuisance
        parameters of a limb, whose priors are a share of that limb's Coulomb friction, become uncertain with it.
    """
    released = _start_values(problem)
    if not np.any(released) or len(problem.equations) == 0:
        return problem.prior
    mean, std = problem.prior.mean.copy(), problem.prior.std.copy()
    triangle = _compress(problem)
    for _ in range(MOST_PASSES):
        rows = np.vstack([triangle[:, :-1] * std, np.eye(len(mean))])
        target = np.concatenate([triangle[:, -1] - triangle[:, :-1] @ mean, np.zeros(len(mean))])
        pull = np.linalg.lstsq(rows, target, rcond=None)[
            0
        ]  # in prior deviations, as is what data leave unknown
        unknown = np.sqrt(np.diag(np.linalg.inv(rows.T @ rows)))
        pulled = released & (np.abs(pull) > np.maximum(LARGEST_PULL, SIGNIFICANT * unknown))
        change = std * pull
        if not np.any(pulled):
            break
        mean = np.where(pulled, mean + change, mean)
        std = np.where(pulled, np.maximum(std, np.abs(mean)), std)
    return Prior(mean, _add_nuisance(problem, std))


def remove_start_values(problem: Problem) -> Problem:
    """Return the problem with a prior, and scales of its parameters, that the data do not contradict.

    The scale follows the prior that it is compared with, or a light guess would hide what the data show; the physical
    size is that of the estimate, since a guess that is refuted tells none.
    """
    prior = release_start_values(problem)
    if prior is problem.prior:
        return problem
    parameters = problem.parameters
    wider = prior.std != problem.prior.std
    refuted = (prior.mean != problem.prior.mean) & (parameters.nominal != 0.0)
    entries = tuple(
        replace(
            entry,
            scale=float(prior.std[k]) if wider[k] else entry.scale,
            size=abs(float(prior.mean[k])) if refuted[k] else entry.size,
        )
        for k, entry in enumerate(parameters.entries)
    )
    return replace(problem, prior=prior, parameters=replace(parameters, entries=entries))


def _start_values(problem: Problem) -> NDArray[np.bool_]:
    """Return which parameters (P,) have a value of the machine file for a prior."""
    parameters, prior = problem.parameters, problem.prior
    own = np.array([entry.kind not in NOT_START_VALUES for entry in parameters.entries], dtype=bool)
    return own & (prior.mean == parameters.nominal) & (prior.std == parameters.scale)


def _compress(problem: Problem) -> FloatArray:
    """Return [R y], shape (n, P + 1): equations and relations over their residual, as a triangle."""
    equations = problem.equations
    width = equations.regressor.shape[2]
    stacked = np.column_stack([equations.regressor.reshape(-1, width), equations.measured.ravel()])
    triangle = np.asarray(np.linalg.qr(stacked, mode="r"))
    size = np.linalg.norm(triangle[:, :-1], axis=0) + 1e-300
    solution = np.linalg.lstsq(triangle[:, :-1] / size, triangle[:, -1], rcond=None)[0] / size
    noise = float(np.linalg.norm(triangle[:, -1] - triangle[:, :-1] @ solution)) / np.sqrt(len(stacked))
    triangle = triangle / max(noise, EXACT * float(np.sqrt(np.mean(stacked[:, -1] ** 2))), 1e-300)
    if problem.relations is None:
        return triangle
    relations = np.column_stack([problem.relations.rows, problem.relations.values])
    return np.vstack([triangle, relations])


def _add_nuisance(problem: Problem, std: FloatArray) -> FloatArray:
    """Return the deviations (P,) with those of nuisance parameters in proportion to Coulomb friction's."""
    before, std = problem.prior.std, std.copy()
    entries = problem.parameters.entries
    wider = {entry.limb: std[k] / before[k] for k, entry in enumerate(entries) if entry.kind is Kind.COULOMB}
    for k, entry in enumerate(entries):
        if entry.kind is Kind.NUISANCE and entry.limb is not None:
            std[k] *= wider.get(entry.limb, 1.0)
    return std
