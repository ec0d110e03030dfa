# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Small estimation problems and the textbook's filters, to measure the package's against."""

from __future__ import annotations

import numpy as np

from pkm_identification.estimation.equations import Equations
from pkm_identification.parameters.parameter import Kind, Parameter
from pkm_identification.parameters.parameter_set import ParameterSet
from pkm_identification.parameters.prior import Prior


def prior_of(width: int, seed: int = 0, decades: float = 0.0) -> Prior:
    """A prior whose standard deviations spread over some decades."""
    rng = np.random.default_rng(seed)
    std = 10.0 ** rng.uniform(-decades / 2, decades / 2, width)
    return Prior(rng.normal(0, 1, width) * std, std)


def parameter_set(prior: Prior) -> ParameterSet:
    """Parameters a, b, c, ... with that prior and no mechanism behind them."""
    width = len(prior.mean)
    names = tuple("abcdefghijklmnopqrstuvwxyz"[:width])
    entries = tuple(
        Parameter(name, "N", Kind.MASS, "", float(mean), float(std))
        for name, mean, std in zip(names, prior.mean, prior.std, strict=True)
    )
    return ParameterSet("toy", entries, np.zeros((1, width)), np.zeros(1))


def equations(columns: np.ndarray, measured: np.ndarray, segment: np.ndarray | None = None) -> Equations:
    """Equations one second apart."""
    count = len(columns)
    return Equations(
        np.arange(float(count)),
        columns,
        measured,
        measured,
        np.zeros(count, dtype=np.int64) if segment is None else segment,
    )


def positive_definite(rng: np.random.Generator, size: int, scale: float = 1.0) -> np.ndarray:
    """A random covariance with correlations."""
    half = rng.normal(size=(size, size))
    return scale * (half @ half.T / size + 0.1 * np.eye(size))


def autoregressive(
    rng: np.random.Generator, count: int, outputs: int, memory: float, std: float = 1.0
) -> np.ndarray:
    """AR(1) noise of unit marginal variance times std^2, shape (count, outputs)."""
    shocks = rng.normal(size=(count, outputs)) * np.sqrt(1 - memory**2)
    noise = np.empty((count, outputs))
    noise[0] = rng.normal(size=outputs)
    for k in range(1, count):
        noise[k] = memory * noise[k - 1] + shocks[k]
    return std * noise


class TextbookKalman:
    """The Kalman filter of a random walk, as every book has it."""

    def __init__(self, mean: np.ndarray, covariance: np.ndarray) -> None:
        self.mean = np.array(mean, dtype=float)
        self.covariance = np.array(covariance, dtype=float)

    def step(self, columns, measured, noise, process) -> float:
        """Predict with process noise, update; returns the NIS."""
        predicted = self.covariance + process
        innovation = measured - columns @ self.mean
        spread = columns @ predicted @ columns.T + noise
        gain = np.linalg.solve(spread, columns @ predicted).T
        self.mean = self.mean + gain @ innovation
        self.covariance = predicted - gain @ spread @ gain.T
        return float(innovation @ np.linalg.solve(spread, innovation))


class TextbookUnscented:
    """The UKF by its weighted sums (Oh 2003, 2.69-2.75), sigma points of any square root of P."""

    def __init__(self, mean, root, alpha: float, beta: float, kappa: float) -> None:
        self.mean, self.root = np.array(mean, dtype=float), np.array(root, dtype=float)
        size = len(self.mean)
        spread = alpha**2 * (size + kappa)
        self.gamma = np.sqrt(spread)
        lam = spread - size
        self.mean_weights = np.full(2 * size + 1, 0.5 / spread)
        self.mean_weights[0] = lam / spread
        self.covariance_weights = self.mean_weights.copy()
        self.covariance_weights[0] += 1 - alpha**2 + beta

    def points(self) -> np.ndarray:
        """Sigma points, shape (2 L + 1, L)."""
        steps = self.gamma * self.root.T
        return np.vstack([self.mean, self.mean + steps, self.mean - steps])

    def update(self, outputs, measured, noise) -> tuple[np.ndarray, np.ndarray, float]:
        """Mean and covariance after the measurement, and the NIS."""
        points = self.points()
        centre = self.mean_weights @ outputs
        y, w = outputs - centre, points - self.mean
        spread = (self.covariance_weights * y.T) @ y + noise
        cross = (self.covariance_weights * w.T) @ y
        gain = np.linalg.solve(spread, cross.T).T
        innovation = measured - centre
        covariance = self.root @ self.root.T - gain @ spread @ gain.T
        return (
            self.mean + gain @ innovation,
            covariance,
            float(innovation @ np.linalg.solve(spread, innovation)),
        )
