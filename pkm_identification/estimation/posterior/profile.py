# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Deviations of values of which the posterior is skewed: how far a value can go before the cost has grown by one.

A factor that is guessed is no longer normal: its Gaussian at the mode is too narrow on one side. Along a value, with
all else following, the cost says where one standard deviation is.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from pkm_identification.numerics.arrays import FloatArray

from .mode import CurvedModel, Information, Mode, NormalEquations

View = Callable[[FloatArray, FloatArray, FloatArray], tuple[float, FloatArray]]
STIFFNESS = 1e3  # of the spring that holds a value, over its own precision
STEPS, ROUNDS = 20, 4  # Gauss-Newton steps to follow, and corrections of how far to go
CLOSE = 0.1  # of the cost: how far is known to a twentieth then
FARTHEST = 4.0  # Gaussian deviations


def compute_profile_deviations(
    model: CurvedModel, equations: NormalEquations, mode: Mode, view: View, std: float
) -> tuple[float, float]:
    """Return how far below and above the mode a value is where the cost has grown by one.

    Parameters
    ----------
    model, equations, mode
        Of the posterior.
    view : callable
        Value and slope (p,) at unknowns (p,), with what the model computes there.
    std : float
        Gaussian deviation of the value, by the mode's covariance.
    """
    below, above = (_find_side(model, equations, mode, view, side * std) for side in (-1.0, 1.0))
    return below, above


def _find_side(model: CurvedModel, equations: NormalEquations, mode: Mode, view: View, way: float) -> float:
    value = view(mode.unknowns, mode.values, mode.slope)[0]
    own, unknowns, reached = abs(way), mode.unknowns, 0.0
    form = Information.of(equations, mode.slope[:, model.bent :], 1.0)
    for _ in range(ROUNDS):
        for share in (0.5, 1.0):  # half the way first: what follows is curved, too
            target = value + reached + share * (way - reached)
            unknowns, held, cost = _hold(model, equations, form, unknowns, view, target, STIFFNESS / own**2)
        reached = held - value
        grown = max(cost - mode.cost, 1e-6)
        aim = abs(reached) / float(np.sqrt(grown))
        if abs(grown - 1.0) < CLOSE:
            break
        way = float(np.copysign(np.clip(aim, 0.5 * abs(way), min(2.0 * abs(way), FARTHEST * own)), way))
    return float(np.clip(aim, own / FARTHEST, own * FARTHEST))


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
        information = form.compute(slope) + spring * np.outer(direction, direction)
        gradient = slope.T @ (equations.pull - equations.gram @ values) - unknowns
        gradient += spring * (target - own) * direction
        step = np.linalg.solve(information, gradient)
        unknowns = unknowns + step * min(1.0, 1.0 / max(float(np.max(np.abs(step))), 1e-300))
        values, slope = model.compute(unknowns)
        own, direction = view(unknowns, values, slope)
        if float(gradient @ step) < 1e-4:
            break
    return unknowns, own, equations.cost(values) + float(unknowns @ unknowns)
