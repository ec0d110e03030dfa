"""Forces that were clipped: far more samples at a strut's largest force than just below it.

What clipping takes away may look like noise, and then no residual shows it. Its effect is what a strut's equations
away from the clipped samples say otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from pkm_identification.motion import STRUTS
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.signals.guard import GuardedLog

from .evidence_base import EvidenceBase
from .findings import Cause

FLAT = 1e-3  # of the largest force: how near samples at the limit are to each other
FEWEST = 20  # samples at the limit
CROWDED = 8.0  # times as many as in the mean of the steps below
CLEAR = 5.0  # standard deviations of what leaving out right samples would change


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


def without_clipped(
    clipped: Sequence[Cause],
    logs: Sequence[GuardedLog],
    evidence: EvidenceBase,
    floor: FloatArray,
    reach: float,
) -> tuple[FloatArray, bool]:
    """What the reported parameters change by where a strut's equations near its clipped samples are left out.

    Parameters
    ----------
    clipped : sequence of Cause
        Of `saturation`.
    logs : sequence of GuardedLog
    evidence : EvidenceBase
        Of all equations of these logs.
    floor : ndarray, shape (6,)
        Noise of the equations, N.
    reach : float
        Time over which a sample enters an equation, s.

    Returns
    -------
    change : ndarray, shape (P,)
        SI units.
    clear : bool
        Whether leaving out right samples would hardly change as much.
    """
    problem = evidence.problem
    equations, counts = problem.equations, np.ones((len(problem.equations), STRUTS))
    for cause in clipped:
        strut = int(cause.name.rpartition("_")[2]) - 1
        for number, log in enumerate(logs):
            if log.force is None:
                continue
            at = log.time[np.abs(log.force[:, strut]) > cause.value - cause.std]
            own = np.flatnonzero(problem.log == number)
            first, last = (np.searchsorted(at, equations.time[own] + way) for way in (-reach, reach))
            counts[own[last > first], strut] = 0.0
    elsewhere = replace(
        equations, regressor=equations.regressor * counts[:, :, None], measured=equations.measured * counts
    )
    everywhere, rest = (
        replace(evidence, problem=replace(problem, equations=these)).base(floor)
        for these in (equations, elsewhere)
    )
    change = evidence.moved(rest.solution - everywhere.solution)
    # the covariance of the difference between an estimate and one from a part of its data
    by_chance = np.maximum(evidence.variance(rest) - evidence.variance(everywhere), 0.0)
    clear = change**2 > CLEAR**2 * everywhere.correlation * by_chance
    return change, bool(np.any(clear))
