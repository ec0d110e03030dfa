"""Friction along the struts: a family of laws, each c_v a(L') + F_c b(L') with its own two shapes a and b.

=========  =========================================  ====================================================
law        a, per viscous coefficient c_v             b, per Coulomb coefficient F_c
=========  =========================================  ====================================================
coulomb    L'                                         clip(L' / v_t, -1, 1)
source     L' where |L'| > v_t, else 0                clip(L' / v_t, -1, 1)
stribeck   L'                                         clip(L' / v_t, -1, 1) (1 + (k - 1) exp(-(L' / v_s)^2))
smooth     L'                                         tanh(L' / v_t)
=========  =========================================  ====================================================

v_t is the transition rate, k the static ratio (breakaway by Coulomb friction), v_s the Stribeck rate. `source` is
Oh 2003, 4.5, to the letter: no viscous part inside the transition, hence a jump of c_v v_t at its ends; `coulomb`
closes that jump. `smooth` has derivatives of every order. Every law is linear in c_v and F_c, so that inverse and
forward dynamics, regressor, energy model, simulator and controller all use these shapes; v_t, k and v_s are known.
"""

from __future__ import annotations

import numpy as np

from pkm_identification.motion import STRUTS
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.compiled import inlined, kernel

from .hexapod.machine import Friction

# Numbers of the laws in kernels: their places in `machine.FRICTION_LAWS`.
_SOURCE, _STRIBECK, _SMOOTH = 1, 2, 3


@inlined
def _clipped(rate, transition):
    # a missing rate stays missing, which min and max do not promise
    if rate >= transition:
        return 1.0
    if rate <= -transition:
        return -1.0
    return rate / transition


@kernel
def friction_shape(rate, shape):
    """(a, b) of the law at one rate: friction in N is viscous * a + coulomb * b.

    `rate` and a are in m/s, b has no unit; `shape` is `Friction.shape`, or a tuple of the same four numbers.
    """
    law, transition = shape[0], shape[1]
    if law == _SMOOTH:
        return rate, np.tanh(rate / transition)
    bend = _clipped(rate, transition)
    if law == _SOURCE and abs(rate) <= transition:
        return 0.0, bend
    if law == _STRIBECK:
        bend *= 1.0 + (shape[2] - 1.0) * np.exp(-((rate / shape[3]) ** 2))
    return rate, bend


@kernel
def friction_slopes(rate, shape):
    """Derivatives of (a, b) by the rate; at a corner, those of the transition inside it."""
    law, transition = shape[0], shape[1]
    if law == _SMOOTH:
        bend = np.tanh(rate / transition)
        return 1.0, (1.0 - bend * bend) / transition
    inside = abs(rate) <= transition
    slope = 1.0 / transition if inside else 0.0
    if law == _SOURCE and inside:
        return 0.0, slope
    if law == _STRIBECK:
        excess = (shape[2] - 1.0) * np.exp(-((rate / shape[3]) ** 2))
        slope = slope * (1.0 + excess) - _clipped(rate, transition) * excess * 2.0 * rate / shape[3] ** 2
    return 1.0, slope


@kernel
def _shapes(rate, shape, viscous, coulomb):
    for n in range(rate.size):
        viscous[n], coulomb[n] = friction_shape(rate[n], shape)


def friction_shapes(rate: FloatArray, friction: Friction) -> tuple[FloatArray, FloatArray]:
    """The law's two shapes: friction is viscous * a + coulomb * b.

    Parameters
    ----------
    rate : ndarray, shape (..., 6)
        Strut rates in m/s.
    friction : Friction
        Its law, transition rate, static ratio and Stribeck rate are used; its coefficients are not.

    Returns
    -------
    a, b : ndarray, shape (..., 6)
        a in m/s, b without unit; NaN where the rate is.
    """
    rate = np.ascontiguousarray(rate, dtype=float)
    viscous, coulomb = np.empty(rate.shape), np.empty(rate.shape)
    _shapes(rate.ravel(), friction.shape, viscous.ravel(), coulomb.ravel())
    return viscous, coulomb


def friction_force(rate: FloatArray, friction: Friction) -> FloatArray:
    """Force the drive needs against friction, by the law the machine file names.

    The default is F = c_v L' + F_c clip(L' / v_t, -1, 1), v_t the transition rate (Oh 2003, 4.5, made continuous);
    the module's table has the others.

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
    viscous, coulomb = friction_shapes(rate, friction)
    if viscous.shape[-1:] != (STRUTS,):
        raise ValueError(f"rate has shape {viscous.shape}, expected (..., {STRUTS})")
    return friction.viscous * viscous + friction.coulomb * coulomb
