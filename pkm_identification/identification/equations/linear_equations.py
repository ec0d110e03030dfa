# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""The equations an estimator gets: model columns and measured output, both through the same narrow low-pass.

Filtering only the measured side would compare different things as soon as Coulomb friction bends the force;
filtering both sides alike is exact (docs/method.md). What passes the band is sampled just above its Nyquist
rate, so that successive equations are nearly independent.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pkm_identification.estimation.equations import Equations
from pkm_identification.mechanisms.model import LinearModel
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.parameter_set import ParameterSet
from pkm_identification.signals.band import BandSettings

from .band_rows import band_pieces, through_band


def linear_equations(
    model: LinearModel[Any],
    parameters: ParameterSet,
    motion: Any,
    measured: FloatArray,
    segment: NDArray[np.int64],
    band: BandSettings,
    online: bool = False,
    nuisance: Callable[[Any], FloatArray] | None = None,
) -> Equations:
    """Equations of a model that is linear in its parameters, whatever the mechanism.

    Parameters
    ----------
    model : LinearModel
        Of m outputs.
    parameters : ParameterSet
        The unknowns.
    motion
        The model's own batch of N motion samples, with stamps `time` (N,) and slices; on the regular clock within each
        segment.
    measured : ndarray, shape (N, m)
        Outputs, with the same delay as the motion.
    segment : ndarray of int64, shape (N,)
    band : BandSettings
    online : bool
        Causal filters and their transient, as the online estimator has them; else zero-phase.
    nuisance : callable, optional
        Columns (n, m, nuisance parameters) of n motion samples for the last parameters, which the model does not have.
    """
    mapping = np.column_stack([parameters.mapping, parameters.known])
    parts = []
    for piece in band_pieces(segment, band, online):
        part, chosen = piece.part, piece.chosen
        raw = model.regressor(motion[part], mapping)
        if parameters.nuisance and nuisance is not None:
            # in front of what is known
            raw[:, :, -1 - parameters.nuisance : -1] = nuisance(motion[part])
        picked = through_band(raw, piece, band, online)
        output = through_band(measured[part], piece, band, online)
        parts.append(
            Equations(
                time=motion.time[part][chosen],
                regressor=picked[:, :, :-1],
                measured=output - picked[:, :, -1],
                force=output,
                segment=segment[part][chosen],
            )
        )
    return Equations.joined(parts or [Equations.empty(len(model.outputs), len(parameters))])
