"""Friction along the struts: viscous and Coulomb, linear through zero (Oh 2003, 4.5)."""

from __future__ import annotations

import numpy as np

from ..machine import Friction
from ..motion import FloatArray


def friction_force(rate: FloatArray, friction: Friction) -> FloatArray:
    """Force the drive needs against friction.

    F = c_v L' + F_c clip(L' / v_t, -1, 1), v_t the transition rate. The viscous part acts at every rate, which keeps
    the law continuous (the source drops it inside the transition).

    Parameters
    ----------
    rate : ndarray, shape (..., 6)
        Strut rates in m/s.
    friction : Friction

    Returns
    -------
    ndarray, shape (..., 6)
        N, with the sign of the rate.
    """
    return friction.viscous * rate + friction.coulomb * np.clip(rate / friction.transition_rate, -1, 1)
