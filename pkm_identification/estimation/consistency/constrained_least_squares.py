# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Least squares over physical parameters only.

The conditions are convex and so is the sum of squares: there is one best physical estimate, the nearest to the
unconstrained one in the metric of its information (`central_path`). Where that is physical it is the answer itself.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pkm_identification.errors import NotConverged
from pkm_identification.numerics.arrays import FloatArray

from ..problem import Fit, Problem
from .central_path import Physical, Projection


def constrained_least_squares(fit: Fit, problem: Problem) -> Fit:
    """Return the least squares estimate among physical parameters.

    Parameters
    ----------
    fit : Fit
        The unconstrained one of the problem, whose weights are kept: they are those of a residual that no
        condition has bent.
    problem : Problem
        With `physical`, its free coordinates.

    Returns
    -------
    Fit
        `fit` itself where it is physical. Else its mean is moved; the covariance stays: moving to the nearest point
        of a convex set brings no estimate further away from any truth within it.
    """
    assert problem.physical is not None
    moved = project(fit.mean, information_root(problem, fit.noise), problem.physical)
    if not moved.active:
        return fit
    return replace(fit, mean=moved.values, iterations=fit.iterations + moved.iterations)


def information_root(problem: Problem, noise: FloatArray) -> FloatArray:
    """Triangle T (P, P), T^T T the information of equations with that noise (m, m), of prior and of relations."""
    columns, std = problem.equations.regressor, problem.prior.std
    whitener = np.linalg.inv(np.linalg.cholesky(noise * problem.redundancy))
    rows = [(whitener @ (columns * std)).reshape(-1, len(std)), np.eye(len(std))]
    if problem.relations is not None:
        rows.append(problem.relations.rows * std)
    return np.linalg.qr(np.concatenate(rows), mode="r") / std


def project(values: FloatArray, root: FloatArray, physical: Physical) -> Projection:
    """Return the physical parameters w that minimise |root (w - values)|.

    Parameters
    ----------
    values : ndarray, shape (P,)
        SI units.
    root : ndarray, shape (n, P)
        A square root of the information, root^T root = covariance^-1.
    physical : Physical
        Of the parameters.

    Raises
    ------
    NotConverged
        If the path does not reach its end, as with numbers that are not finite.
    """
    if not (np.all(np.isfinite(values)) and np.all(np.isfinite(root))):
        raise NotConverged("no physical estimate is near one with numbers that are not finite")
    return physical.project(values, root)
