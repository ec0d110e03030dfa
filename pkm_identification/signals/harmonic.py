# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""The first harmonic of a periodic answer."""

from __future__ import annotations

import numpy as np

from pkm_identification.numerics.arrays import FloatArray


def harmonic(time: FloatArray, values: FloatArray, frequency: float, drifting: bool = False) -> complex:
    """First harmonic by least squares beside a mean, as a multiple of sin(2 pi f t).

    Parameters
    ----------
    time, values : ndarray, shape (N,)
        s; whole periods, over which higher harmonics stay out.
    frequency : float
        Hz.
    drifting : bool
        Fit a slope besides. It takes some of the odd harmonics of an answer that does not drift.
    """
    angle = 2 * np.pi * frequency * time
    columns = [np.sin(angle), np.cos(angle), np.ones_like(time)]
    if drifting:
        columns.append(time - time.mean())
    sine, cosine, *_ = np.linalg.lstsq(np.column_stack(columns), values, rcond=None)[0]
    return complex(sine, cosine)
