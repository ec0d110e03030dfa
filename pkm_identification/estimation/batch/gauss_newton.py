"""Nonlinear least squares by Gauss and Newton (Oh 2003, 2.58-2.65), safe where data do not show everything.

The source's step -(J^T J)^-1 J^T e does not exist when a direction of the parameters has no effect. Here the step is
the shortest of those that do as well: such directions stay where they started, and the singular values of J say so.
A step that makes things worse is halved.
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
    singular_values : ndarray, shape (P,)
        Of the Jacobian at the end, falling.
    directions : ndarray, shape (P, P)
        Rows: the parameters' directions that belong to them.
    rank : int
    converged : bool
    """

    values: FloatArray
    iterates: FloatArray
    variance: float
    singular_values: FloatArray
    directions: FloatArray
    rank: int
    converged: bool

    @property
    def null_directions(self) -> FloatArray:
        """Directions (P - rank, P) along which the data show nothing."""
        return self.directions[self.rank :]

    @property
    def covariance(self) -> FloatArray:
        """Covariance (P, P) if residuals are white and alike, of the directions the data show; 0 along the others."""
        shown = self.directions[: self.rank].T / self.singular_values[: self.rank]
        return self.variance * shown @ shown.T


def gauss_newton(
    residual: Residual, start: FloatArray, tolerance: float = 1e-7, limit: int = MAX_ITERATIONS
) -> NonlinearFit:
    """Minimise the sum of squared residuals.

    Parameters
    ----------
    residual : callable
        Parameters (P,) to residuals (K,) and their Jacobian (K, P), all residuals in one unit, K >= P.
    start : ndarray, shape (P,)
    tolerance : float
        Largest change of a parameter that ends the iteration, in the parameters' units.
    limit : int
        Largest number of iterations.

    Returns
    -------
    NonlinearFit
    """
    values = np.array(start, dtype=float)
    iterates = [values]
    error, jacobian = residual(values)
    converged = False
    while not converged and len(iterates) <= limit:
        step = -np.linalg.lstsq(jacobian, error, rcond=NO_EFFECT)[0]
        for _ in range(HALVINGS):
            tried = values + step
            new_error, new_jacobian = residual(tried)
            # the start of a not-a-number is a step out of the model's domain
            if np.all(np.isfinite(new_error)) and new_error @ new_error <= error @ error:
                values, error, jacobian = tried, new_error, new_jacobian
                break
            step = 0.5 * step
        converged = bool(np.max(np.abs(step)) < tolerance)
        iterates.append(values)
    _, singular, directions = np.linalg.svd(jacobian, full_matrices=False)
    rank = int(np.count_nonzero(singular > NO_EFFECT * singular[0]))
    return NonlinearFit(
        values=values,
        iterates=np.array(iterates),
        variance=float(error @ error) / max(len(error) - rank, 1),
        singular_values=singular,
        directions=directions,
        rank=rank,
        converged=converged,
    )
