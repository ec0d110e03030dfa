# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Forces of logs that were not used, as the full model predicts them: with the effects that it found."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pkm_identification.estimation.posterior.answer import FoundModel
from pkm_identification.numerics.arrays import FloatArray

from ..experiment import Experiment
from ..model_errors.unsearched import GAIN_DRIFT, OFFSET_DRIFT
from ..validation import Validation, compute_percent
from .equations import build_full_equations

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
    full = (full.with_seldom(found.values) if found.seldom else full).relinearise(found.values)
    steady = found.values.copy()
    for nuisance, own in full.list_effects():
        if nuisance.effect.name in OF_ONE_LOG:
            steady[own] = 0.0
    problem = full.problem
    used = np.ones_like(full.measured) if problem.used is None else problem.used.astype(float)
    predicted, measured = (full.columns @ steady) * used, problem.equations.force * used
    # what is known beforehand is on neither side of the equations
    predicted += (problem.equations.force - full.measured) * used
    rubbing = np.array([entry.kind.friction for entry in problem.parameters.entries])
    friction = (full.columns[:, :, : len(rubbing)] @ (steady[: len(rubbing)] * rubbing)) * used
    percent = compute_percent(measured, predicted)
    totals = np.array(validation.rms_percent_total), np.array(percent.total)
    alone, raw = validation.rms_percent, validation.rms_percent_raw
    return replace(
        validation,
        time=problem.equations.time,
        measured=measured,
        predicted=predicted,
        rms_percent=percent.each,
        rms_percent_total=percent.total,
        rms_percent_raw=_exchange_band(raw, alone, percent.each),
        rms_percent_raw_total=float(_exchange_band(np.array(validation.rms_percent_raw_total), *totals)),
        parameters_percent=validation.rms_percent_total,
        without_friction_percent=compute_percent(measured, predicted, friction).total,
    )


def _exchange_band(whole: FloatArray, before: FloatArray, after: FloatArray) -> FloatArray:
    """Return errors of all frequencies whose part in the band was `before` and is `after`: parts add as squares."""
    return np.sqrt(np.maximum(whole**2 - before**2, 0.0) + after**2)
