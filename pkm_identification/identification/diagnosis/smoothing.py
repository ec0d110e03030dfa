# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""What the kinematic low-pass makes of friction, as columns that every explanation of a log begins with.

The low-pass rounds the rates where a strut turns back, and with them the bend of the friction law. What it rounds off
is near to what another, lower low-pass would round off besides, times a factor that is not known well: with an error
that falls with the power p of the cutoff it is 1 / (1.5^p - 1), .7 to .25 for p = 2.2 to 4, and the noise of encoders
makes it smaller. A diagnosis that leaves it out finds delays of hundredths of a millisecond and other bends of friction
in right logs. An estimate states the same as a part of its deviations (`solve.compute_systematic_covariance`).
"""

from __future__ import annotations

from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.segments import segment_slices
from pkm_identification.signals.butterworth import low_pass, zero_phase
from pkm_identification.signals.causal import FilterSettings

from ..model_errors.situation import Situation, diagonal

LOWER = 1.5  # times lower is the cutoff of the other low-pass
FACTOR = 1.0  # standard deviation of the factor before the data


def smoothed_friction(situation: Situation, filtered: FilterSettings) -> FloatArray | None:
    """Return each drive's friction of its rates less that of smoother ones, in the band, shape (K, n, n).

    None where the friction law has no term that reverses.

    Parameters
    ----------
    situation : Situation
    filtered : FilterSettings
        The kinematic low-pass that its rates have passed.
    """
    rows = situation.rows
    if all(one.law.reversing is None for one in situation.friction):
        return None
    sections = low_pass(filtered.order, filtered.cutoff / LOWER, 1.0 / filtered.period)
    smoother = rows.motion.rate.copy()
    for part in segment_slices(rows.samples.segment):
        smoother[part] = zero_phase(sections, smoother[part])
    rounded = situation.transition_of(situation.friction, smoother)
    return diagonal(rows.in_band((situation.transition - rounded) * situation.coulomb))
