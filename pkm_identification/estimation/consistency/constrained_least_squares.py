"""Least squares over physical parameters only.

The conditions are convex and so is the sum of squares: there is one best physical estimate, the nearest to the
unconstrained one in the metric of its information. Where that is physical it is the answer itself. Else the minimum of

    |T (w - w_ls)|^2 / 2 - mu sum log det F_b(w) ,    mu -> 0 ,

is followed (Boyd and Vandenberghe 2004, 11.3). A Newton step of that function is a linear least squares problem with
rows T and sqrt(mu) vec(L^-1 A_j L^-T), F = L L^T, so it keeps the digits that normal equations would lose.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ...errors import NotConverged
from ...motion import FloatArray
from ..equations import Equations
from ..least_squares import LinearFit
from ..prior import Prior
from .constraints import Inequality, inequalities, is_physical
from .coordinates import CLEARANCE, Coordinates

# Excess of the sum of squares over the best at which the path ends, in variances: 1e-5 standard deviations.
GAP = 1e-10
SHRINK = 0.1  # of mu along the path
CENTRED = 1e-3  # squared Newton decrement at which the next mu is taken
MAX_STEPS = 2000
HALVINGS = 60


@dataclass(frozen=True)
class Projection:
    """The nearest physical parameters: values (P,), Newton steps taken, and whether anything had to be moved."""

    values: FloatArray
    iterations: int
    active: bool


def constrained_least_squares(
    fit: LinearFit, equations: Equations, prior: Prior, coordinates: Coordinates, redundancy: float = 1.0
) -> LinearFit:
    """The least squares estimate among physical parameters.

    Parameters
    ----------
    fit : LinearFit
        The unconstrained one of the same equations, whose weights are kept: they are those of a residual that
        no condition has bent.
    equations : Equations
    prior : Prior
    coordinates : Coordinates
    redundancy : float
        Equations per independent one.

    Returns
    -------
    LinearFit
        `fit` itself where it is physical. Else its mean is moved; the covariance stays: moving to the nearest point
        of a convex set brings no estimate further away from any truth within it.
    """
    width = equations.columns.shape[2]
    whitener = np.linalg.inv(np.linalg.cholesky(fit.noise * redundancy))
    rows = (whitener @ (equations.columns * prior.std)).reshape(-1, width)
    triangle = np.linalg.qr(np.concatenate([rows, np.eye(width)]), mode="r")
    moved = project(fit.mean, triangle / prior.std, coordinates)
    if not moved.active:
        return fit
    return replace(
        fit,
        mean=moved.values,
        residual=equations.measured - equations.columns @ moved.values,
        iterations=fit.iterations + moved.iterations,
    )


def project(values: FloatArray, root: FloatArray, coordinates: Coordinates) -> Projection:
    """The physical parameters w that minimise |root (w - values)|.

    Parameters
    ----------
    values : ndarray, shape (P,)
        SI units.
    root : ndarray, shape (n, P)
        A square root of the information, root^T root = covariance^-1.
    coordinates : Coordinates
        Of the parameters.

    Raises
    ------
    NotConverged
        If the path does not reach its end, as with numbers that are not finite.
    """
    conditions = inequalities(coordinates.layout)
    if is_physical(conditions, values):
        return Projection(values, 0, False)
    scale = coordinates.believed.std
    start = coordinates.physical(coordinates.free(values, clearance=CLEARANCE)) / scale
    scaled = [Inequality(one.body, one.constant, one.slopes * scale[:, None, None]) for one in conditions]
    found, steps = _follow(start, values / scale, root * scale, scaled)
    return Projection(found * scale, steps, True)


def _follow(
    point: FloatArray, target: FloatArray, root: FloatArray, conditions: list[Inequality]
) -> tuple[FloatArray, int]:
    """Follow the central path from a physical point; the last point and the number of Newton steps."""
    order = sum(len(one.constant) for one in conditions)
    barrier = max(float(np.sum((root @ (target - point)) ** 2)), 1.0) / order
    steps = 0
    while True:
        while True:
            if steps == MAX_STEPS or not np.all(np.isfinite(point)):
                raise NotConverged(f"no physical estimate was found in {steps} steps")
            steps += 1
            step, decrement = _newton(point, target, root, conditions, barrier)
            point, moved = _searched(point, step, target, root, conditions, barrier)
            if decrement < CENTRED * barrier or not moved:
                break
        if barrier * order <= GAP:
            return point, steps
        barrier *= SHRINK


def _newton(
    point: FloatArray, target: FloatArray, root: FloatArray, conditions: list[Inequality], barrier: float
) -> tuple[FloatArray, float]:
    """Newton step and squared decrement of the barrier function."""
    rows, values = [root], [root @ (target - point)]
    for one in conditions:
        inverse = np.linalg.inv(np.linalg.cholesky(one.matrix(point)))
        flat = (inverse @ one.slopes @ inverse.T).reshape(len(point), -1).T
        rows.append(np.sqrt(barrier) * flat)
        values.append(np.sqrt(barrier) * np.eye(len(inverse)).ravel())
    matrix = np.concatenate(rows)
    orthogonal, triangle = np.linalg.qr(matrix)
    step = np.linalg.solve(triangle, orthogonal.T @ np.concatenate(values))
    return step, float(np.sum((triangle @ step) ** 2))


def _searched(
    point: FloatArray,
    step: FloatArray,
    target: FloatArray,
    root: FloatArray,
    conditions: list[Inequality],
    barrier: float,
) -> tuple[FloatArray, bool]:
    """The point after as much of the step as lowers the function and stays physical, and whether there was any."""
    away, along = root @ (point - target), root @ step
    before = _log_determinants(point, conditions)
    share = 1.0
    for _ in range(HALVINGS):
        trial = point + share * step
        after = _log_determinants(trial, conditions)
        # the change of the squares without the cancellation of two large sums
        change = share * (away @ along) + 0.5 * share**2 * (along @ along) - barrier * (after - before)
        if change < 0.0:
            return trial, True
        share *= 0.5
    return point, False


def _log_determinants(point: FloatArray, conditions: list[Inequality]) -> float:
    """Sum of log det F_b; -inf outside."""
    total = 0.0
    for one in conditions:
        try:
            factor = np.linalg.cholesky(one.matrix(point))
        except np.linalg.LinAlgError:
            return -np.inf
        total += 2.0 * float(np.sum(np.log(np.diag(factor))))
    return total
