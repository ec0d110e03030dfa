# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""How fast strut loops may be when the drives' forces come late: at a stated margin, however the delay changes.

With the bandwidth w0 and the damping ratio D, mass m and viscous friction c, the open loop of one strut is

    L(s) = w0 (m w0 + c + 2 D m s) / (s (m s + c)).

Friction only adds to its phase, so c = 0 is the worst case: its crossover is r w0 with
r^2 = 2 D^2 + sqrt(4 D^4 + 1), its phase margin atan(2 D r), and a constant delay T takes r w0 T of that. For a delay
that changes as it likes between 0 and T the loop is stable as long as |L / (1 + L)| < 1 / (w T) at all w (C.-Y. Kao and
B. Lincoln, Simple stability criteria for systems with time-varying delays, Automatica 40, 2004), which here means
w0 T < 1 / (2 D), or 1 if D is small: beyond the crossover |L / (1 + L)| falls as 2 D w0 / w.
"""

from __future__ import annotations

import numpy as np

PHASE_MARGIN = np.radians(
    30.0
)  # left at the longest delay; half of the loop's own where that is less than 60 degrees
SHARE = 2.0 / 3.0  # of what a changing delay allows


def fastest(delay: float, damping: float) -> float:
    """Largest bandwidth w0 in rad/s of a strut loop whose forces are up to `delay` s late; infinite without delay.

    Parameters
    ----------
    delay : float
        s, the longest time from a sample to the force that answers it.
    damping : float
        Damping ratio D.
    """
    if delay <= 0.0:
        return float("inf")
    crossover = np.sqrt(2 * damping**2 + np.sqrt(4 * damping**4 + 1))
    own = np.arctan(2 * damping * crossover)
    constant = (own - min(PHASE_MARGIN, 0.5 * own)) / crossover
    changing = SHARE * min(1.0, 1.0 / (2 * damping), own)
    return float(min(constant, changing)) / delay
