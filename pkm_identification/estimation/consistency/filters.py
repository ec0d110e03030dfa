# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""A parameter filter whose every estimate is physical.

Forces are linear in the parameters w, so the linear filter collects what the equations say of w without any error:
its mean and covariance P, prior included. Free coordinates theta (`coordinates`) are then those that

    minimise  |S^-1 (mean - w(theta))|^2 + |theta|^2 ,    P = S S^T ,

by Gauss-Newton: the iterated measurement update of a Kalman filter (Bell and Cathey 1993), taken by the same
square-root steps as an equation. The covariance stays P: the estimate is the point of a convex set that is nearest
to the mean in its metric, and going there brings no estimate further away from any truth within the set.

Where a parameter presses against its bound, the logarithm of its excess curves the model as strongly as it tilts it:
Gauss-Newton, which leaves that out, would creep. Its positive part (`compute_slot_curvature`) is a prior of
the step.

The prior counts once, in the linear filter. |theta|^2, in units WIDE times theta's own prior, only keeps the
steps finite where a bound makes w insensitive to theta: 1 / WIDE^2 of the prior's information.

A filter that takes the equations one by one in theta does not do: whatever curvature the first ones meet, linearised
or by sigma points, stays in the estimate for ever. `docs/consistency.md` has the numbers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.compiled import kernel
from pkm_identification.numerics.rows import copy_vector
from pkm_identification.parameters.prior import Prior

from ..filters.parameter_filter import ParameterFilter
from ..filters.square_root import potter_update
from .coordinates import (
    BLOCK,
    FreeCoordinates,
    compute_slot_curvature,
    compute_slot_jacobian,
    compute_slot_moments,
)

if TYPE_CHECKING:
    from ..whitening import Coordinates

# Standard deviation of theta's regulariser, in standard deviations of the prior of theta.
WIDE = 10.0
MAX_ITERATIONS = 50
# A Gauss-Newton step that is expected to improve the fit by less, in variances, is the last.
SETTLED = 1e-3
HALVINGS = 40


class MisfitWork(NamedTuple):
    """What a misfit comes by: free coordinates, moments and residual (P,), and room for two blocks (2, BLOCK)."""

    lowered: FloatArray
    moments: FloatArray
    residual: FloatArray
    block: FloatArray


@kernel
def _compute_misfit(inverse, target, theta, centre, scale, slots, lifting, work):
    """|S^-1 (target - w)|^2 + |theta|^2 for theta in units of its regulariser; moments and residual on the way."""
    lowered = work.lowered
    for k in range(theta.size):
        lowered[k] = centre[k] + scale[k] * theta[k]
    compute_slot_moments(lowered, slots, work.block[0], work.block[1], work.moments)
    away = target - lifting @ work.moments
    copy_vector(inverse @ away, work.residual)
    return np.sum(work.residual**2) + np.sum(theta**2)


@kernel
def fit_coordinates(mean, root, lifting, centre, scale, slots, theta, state):
    """Fit theta (P,) to mean and root of the linear filter; False when nothing finite came out.

    Parameters
    ----------
    mean, root : ndarray, shapes (P,) and (P, P)
        In units of the parameters' prior; `lifting` maps moments to these units.
    lifting : ndarray, shape (P, P)
    centre, scale : ndarray, shape (P,)
        Mean and standard deviation of the regulariser of the free coordinates.
    theta : ndarray, shape (P,)
        Start and result, in units of that regulariser.
    state : ndarray, shape (P,)
        Result: what `mean` is to be near.
    """
    width = theta.size
    inverse = np.linalg.inv(root)
    lowered, moments, residual = np.empty(width), np.empty(width), np.empty(width)
    work = MisfitWork(lowered, moments, residual, np.empty((2, BLOCK)))
    slope, trial = np.empty((width, width)), np.empty(width)
    fitted, fitted_root, curvature = np.empty(width), np.empty((width, width)), np.empty(width)
    cost = _compute_misfit(inverse, mean, theta, centre, scale, slots, lifting, work)
    if not np.isfinite(cost):
        theta[:] = 0.0
        cost = _compute_misfit(inverse, mean, theta, centre, scale, slots, lifting, work)
        if not np.isfinite(cost):
            return False
    for _ in range(MAX_ITERATIONS):
        compute_slot_jacobian(lowered, slots, moments, slope)
        compute_slot_curvature(slots, slope, residual @ inverse @ lifting, curvature)
        rows = (inverse @ (lifting @ slope)) * scale
        innovation = residual.copy()
        fitted_root[:] = 0.0
        for k in range(width):
            # of theta, by its prior and by the curvature about where it is
            precision = 1.0 + curvature[k] * scale[k] ** 2
            fitted[k] = theta[k] * (1.0 - 1.0 / precision)
            fitted_root[k, k] = precision**-0.5
            for m in range(width):
                innovation[m] += rows[m, k] * (theta[k] - fitted[k])
        change = rows.copy()
        for k in range(width):
            for m in range(width):
                rows[m, k] *= fitted_root[k, k]
        potter_update(fitted, fitted_root, rows, innovation)
        step = fitted - theta
        if not np.isfinite(np.sum(step)):
            return False
        expected = np.sum((change @ step) ** 2) + np.sum((1.0 + curvature * scale**2) * step**2)
        share = 1.0
        for _ in range(HALVINGS):
            for k in range(width):
                trial[k] = theta[k] + share * step[k]
            trial_cost = _compute_misfit(inverse, mean, trial, centre, scale, slots, lifting, work)
            if trial_cost <= cost:
                break
            share *= 0.5
        if trial_cost <= cost:
            copy_vector(trial, theta)
            cost = trial_cost
        if expected < SETTLED or not trial_cost <= cost:
            break
    for k in range(width):
        lowered[k] = centre[k] + scale[k] * theta[k]
    compute_slot_moments(lowered, slots, work.block[0], work.block[1], moments)
    copy_vector(lifting @ moments, state)
    return True


