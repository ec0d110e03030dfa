# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""`python -m benchmarks.consistent_filters`: how well filters in log-Cholesky coordinates do; no times.

The uf machine with a truth 5 to 25 % off its file moves along six axes at 25 equations a second; noise is white and
known. Beside least squares, the constrained one and the package's filter run the UKF and the EKF that take the
equations one by one in the free coordinates, by the package's own steps for nonlinear models.
"""

from __future__ import annotations

import argparse
import copy
from dataclasses import dataclass

import numpy as np

from pkm_identification.estimation.consistency.constrained_least_squares import project
from pkm_identification.estimation.consistency.coordinates import FreeCoordinates
from pkm_identification.estimation.consistency.filters import ConsistentFilter
from pkm_identification.estimation.filters.unscented import UnscentedFilter, UnscentedSettings
from pkm_identification.mechanisms.hexapod.dynamics import regressor
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.mechanisms.hexapod.parameters.physical_layout import physical_layout
from pkm_identification.mechanisms.hexapod.parameters.sets import list_hexapod_parameters
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.prior import Prior
from pkm_identification.simulation.trajectories import trajectory

PERIOD = 0.04  # s between equations, as the estimation band leaves them
STILL = UnscentedSettings(adaptation="none")
REACH = 3.0  # of wide sigma points squared, in variances: the kurtosis of the normal distribution


@dataclass(frozen=True)
class Outcome:
    """Of one filter on one log: error and NEES per parameter, and how far it is from constrained least squares.

    `error` is the squared error in the metric of the data's information; 1 is what noise explains.
    """

    error: float
    nees: float
    away: float


def true_machine() -> Machine:
    """The machine the equations come from."""
    made = copy.deepcopy(Machine.load("uf").document)
    made["platform"]["mass"] *= 1.18
    made["platform"]["inertia"] = [0.078, 0.094, 0.16, 0.0, 0.0, 0.0]
    made["strut"]["body_b"]["mass"] *= 0.92
    made["strut"]["body_e"]["mass"] *= 1.12
    made["strut"]["body_b"]["inertia"] = [0.60, 0.0580]
    made["strut"]["body_e"]["inertia"] = [0.0201, 0.0001]
    for kind in ("viscous", "coulomb"):
        made["friction"][kind] = [1.25 * value for value in made["friction"][kind]]
    return Machine.from_document(made)


class Trial:
    """One log, and every filter over it."""

    def __init__(
        self, coordinates: FreeCoordinates, machine: Machine, count: int, noise: float, seed: int
    ) -> None:
        rng = np.random.default_rng(seed)
        parameters = coordinates.layout.parameters
        time = 2.0 + 3.0 * seed + PERIOD * np.arange(count, dtype=np.float64)
        motion = trajectory("rich", machine, time[-1] + 3.0).motion(time)
        self.columns = regressor(machine, motion, parameters.mapping)
        self.truth = list_hexapod_parameters(true_machine(), parameters.name).nominal
        self.measured = self.columns @ self.truth + noise * rng.normal(size=(count, 6))
        self.noise = noise**2 * np.eye(6)
        self.coordinates = coordinates
        self.linear = UnscentedFilter(coordinates.parameter_prior, 6, STILL)
        for one, force in zip(self.columns, self.measured, strict=True):
            self.linear.step_linear(one, force, self.noise)
        self.root = np.linalg.inv(np.linalg.cholesky(self.linear.covariance))
        self.best = project(self.linear.mean, self.root, coordinates).values

    def outcomes(self) -> dict[str, Outcome]:
        c = self.coordinates
        width = len(c.prior.mean)
        spread = UnscentedSettings(alpha=1.0, kappa=REACH - width, adaptation="none")
        seen = ConsistentFilter(self.linear, c)
        made = {
            "least squares": self._judged(self.linear.mean, self.linear.covariance),
            "constrained least squares": self._judged(self.best, self.linear.covariance),
            "ours": self._judged(seen.mean, seen.covariance),
        }
        for name, settings in (("UKF, alpha 1e-3", STILL), ("UKF, points at 1.7 std", spread)):
            one = UnscentedFilter(c.prior, 6, settings)
            for columns, force in zip(self.columns, self.measured, strict=True):
                one.step(lambda theta, columns=columns: columns @ c.physical(theta), force, self.noise)
            made[name] = self._in_coordinates(one)
        one = UnscentedFilter(c.prior, 6, STILL)
        for columns, force in zip(self.columns, self.measured, strict=True):
            rows = columns @ c.jacobian(one.mean)
            one.step_linear(rows, force - columns @ c.physical(one.mean) + rows @ one.mean, self.noise)
        made["EKF"] = self._in_coordinates(one)
        return made

    def _in_coordinates(self, one: UnscentedFilter) -> Outcome:
        """Of a filter whose state is theta, its covariance carried to the parameters by sigma points."""
        c = self.coordinates
        mean = c.physical(one.mean)
        std = c.prior.std[:, None]
        root = np.sqrt(REACH) * std * one.scaled_state[1]
        pairs = np.array([[c.physical(one.mean + side * step) for step in root.T] for side in (1, -1)])
        away = pairs.reshape(-1, len(mean)) - mean
        return self._judged(mean, away.T @ away / (2.0 * REACH))

    def _judged(self, mean: FloatArray, covariance: FloatArray) -> Outcome:
        error, width = mean - self.truth, len(mean)
        try:
            nees = float(error @ np.linalg.solve(covariance, error)) / width
        except np.linalg.LinAlgError:
            nees = np.nan
        scale = np.sqrt(np.diag(self.linear.covariance))
        return Outcome(
            error=float(np.sum((self.root @ error) ** 2)) / width,
            nees=nees,
            away=float(np.abs((mean - self.best) / scale).max()),
        )


def main() -> None:
    """Run the trials and print a table per case."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.consistent_filters", description=__doc__)
    parser.add_argument("--runs", type=int, default=12, help="logs per case (default: 12)")
    options = parser.parse_args()
    machine = Machine.load("uf")
    parameters = list_hexapod_parameters(machine)
    wide = FreeCoordinates.of(physical_layout(machine, parameters))
    prior = Prior(wide.prior.mean, 0.3 * wide.prior.std)
    narrow = FreeCoordinates(wide.layout, wide.slots, wide.parameter_prior, prior)
    for label, coordinates, noise, count in (
        ("precise", wide, 0.3, 500),
        ("usual", wide, 3.0, 500),
        ("usual, prior three times narrower", narrow, 3.0, 500),
        ("poor", wide, 30.0, 120),
    ):
        trials = [Trial(coordinates, machine, count, noise, seed).outcomes() for seed in range(options.runs)]
        print(f"\n{label}: noise {noise:g} N, {count} equations, {options.runs} logs")
        print(
            "| filter | error | NEES | std from constrained LS | worst | failed |\n|---|---|---|---|---|---|"
        )
        for name in trials[0]:
            rows = np.array([[t[name].error, t[name].nees, t[name].away] for t in trials])
            good = np.all(np.isfinite(rows), axis=1)
            error, nees, away = np.median(rows[good], axis=0) if np.any(good) else np.full(3, np.nan)
            worst = np.max(rows[good, 2]) if np.any(good) else np.nan
            print(f"| {name} | {error:.3g} | {nees:.3g} | {away:.2g} | {worst:.2g} | {np.sum(~good)} |")


if __name__ == "__main__":
    with np.errstate(all="ignore"):
        main()
