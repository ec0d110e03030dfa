# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Oil compliance, leakage and friction of a hydraulic drive from its mode under several loads (Machielsen 1983, 6.2).

w_h^2 = (1 + B c_h) / (c_o M),  2 D w_h = c_h / c_o + B / M,  c_h the leakage (hydraulic compliance)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pkm_identification.errors import LogError, NotConverged
from pkm_identification.estimation.batch.gauss_newton import gauss_newton
from pkm_identification.numerics.arrays import FloatArray

NAMES = ("oil_compliance", "hydraulic_compliance", "viscous")
FEWEST_LOADS = 2
STEP = 1e-6  # relative, for differences
START_DAMPING = 0.1  # of leakage and of friction each


@dataclass(frozen=True)
class LoadedModes:
    """What the modes show.

    Attributes
    ----------
    values, deviations : ndarray, shape (3,)
        c_o, c_h and B, in m/N, m/(N s) and N s/m (rad, N m of what turns); one standard deviation each, by the scatter.
    correlation : ndarray, shape (3, 3)
    scatter : float
        Of frequencies and damping ratios about the model, relative.
    forecast : ndarray, shape (3,)
        Deviations for a scatter of 1 %.
    """

    values: FloatArray
    deviations: FloatArray
    correlation: FloatArray
    scatter: float
    forecast: FloatArray


def identify_loaded_modes(load: FloatArray, frequency: FloatArray, damping: FloatArray) -> LoadedModes:
    """Return a drive's numbers from loads (N,) in kg (kg m^2), natural frequencies in Hz and damping ratios.

    Raises
    ------
    LogError
        If there are fewer than two different loads, or a number is not positive.
    NotConverged
        If no positive numbers give such modes.
    """
    rows = np.column_stack([load, frequency, damping])
    if not np.all(np.isfinite(rows)) or np.any(rows <= 0.0):
        raise LogError("modes: loads, frequencies and damping ratios must be positive")
    if len(np.unique(load)) < FEWEST_LOADS:
        raise LogError("modes: at least two different loads are needed to separate leakage from friction")
    rate = 2.0 * np.pi * frequency
    measured = np.log(np.concatenate([frequency, damping]))

    def modes(logs: FloatArray) -> FloatArray:
        oil, leak, viscous = np.exp(logs)
        natural = np.sqrt((1.0 + viscous * leak) / (oil * load))
        ratio = 0.5 * (leak / oil + viscous / load) / natural
        return np.log(np.concatenate([natural / (2.0 * np.pi), ratio]))

    def residual(logs: FloatArray) -> tuple[FloatArray, FloatArray]:
        middle = modes(logs)
        columns = [(modes(logs + STEP * row) - middle) / STEP for row in np.eye(3)]
        return middle - measured, np.column_stack(columns)

    oil = float(np.mean(1.0 / (rate**2 * load)))
    typical = float(np.mean(load))
    start = np.log(
        [oil, 2 * START_DAMPING * np.sqrt(oil / typical), 2 * START_DAMPING * np.sqrt(typical / oil)]
    )
    fit = gauss_newton(residual, start, scale=np.ones(3))
    if not fit.converged or fit.rank < 3:
        raise NotConverged(
            "modes: no oil, leakage and friction give these modes; are loads and modes of one drive?"
        )
    covariance = fit.covariance
    relative = np.sqrt(np.diag(covariance))
    scatter, values = float(np.sqrt(fit.variance)), np.exp(fit.values)
    return LoadedModes(
        values, values * relative, covariance / np.outer(relative, relative), scatter,
        values * relative * 0.01 / max(scatter, 1e-12),
    )  # fmt: skip