class ConsistentFilter:
    """A linear parameter filter seen through free coordinates.

    Parameters
    ----------
    linear : ParameterFilter
        The filter that takes the equations.
    coordinates : FreeCoordinates
        Of the parameters w.
    view : Coordinates, optional
        w = origin + root v where the filter's unknowns are such v; else they are w itself.
    """

    def __init__(
        self,
        linear: ParameterFilter,
        coordinates: FreeCoordinates,
        view: Coordinates | None = None,
    ) -> None:
        self.linear = linear
        self.coordinates = coordinates
        # of the state in units of its prior: w = origin + root state
        origin = linear.prior.mean if view is None else view.origin
        inverse = np.diag(1.0 / linear.prior.std) if view is None else np.linalg.inv(view.root)
        self._lifting = np.ascontiguousarray(inverse @ coordinates.layout.lifting)
        self._offset = inverse @ origin
        self._scale = WIDE * coordinates.prior.std
        self._forget()

    def reset(self) -> None:
        """Return to the prior."""
        self.linear.reset()
        self._forget()

    def _forget(self) -> None:
        width = len(self.linear.prior.mean)
        self._theta, self._state = np.zeros(width), np.zeros(width)
        self._fitted = False

    @property
    def prior(self) -> Prior:
        """That of the unknowns."""
        return self.linear.prior

    @property
    def count(self) -> int:
        """Equations taken."""
        return self.linear.count

    @count.setter
    def count(self, count: int) -> None:
        self.linear.count = count

    @property
    def theta(self) -> FloatArray:
        """Free coordinates, shape (P,)."""
        self.bring_up_to_date()
        return self.coordinates.prior.mean + self._scale * self._theta

    @property
    def mean(self) -> FloatArray:
        """Unknowns, shape (P,), SI units: always those of physical parameters."""
        self.bring_up_to_date()
        return self.linear.prior.mean + self.linear.prior.std * self._state

    @property
    def covariance(self) -> FloatArray:
        """Covariance of the unknowns in SI units, shape (P, P): the linear filter's."""
        return self.linear.covariance

    @property
    def scaled_covariance(self) -> FloatArray:
        """Covariance of the unknowns in units of their prior's standard deviations."""
        return self.linear.scaled_covariance

    @property
    def scaled_state(self) -> tuple[FloatArray, FloatArray]:
        """Mean (P,) less the prior's and a square root S (P, P) of the covariance, in the prior's deviations."""
        self.bring_up_to_date()
        return self._state, self.linear.scaled_state[1]

    def start_from(self, mean: FloatArray, covariance: FloatArray) -> None:
        """Continue from an estimate of the unknowns in SI units."""
        self.linear.start_from(mean, covariance)
        self._fitted = False

    def step_linear(
        self, columns: FloatArray, measured: FloatArray, noise: FloatArray, gate: float = np.inf
    ) -> tuple[float, bool]:
        """Take one measurement, linear in the unknowns; see `UnscentedFilter.step_linear`."""
        nis, accepted = self.linear.step_linear(columns, measured, noise, gate)
        self._fitted = self._fitted and not accepted
        return nis, accepted

    def bring_up_to_date(self) -> None:
        """Bring theta up to date with the linear filter; a fit that fails leaves the last good one."""
        if self._fitted:
            return
        c = self.coordinates
        theta, state = self._theta.copy(), np.empty(len(self._theta))
        mean, covariance_root = self.linear.scaled_state
        if fit_coordinates(
            mean + self._offset, covariance_root, self._lifting, c.prior.mean, self._scale, c.slots, theta, state
        ):  # fmt: skip
            self._theta, self._state = theta, state - self._offset
        self._fitted = True
