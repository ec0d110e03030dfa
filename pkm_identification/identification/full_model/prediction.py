# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Forces of logs that were not used, as the full model predicts them: with the effects that it found."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from pkm_identification.estimation.posterior.answer import FoundModel
from pkm_identification.estimation.posterior.blocks import split_blocks
from pkm_identification.numerics.arrays import FloatArray

from ..experiment import Experiment
from ..model_errors.unsearched import GAIN_DRIFT, OFFSET_DRIFT
from ..validation import Validation, compute_percent
from .equations import build_full_equations
from .posterior import Posterior

# They belong to the time of one log.
OF_ONE_LOG = (GAIN_DRIFT, OFFSET_DRIFT)


def predict_with_effects(found: FoundModel, experiment: Experiment, validation: Validation) -> Validation:
    """Return a prediction in the band by all that was found; `validation` is that by the parameters alone.

    Parameters
    ----------
    found : FoundModel
    experiment : Experiment
        Of the log that is predicted.
    validation : Validation
    """
    full = build_full_equations(experiment, found.values[: found.basis])
    if found.seldom:
        full = full.with_seldom(found.values, found.resonance)
    steady = found.values.copy()
    steady[len(steady) - len(found.widths) :] *= found.widths / full.effect_widths
    full = full.relinearise(steady)
    for nuisance, own in full.list_effects():
        if nuisance.effect.name in OF_ONE_LOG:
            steady[own] = 0.0
    problem = full.problem
    used = np.ones_like(full.measured) if problem.used is None else problem.used.astype(float)
    force = problem.equations.force
    rubbing = np.array([entry.kind.friction for entry in problem.parameters.entries])
    friction = full.columns[:, :, : len(rubbing)] @ (steady[: len(rubbing)] * rubbing)
    # what is known beforehand is on neither side of the equations
    predicted = full.columns @ steady + force - full.measured
    whole = _replace_band(validation, problem.equations.time, force, predicted, friction, used)
    return replace(whole, parameters_percent=validation.rms_percent_total)


def predict_end(posterior: Posterior, end: NDArray[np.bool_], validation: Validation) -> Validation:
    """Return a prediction of the equations `end` (K,) by what the full model makes of the others, to first order.

    Parameters
    ----------
    posterior : Posterior
        Of all equations.
    end : ndarray of bool, shape (K,)
    validation : Validation
        That of the end by a fit of few parameters to the rest.
    """
    full, blocks = posterior.equations, posterior.blocks
    problem = full.problem
    equations = problem.equations
    held = [bool(end[own].any()) for own in split_blocks(equations.time, equations.segment, problem.log)]
    part, score = blocks.parts[held].sum(axis=0), blocks.scores[held].sum(axis=0)
    move = posterior.mode.slope @ -np.linalg.solve(blocks.information - part, score)
    error = posterior.residual[end] - full.columns[end] @ move
    rubbing = np.array([entry.kind.friction for entry in problem.parameters.entries])
    values = (posterior.mode.values + move)[: len(rubbing)] * rubbing
    return _replace_band(
        validation,
        equations.time[end],
        equations.force[end],
        equations.force[end] - error,
        full.columns[end][:, :, : len(rubbing)] @ values,
        np.ones_like(error) if problem.used is None else problem.used[end].astype(float),
    )


def _replace_band(
    validation: Validation,
    time: FloatArray,
    measured: FloatArray,
    predicted: FloatArray,
    friction: FloatArray,
    used: FloatArray,
) -> Validation:
    """Return the prediction with other forces (K, n) in the band; rows that are not used are 0."""
    measured, predicted, friction = measured * used, predicted * used, friction * used
    percent = compute_percent(measured, predicted)
    totals = np.array(validation.rms_percent_total), np.array(percent.total)
    alone, raw = validation.rms_percent, validation.rms_percent_raw
    return replace(
        validation,
        time=time,
        measured=measured,
        predicted=predicted,
        rms_percent=percent.each,
        rms_percent_total=percent.total,
        rms_percent_raw=_exchange_band(raw, alone, percent.each),
        rms_percent_raw_total=float(_exchange_band(np.array(validation.rms_percent_raw_total), *totals)),
        without_friction_percent=compute_percent(measured, predicted, friction).total,
    )


def _exchange_band(whole: FloatArray, before: FloatArray, after: FloatArray) -> FloatArray:
    """Return errors of all frequencies whose part in the band was `before` and is `after`: parts add as squares."""
    return np.sqrt(np.maximum(whole**2 - before**2, 0.0) + after**2)
