"""Forces that were clipped: far more samples at a strut's largest force than just below it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pkm_identification.motion import STRUTS
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.signals.guard import GuardedLog

from .findings import Cause

FLAT = 1e-3  # of the largest force: how near samples at the limit are to each other
FEWEST = 20  # samples at the limit
CROWDED = 8.0  # times as many as in the mean of the steps below


def saturation(logs: Sequence[GuardedLog], ratio: FloatArray) -> list[Cause]:
    """Struts (ratio (6,): residual over floor) whose forces end at a limit, the worst fitted first."""
    force = np.concatenate([log.force for log in logs if log.force is not None])
    suspects = []
    for k in range(STRUTS):
        size = np.abs(force[:, k])
        most = float(size.max(initial=0.0))
        width = FLAT * most
        at = int(np.count_nonzero(size > most - width))
        below = np.count_nonzero((size > most - 6 * width) & (size <= most - width)) / 5.0
        if most == 0.0 or at < FEWEST or at < CROWDED * max(below, 1.0):
            continue
        share = at / len(size)
        cause = Cause(
            f"saturation_{k + 1}",
            most,
            width,
            "N",
            1.0,
            "Move less fast, or raise the range of the current measurement (drive.motor.force_limit)",
            "saturation",
            detail=f"{100 * share:.2g} % of the samples",
        )
        suspects.append((float(ratio[k]), cause))
    return [cause for _, cause in sorted(suspects, key=lambda pair: -pair[0])]
