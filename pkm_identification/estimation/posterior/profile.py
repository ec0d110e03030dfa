# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Deviations of values of which the posterior is skewed: how far a value can go before the cost has grown by nine.

A factor that is guessed is no longer normal: its Gaussian at the mode is too narrow on one side. Along a value, with
all else following, the cost says where three standard deviations are; a third of that is stated.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from pkm_identification.numerics.arrays import FloatArray

from .mode import CurvedModel, Information, Mode, NormalEquations

View = Callable[[FloatArray, FloatArray, FloatArray], tuple[float, FloatArray]]
STIFFNESS = 1e3  # of the spring that holds a value, over its own precision
STEPS, ROUNDS = 10, 8  # Gauss-Newton steps to follow, and corrections of how far to go
REACH = 3.0  # deviations: as far as what is stated is to hold
CLOSE = 0.15  # deviations: how far is known to a twentieth then
FOLLOWED = 0.03  # of the cost: what another step would take off
FARTHEST = 5.0  # times the Gaussian deviation


def compute_profile_deviations(
    model: CurvedModel, equations: NormalEquations, mode: Mode, view: View, moved: FloatArray
) -> tuple[float, float]:
    """Return a third of how far below and above the mode a value is where the cost has grown by nine.

    Parameters
    ----------
    model, equations, mode
        Of the posterior.
    view : callable
        Value and slope (p,) at unknowns (p,), with what the model computes there.
    moved : ndarray, shape (p,)
        Covariance of the unknowns, as the mode has it, times the value's slope.
    """
    below, above = (_find_side(model, equations, mode, view, moved, side * REACH) for side in (-1.0, 1.0))
    return below / REACH, above / REACH


def is_skewed(
    model: CurvedModel,
    equations: NormalEquations,
    mode: Mode,
    view: View,
    moved: FloatArray,
    tolerance: float,
) -> bool:
    """Return whether a value or the cost, three Gaussian deviations away, is not what a Gaussian would make them.

    Parameters
    ----------
    model, equations, mode, view
        As of `compute_profile_deviations`.
    moved : ndarray, shape (p,)
        Covariance of the unknowns times the value's slope.
    tolerance : float
        Factor by which the ways may differ.
    """
    value, slope = view(mode.unknowns, mode.values, mode.slope)
    std = float(np.sqrt(slope @ moved))
    for side in (-REACH, REACH):
        unknowns = mode.unknowns + side * moved / std
        values, its_slope = model.compute(unknowns)
        off = abs(view(unknowns, values, its_slope)[0] - value) / std
        grown = np.sqrt(max(equations.cost(values) + float(unknowns @ unknowns) - mode.cost, 0.0))
        if not (
            REACH / tolerance < off < REACH * tolerance and REACH / tolerance < grown < REACH * tolerance
        ):
            return True
    return False


def _find_side(
    model: CurvedModel, equations: NormalEquations, mode: Mode, view: View, moved: FloatArray, side: float
) -> float:
    value, slope = view(mode.unknowns, mode.values, mode.slope)
    own = abs(side) * float(np.sqrt(slope @ moved))
    spring = STIFFNESS / own**2
    # distance and root of the cost's growth: of the farthest that is too near, and of the nearest that is too far
    near, far, there = (0.0, 0.0), (np.inf, np.inf), mode.unknowns
    start = mode.unknowns + np.sign(side) * own * moved / float(slope @ moved)  # as if nothing was skewed
    way = own
    for _ in range(ROUNDS):
        found, held, cost = _hold(
            model, equations, mode.form, start, view, value + np.sign(side) * way, spring
        )
        tried = (abs(held - value), float(np.sqrt(max(cost - mode.cost, 0.0))))
        if abs(tried[1] - REACH) < CLOSE:
            way = tried[0] * REACH / tried[1]
            break
        if tried[1] < REACH and tried[0] > FARTHEST * own:
            break
        if tried[1] < REACH:
            near, there = tried, found
        else:
            far = tried
        if np.isinf(far[0]):
            way = min(3.0, REACH / max(tried[1], 1e-3)) * tried[0]
        else:
            way = near[0] + (far[0] - near[0]) * (REACH - near[1]) / (far[1] - near[1])
        start = there
    return float(np.clip(way, own / FARTHEST, own * FARTHEST))


def _hold(
    model: CurvedModel,
    equations: NormalEquations,
    form: Information,
    start: FloatArray,
    view: View,
    target: float,
    spring: float,
) -> tuple[FloatArray, float, float]:
    """Return the unknowns of least cost at which a value is held at a target, the value there and that cost."""
    unknowns = start
    values, slope = model.compute(unknowns)
    own, direction = view(unknowns, values, slope)
    for _ in range(STEPS):
        gradient = slope.T @ equations.find_score(values) - unknowns
        gradient += spring * (target - own) * direction
        factor = form.factorise(slope)
        step, yields = factor.solve(gradient), factor.solve(direction)
        # the spring is one direction more (Sherman and Morrison)
        step -= yields * spring * float(direction @ step) / (1.0 + spring * float(direction @ yields))
        unknowns = unknowns + step * min(1.0, 1.0 / max(float(np.max(np.abs(step))), 1e-300))
        values, slope = model.compute(unknowns)
        own, direction = view(unknowns, values, slope)
        if float(gradient @ step) < FOLLOWED:
            break
    return unknowns, own, equations.cost(values) + float(unknowns @ unknowns)
