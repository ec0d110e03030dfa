# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Where the platform's centre of mass is, from the first moments and the mass that were identified."""

from __future__ import annotations

import numpy as np

from pkm_identification.estimation.estimate import ParameterEstimate
from pkm_identification.estimation.statuses import is_known
from pkm_identification.numerics.arrays import FloatArray

NAMES = ("m_p", "mx_p", "my_p", "mz_p")


def find_center_position(estimate: ParameterEstimate) -> tuple[FloatArray, FloatArray] | None:
    """Place (3,) and standard deviations (3,) in m in the platform frame; None unless all four are identified.

    The deviations are those of a quotient to first order: mass and first moments are correlated.
    """
    if not set(NAMES) <= set(estimate.names):
        return None
    places = [estimate.names.index(name) for name in NAMES]
    if any(not is_known(estimate.status[index]) for index in places) or estimate.values[places[0]] <= 0.0:
        return None
    mass, *moments = estimate.values[places]
    center = np.array(moments) / mass
    slope = np.column_stack([-center, np.eye(3)]) / mass
    covariance = estimate.covariance[np.ix_(places, places)]
    return center, np.sqrt(np.diag(slope @ covariance @ slope.T))
