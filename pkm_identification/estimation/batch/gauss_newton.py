# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Nonlinear least squares by Gauss and Newton (Oh 2003, 2.58-2.65), safe where data do not show everything.

The source's step -(J^T J)^-1 J^T e does not exist when a direction of the parameters has no effect. Here the step is
the shortest of those that do as well: such directions stay where they started, and the singular values of J say so.
A step that makes things worse is halved.

Parameters are counted in units of their `scale`, so that neither the result nor the verdict depends on whether a mass
is in kilograms or in grams. The iteration has converged when the whole Gauss-Newton step is small, however much of it
was taken; that a step had to be shortened to nothing is no sign of a minimum but of a wrong Jacobian.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from pkm_identification.numerics.arrays import FloatArray

MAX_ITERATIONS = 100
HALVINGS = 30
# Singular values below this part of the largest belong to directions without effect.
NO_EFFECT = 1e-9
# Part of the sum of squares below which a promised decrease is lost in the rounding of that sum.
ROUNDING = 1e-12

Residual = Callable[[FloatArray], tuple[FloatArray, FloatArray]]


@dataclass(frozen=True)
class NonlinearFit:
    """A nonlinear fit.

    Attributes
    ----------
    values : ndarray, shape (P,)
    iterates : ndarray, shape (iterations + 1, P)
        From the start to the end.
    variance : float
        Of a residual at the end, the parameters' freedom allowed for.
    scale : ndarray, shape (P,)
        Sizes in which the parameters were counted, in their units.
    singular_values : ndarray, shape (P,)
        Of the Jacobian at the end by parameters in units of `scale`, falling.
    directions : ndarray, shape (P, P)
        Rows: the directions that belong to them, in units of `scale`.
    rank : int
    converged : bool
    """

    values: FloatArray
    iterates: FloatArray
    variance: float
    scale: FloatArray
    singular_values: FloatArray
    directions: FloatArray
    rank: int
    converged: bool

    @property
    def covariance(self) -> FloatArray:
        """Covariance (P, P) if residuals are white and alike, of the directions the data show; 0 along the others."""
        shown = (self.directions[: self.rank] * self.scale).T / self.singular_values[: self.rank]
        return self.variance * shown @ shown.T


def gauss_newton(
    residual: Residual,
    start: FloatArray,
    tolerance: float = 1e-7,
    limit: int = MAX_ITERATIONS,
    scale: FloatArray | None = None,
) -> NonlinearFit:
    """Minimise the sum of squared residuals.

    Parameters
    ----------
    residual : callable
        Parameters (P,) to residuals (K,) and their Jacobian (K, P), all residuals in one unit, K >= P.
    start : ndarray, shape (P,)
    tolerance : float
        Largest Gauss-Newton step that ends the iteration, as a part of each parameter's size or of its scale,
        whichever is larger.
    limit : int
        Largest number of iterations.
    scale : ndarray, shape (P,), optional
        Typical sizes of the parameters, positive; by default those of the start, and 1 where it is zero.

    Returns
    -------
    NonlinearFit
    """
    values = np.array(start, dtype=float)
    scale = np.where(values == 0.0, 1.0, np.abs(values)) if scale is None else np.array(scale, dtype=float)
    iterates = [values]
    error, jacobian = residual(values)
    converged = stalled = False
    while not converged and not stalled and len(iterates) <= limit:
        scaled_step = -np.linalg.lstsq(jacobian * scale, error, rcond=NO_EFFECT)[0]
        whole = scale * scaled_step
        converged = bool(np.all(np.abs(whole) <= tolerance * np.maximum(np.abs(values), scale)))
        promised = jacobian @ whole
        step, stalled = whole, True
        for _ in range(HALVINGS):
            trial = values + step
            new_error, new_jacobian = residual(trial)
            # the start of a not-a-number is a step out of the model's domain
            if np.all(np.isfinite(new_error)) and new_error @ new_error <= error @ error:
                values, error, jacobian = trial, new_error, new_jacobian
                stalled = False
                break
            step = 0.5 * step
        if stalled and promised @ promised <= ROUNDING * (error @ error):
            converged = True  # no shorter step can be told from this place
        iterates.append(values)
    _, singular, directions = np.linalg.svd(jacobian * scale, full_matrices=False)
    rank = int(np.count_nonzero(singular > NO_EFFECT * singular[0]))
    return NonlinearFit(
        values=values,
        iterates=np.array(iterates),
        variance=float(error @ error) / max(len(error) - rank, 1),
        scale=scale,
        singular_values=singular,
        directions=directions,
        rank=rank,
        converged=converged,
    )
