"""Change of the Coulomb force by somewhat more smoothing of the strut rates: a systematic error, sample by sample.

`estimation.filters.uncertainty` turns it into a part of the standard deviations.
"""

from __future__ import annotations

from pkm_identification.mechanisms.friction import friction_shape
from pkm_identification.numerics.compiled import kernel

STRONGER = 1.5  # how much lower a cutoff is tried, as offline


@kernel
def smoothed_bend(jacobian, twist, shape, rates, place, bend):
    """Write what the mean of the last strut rates instead of the middle one makes of the Coulomb shape (6,).

    `rates` (n, 6) is the ring of the last rates, its row `place` is overwritten with the present ones; n is odd.
    """
    count = rates.shape[0]
    for i in range(6):
        rate = 0.0
        for k in range(6):
            rate += jacobian[i, k] * twist[k]
        rates[place, i] = rate
        mean = 0.0
        for n in range(count):
            mean += rates[n, i] / count
        middle = rates[(place - count // 2) % count, i]
        bend[i] = friction_shape(mean, shape)[1] - friction_shape(middle, shape)[1]


def smoothing_count(cutoff: float, period: float) -> int:
    """How many rates to average (odd) for a low-pass at two thirds of the kinematic cutoff (Hz)."""
    # a mean of n samples passes half the power at 0.443 / (n period)
    return max(3, 2 * round(0.5 * (0.443 * STRONGER / (cutoff * period) - 1.0)) + 1)
