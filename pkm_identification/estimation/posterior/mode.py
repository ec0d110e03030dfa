# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The mode of a posterior: linear equations of numbers that unknowns with a standard normal prior make up.

With w(x) the numbers in which the equations are linear, A = Y' W Y, b = Y' W y and c = y' W y, half the cost is

    (w' A w - 2 b' w + c + x' x) / 2 ,

minimised by Gauss-Newton steps with the slope dw/dx, each bent as w curves along it (geodesic acceleration: Transtrum
and Sethna, arXiv 1201.5885): masses times places make narrow curved valleys, in which straight steps are a hundredth as
long. The equations are gone through once; a step costs nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from scipy.linalg.lapack import dgetrf, dgetrs  # lu_solve's checks take longer than small systems

from pkm_identification.numerics.arrays import FloatArray

MAX_STEPS = 100
SETTLED = (
    1e-5  # of the cost that a step is to take off: it is then a three hundredth of a posterior's deviation
)
LONGEST_STEP = 5.0  # deviations of a prior: farther the slope says nothing
HALVINGS = 12  # of a step that raises the cost
BENDING_AT = 0.1  # of a step: where w is looked at to see how it bends
MOST_BENT = 1.5  # times a step's length: a correction that is longer says nothing
LEAST_SIZE = 1e-15  # of the information's eigenvalues, its diagonal being 1: rounding
WIDE = 5.0  # times the prior's widths: the second start looks there first


class CurvedModel(Protocol):
    """Numbers w (T,) that equations are linear in, of unknowns x (p,) in deviations of their prior from its mean."""

    @property
    def width(self) -> int:
        """p."""

    @property
    def bent(self) -> int:
        """How many unknowns, the first, have a slope that is another one elsewhere."""

    def compute(self, unknowns: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return w (T,) and its slope (T, p)."""


@dataclass(frozen=True)
class NormalEquations:
    """What linear equations say of w: the products A (T, T), b (T,) and c, of what is left of them at an origin (T,).

    Near the origin rounding is that of the residual, not of the forces, which are a thousand times larger.
    """

    gram: FloatArray
    pull: FloatArray
    power: float
    origin: FloatArray | float = 0.0

    def cost(self, values: FloatArray) -> float:
        """Return the weighted sum of squares that values (T,) leave."""
        apart = values - self.origin
        return float(apart @ self.gram @ apart - 2.0 * self.pull @ apart + self.power)

    def find_score(self, values: FloatArray) -> FloatArray:
        """Return half of how fast the cost falls with each of the values (T,)."""
        return np.asarray(self.pull - self.gram @ (values - self.origin))


@dataclass(frozen=True)
class Mode:
    """Where a posterior is largest.

    Attributes
    ----------
    unknowns : ndarray, shape (p,)
        In deviations of the prior.
    values : ndarray, shape (T,)
        w there.
    slope : ndarray, shape (T, p)
    form : Information
        Of data and prior, at any slope.
    cost : float
    converged : bool
    """

    unknowns: FloatArray
    values: FloatArray
    slope: FloatArray
    form: Information
    cost: float
    converged: bool

    @cached_property
    def information(self) -> FloatArray:
        """Of data and prior (p, p)."""
        return self.form.compute(self.slope)

    @cached_property
    def covariance(self) -> FloatArray:
        """P (p, p), as white noise would give it; no variance is below zero, however badly conditioned it is."""
        scale = 1.0 / np.sqrt(np.diag(self.information))
        scaled = self.information * np.outer(scale, scale)
        try:
            root = np.linalg.inv(np.linalg.cholesky(scaled)).T
        except np.linalg.LinAlgError:  # of data alone, to rounding
            size, axes = np.linalg.eigh(scaled)
            root = axes / np.sqrt(np.maximum(size, LEAST_SIZE))
        root = scale[:, None] * root
        return np.asarray(root @ root.T)


def find_mode(
    model: CurvedModel, equations: NormalEquations, starts: Sequence[FloatArray] = (), steps: int = MAX_STEPS
) -> Mode:
    """Return the mode of the lowest cost of some starts.

    Unless they are given, those are the prior's mean, and where a prior `WIDE` times as wide leads from there.
    """
    if not starts:
        first = np.zeros(model.width)
        starts = (first, _descend(model, equations, first, WIDE**-2, steps).unknowns)
    found = [_descend(model, equations, start, 1.0, steps) for start in starts]
    return min(found, key=lambda mode: (not mode.converged, mode.cost))


def _descend(
    model: CurvedModel, equations: NormalEquations, start: FloatArray, precision: float, steps: int
) -> Mode:
    unknowns = start
    values, slope = model.compute(unknowns)
    form = Information.of(equations, slope[:, model.bent :], precision)
    cost = equations.cost(values) + precision * float(unknowns @ unknowns)
    converged = False
    for _ in range(steps):
        gradient = slope.T @ equations.find_score(values) - precision * unknowns
        factor = form.factorise(slope)
        step = factor.solve(gradient)
        if float(gradient @ step) < SETTLED:
            converged = True
            break
        step *= min(1.0, LONGEST_STEP / max(float(np.max(np.abs(step), initial=0.0)), 1e-300))
        nearby, _ = model.compute(unknowns + BENDING_AT * step)
        bend = ((nearby - values) / BENDING_AT - slope @ step) / BENDING_AT
        correction = -factor.solve(slope.T @ (equations.gram @ bend))
        if not np.linalg.norm(correction) <= MOST_BENT * np.linalg.norm(step):
            correction = np.zeros_like(step)
        share = 1.0
        for _ in range(HALVINGS):
            tried = unknowns + share * step + share**2 * correction
            its_values, its_slope = model.compute(tried)
            its_cost = equations.cost(its_values) + precision * float(tried @ tried)
            if np.isfinite(its_cost) and its_cost <= cost + 1e-9 * abs(cost):
                break
            share *= 0.5
        else:
            converged = True  # no step makes it lower
            break
        unknowns, values, slope, cost = tried, its_values, its_slope, its_cost
    return Mode(unknowns, values, slope, form, cost, converged)


@dataclass(frozen=True)
class Information:
    """Of data and prior (p, p) at any slope (T, p): what the columns that stay decide is made once.

    Unknowns of columns that stay are eliminated: equations of the others are solved with the gram that is left of them.
    Of a hexapod those are 66 of 231 unknowns, and they move 64 of 211 values.

    Attributes
    ----------
    gram : ndarray, shape (T, T)
    seen : ndarray, shape (T, q)
        Of the last q columns, which stay, times it.
    stays : ndarray, shape (q, q)
    precision : float
        Of the prior.
    """

    gram: FloatArray
    seen: FloatArray
    stays: FloatArray
    precision: float

    @classmethod
    def of(cls, equations: NormalEquations, columns: FloatArray, precision: float) -> Information:
        seen = equations.gram @ columns
        return cls(equations.gram, seen, columns.T @ seen, precision)

    @cached_property
    def _stays_factor(self) -> Any:
        return dgetrf(self.stays + self.precision * np.eye(len(self.stays)))[:2]

    @cached_property
    def stays_solved(self) -> FloatArray:
        """What values (q, T) move the unknowns of columns that stay by."""
        return self.solve_stays(self.seen.T)

    @cached_property
    def _gram_left(self) -> FloatArray:
        return np.asarray(self.gram - self.seen @ self.stays_solved)

    def solve_stays(self, right: FloatArray) -> FloatArray:
        """Return the unknowns (q, ...) of columns that stay for a right side, the others being held."""
        return right if not len(right) else np.asarray(dgetrs(*self._stays_factor, right)[0])

    def factorise(self, slope: FloatArray) -> InformationFactor:
        """Return what solves equations with it at a slope (T, p)."""
        own = slope[:, : slope.shape[1] - len(self.stays)]
        moved = 1 + int(np.flatnonzero(own.any(axis=1)).max(initial=-1))  # values behind these stay as well
        own = np.ascontiguousarray(own[:moved])
        left = own.T @ (self._gram_left[:moved, :moved] @ own)
        left[np.diag_indices_from(left)] += self.precision
        factor = dgetrf(left)[:2] if len(left) else None
        return InformationFactor(self, own, factor)

    def compute(self, slope: FloatArray) -> FloatArray:
        """Return it at a slope (T, p)."""
        first = slope.shape[1] - len(self.stays)
        own = slope[:, :first]
        information = np.empty((slope.shape[1],) * 2, order="F")
        information[:first, :first] = own.T @ (self.gram @ own)
        information[:first, first:] = own.T @ self.seen
        information[first:, :first] = information[:first, first:].T
        information[first:, first:] = self.stays
        information[np.diag_indices_from(information)] += self.precision
        return information


@dataclass(frozen=True)
class InformationFactor:
    """What solves equations with the information at one slope.

    Attributes
    ----------
    form : Information
    own : ndarray, shape (V, p - q)
        Slopes of the first V values, beyond which none moves, by the unknowns whose columns do not stay.
    factor : tuple or None
        LU of what is left for these unknowns; None without any.
    """

    form: Information
    own: FloatArray
    factor: Any

    def solve(self, right: FloatArray) -> FloatArray:
        """Return the unknowns (p, ...) for a right side."""
        moved, first = self.own.shape
        rest = self.form.solve_stays(right[first:])
        if self.factor is None:
            return rest
        pulled = right[:first] - self.own.T @ (self.form.seen[:moved] @ rest)
        found = dgetrs(*self.factor, pulled)[0]
        return np.concatenate([found, rest - self.form.stays_solved[:, :moved] @ (self.own @ found)])
