# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""`python -m benchmarks.degenerate`: filters fed with equations that do not show every parameter, ours and filterpy's.

Eight parameters, equations that show five directions of them, two ranges of parameter sizes and six levels of noise:
the cases of test/core/estimation/filters/test_filter_health_long.py. Told per case: after how many equations the
covariance ceased to be positive definite or finite, or the filter raised an error. Nothing is timed.
"""

from __future__ import annotations

import argparse
import sys

import numpy as np
from filterpy.kalman import MerweScaledSigmaPoints, UnscentedKalmanFilter

from pkm_identification.estimation.filters.unscented import UnscentedFilter, UnscentedSettings
from pkm_identification.parameters.prior import Prior

WIDTH, OUTPUTS, RANK = 8, 3, 5
SCALES = {"1e-2..1e2": (-2, 2), "1e-6..1e3": (-6, 3)}
NOISES = (1e-10, 1e-8, 1e-6, 1e-4, 1e-2, 1.0)
ALPHA = 1e-3


class Problem:
    """Equations of one case."""

    def __init__(self, scales: str, level: float) -> None:
        rng = np.random.default_rng(1)
        self.std = np.logspace(*SCALES[scales], WIDTH)
        self.prior = Prior(self.std * rng.normal(size=WIDTH), self.std)
        shown = np.linalg.qr(rng.normal(size=(WIDTH, WIDTH)))[0][:, :RANK]
        self.patterns = rng.normal(size=(50, OUTPUTS, RANK)) @ shown.T / self.std
        self.truth = self.prior.mean + self.std * rng.normal(size=WIDTH)
        self.level, self.rng = level, rng

    def equation(self, n: int):
        columns = self.patterns[n % len(self.patterns)]
        return columns, columns @ self.truth + np.sqrt(self.level) * self.rng.normal(size=OUTPUTS)

    def healthy(self, covariance) -> bool:
        scaled = covariance / np.outer(self.std, self.std)
        try:
            np.linalg.cholesky(scaled)
        except np.linalg.LinAlgError:
            return False
        return bool(np.all(np.isfinite(scaled)))


def filterpys(problem: Problem, steps: int) -> str:
    """What becomes of filterpy's unscented filter."""
    points = MerweScaledSigmaPoints(WIDTH, ALPHA, 2.0, 0.0)
    made = UnscentedKalmanFilter(WIDTH, OUTPUTS, 1.0, hx=None, fx=lambda w, _: w, points=points)
    made.x, made.P = problem.prior.mean.copy(), np.diag(problem.std**2)
    made.Q, made.R = np.zeros((WIDTH, WIDTH)), problem.level * np.eye(OUTPUTS)
    for n in range(steps):
        columns, measured = problem.equation(n)
        try:
            made.predict()
            made.update(measured, hx=lambda w, columns=columns: columns @ w)
        except (np.linalg.LinAlgError, ValueError) as error:
            return f"{type(error).__name__} at {n + 1}"
        if not problem.healthy(made.P):
            return f"not positive definite at {n + 1}"
    return "healthy"


def ours(problem: Problem, steps: int) -> str:
    """What becomes of this package's."""
    made = UnscentedFilter(problem.prior, OUTPUTS, UnscentedSettings(alpha=ALPHA, adaptation="none"))
    noise = problem.level * np.eye(OUTPUTS)
    for n in range(steps):
        columns, measured = problem.equation(n)
        made.step_linear(columns, measured, noise)
        # the square root itself: its square loses what lies below 1e-16 of the largest variance
        if not (
            np.all(np.isfinite(made.mean)) and np.linalg.svd(made.scaled_state[1], compute_uv=False)[-1] > 0
        ):
            return f"not positive definite at {n + 1}"
    return "healthy"


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.degenerate", description=__doc__)
    parser.add_argument("--steps", type=int, default=5000, help="equations per case")
    steps = parser.parse_args(arguments).steps
    print(f"{'parameter sizes':16} {'noise R':>8}  {'filterpy UKF':32} this package's UKF")
    for scales in SCALES:
        for level in NOISES:
            theirs, mine = (run(Problem(scales, level), steps) for run in (filterpys, ours))
            print(f"{scales:16} {level:8.0e}  {theirs:32} {mine}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
