# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Two estimators on one log that contradict each other: an alarm of its own, whatever the fit looks like."""

from __future__ import annotations

import numpy as np

from pkm_identification.numerics.arrays import FloatArray

from .estimate import ParameterEstimate
from .identifiability import IDENTIFIABLE

SEVERAL = 5.0  # standard deviations


def disagreement(estimate: ParameterEstimate, batch: FloatArray) -> str:
    """Return how an estimate contradicts the batch fit (P,) of the same equations, in words; empty where they agree.

    On one log both minimise the same squares: what is between them is not noise. An estimate that is kept consistent
    may differ by what no body can have, and then says so here.
    """
    shown = np.array([one == IDENTIFIABLE for one in estimate.status])
    apart = np.where(shown, np.abs(estimate.values - batch) / estimate.std, 0.0)
    worst = int(np.argmax(apart))
    if not apart[worst] > SEVERAL:
        return ""
    return (
        f"{estimate.estimator} and least squares differ by {apart[worst]:.2g} standard deviations in "
        f"{estimate.names[worst]}"
    )
