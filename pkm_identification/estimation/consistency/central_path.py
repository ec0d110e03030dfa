# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The point of a convex set nearest to another in some metric, along the central path of its barrier.

    |T (w - w_0)|^2 / 2 - mu sum log det F_b(w) ,    mu -> 0

(Boyd and Vandenberghe 2004, 11.3). A Newton step of that function is a linear least squares problem with rows T and
sqrt(mu) vec(L^-1 A_j L^-T), F = L L^T, so it keeps the digits that normal equations would lose.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np

from pkm_identification.errors import NotConverged
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.parameter_set import ParameterSet

from .constraints import Inequality

# Excess over the least sum of squares at which the path ends, in variances, and relative to that sum: 3e-4 standard
# deviations. Much closer to the bounds, rounding decides on which side of them a point lies.
GAP, RELATIVE_GAP = 1e-7, 1e-9
SHRINK = 0.1  # of mu along the path
CENTRED = 1e-2  # squared Newton decrement, relative to mu, at which the next mu is taken
MAX_STEPS = 100  # for one mu
HALVINGS = 60


@dataclass(frozen=True)
class Projection:
    """The nearest physical parameters: values (P,), Newton steps taken, and whether anything had to be moved."""

    values: FloatArray
    iterations: int
    active: bool


class Physical(Protocol):
    """Of a parameter set whose values some machine must have.

    Attributes
    ----------
    each_body : bool
        Whether parameters are those of one body each, so that all values together must be possible, and not their sums.
    """

    each_body: ClassVar[bool]

    def project(self, values: FloatArray, root: FloatArray) -> Projection:
        """Return the physical parameters w that minimise |root (w - values)|, of finite values (P,)."""

    def is_possible(self, values: FloatArray) -> bool:
        """Return whether bodies have all of these values (P,), where that can be determined without a distance."""

    def name_violations(self, values: FloatArray, status: tuple[str, ...]) -> list[str]:
        """Return in words what of the identified parameters (P,) no body can have; of sums no single one says it."""

    def find_sizes(self, parameters: ParameterSet) -> FloatArray:
        """Return a large change (P,) of each parameter."""


def stack_conditions(conditions: list[Inequality], scale: FloatArray) -> list[tuple[FloatArray, FloatArray]]:
    """Conditions of one size together: constants (B, n, n) and slopes (P, B, n, n) by scaled parameters."""
    stacks = []
    for size in sorted({len(one.constant) for one in conditions}):
        alike = [one for one in conditions if len(one.constant) == size]
        slopes = np.stack([one.slopes for one in alike], axis=1) * scale[:, None, None, None]
        stacks.append((np.stack([one.constant for one in alike]), slopes))
    return stacks


def _build_matrices(point: FloatArray, stack: tuple[FloatArray, FloatArray]) -> FloatArray:
    return stack[0] + np.tensordot(point, stack[1], axes=1)


def follow_path(
    point: FloatArray, target: FloatArray, root: FloatArray, stacks: list[tuple[FloatArray, FloatArray]]
) -> tuple[FloatArray, int]:
    """Follow the central path from a physical point; the last point and the number of Newton steps."""
    order = sum(constants[..., 0].size for constants, _ in stacks)
    misfit = float(np.sum((root @ (target - point)) ** 2))
    barrier = max(misfit, 1.0) / order
    total = 0
    while True:
        for steps in range(MAX_STEPS + 1):
            if steps == MAX_STEPS or not np.isfinite(misfit):
                raise NotConverged(f"no physical estimate was found in {total} steps (misfit {misfit:.3g})")
            total += 1
            step, decrement = _solve_newton_step(point, target, root, stacks, barrier)
            point, moved = _search_line(point, step, target, root, stacks, barrier)
            if decrement < CENTRED * barrier or not moved:
                break
        misfit = float(np.sum((root @ (target - point)) ** 2))
        if barrier * order <= GAP + RELATIVE_GAP * misfit:
            return point, total
        barrier *= SHRINK


def _solve_newton_step(
    point: FloatArray,
    target: FloatArray,
    root: FloatArray,
    stacks: list[tuple[FloatArray, FloatArray]],
    barrier: float,
) -> tuple[FloatArray, float]:
    """Newton step and squared decrement of the barrier function."""
    rows, values = [root], [root @ (target - point)]
    for stack in stacks:
        inverse = np.linalg.inv(np.linalg.cholesky(_build_matrices(point, stack)))
        flat = inverse @ stack[1] @ inverse.transpose(0, 2, 1)
        rows.append(np.sqrt(barrier) * flat.reshape(len(point), -1).T)
        identity = np.broadcast_to(np.eye(inverse.shape[-1]), inverse.shape)
        values.append(np.sqrt(barrier) * identity.ravel())
    orthogonal, triangle = np.linalg.qr(np.concatenate(rows))
    step = np.linalg.solve(triangle, orthogonal.T @ np.concatenate(values))
    return step, float(np.sum((triangle @ step) ** 2))


def _search_line(
    point: FloatArray,
    step: FloatArray,
    target: FloatArray,
    root: FloatArray,
    stacks: list[tuple[FloatArray, FloatArray]],
    barrier: float,
) -> tuple[FloatArray, bool]:
    """The point after as much of the step as lowers the function and stays physical, and whether there was any."""
    away, along = root @ (point - target), root @ step
    before = _log_determinants(point, stacks)
    share = 1.0
    for _ in range(HALVINGS):
        trial = point + share * step
        after = _log_determinants(trial, stacks)
        # the change of the squares without the cancellation of two large sums
        change = share * (away @ along) + 0.5 * share**2 * (along @ along) - barrier * (after - before)
        if change < 0.0:
            return trial, True
        share *= 0.5
    return point, False


def _log_determinants(point: FloatArray, stacks: list[tuple[FloatArray, FloatArray]]) -> float:
    """Sum of log det F_b; -inf outside."""
    total = 0.0
    for stack in stacks:
        try:
            factor = np.linalg.cholesky(_build_matrices(point, stack))
        except np.linalg.LinAlgError:
            return -np.inf
        total += 2.0 * float(np.sum(np.log(np.diagonal(factor, axis1=1, axis2=2))))
    return total
