# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The unscented filter beside filterpy's: 24 parameters, 6 outputs, the same linear model."""

from __future__ import annotations

import numpy as np
from filterpy.kalman import MerweScaledSigmaPoints, UnscentedKalmanFilter

from pkm_identification.estimation.consistency.coordinates import FreeCoordinates
from pkm_identification.estimation.consistency.filters import ConsistentFilter
from pkm_identification.estimation.filters.unscented import UnscentedFilter, UnscentedSettings
from pkm_identification.mechanisms.hexapod.dynamics import regressor
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.mechanisms.hexapod.parameters.physical_layout import physical_layout
from pkm_identification.mechanisms.hexapod.parameters.sets import list_hexapod_parameters
from pkm_identification.parameters.prior import Prior

from .results import Effort, Findings, Item, Peer, agree
from .states import along_path, rows
from .timing import Case, interleaved

SAMPLES = 40
SETTLED = 10  # rounds over the samples before the filter in log-Cholesky coordinates is timed
ALPHA = 0.5  # the smallest one filterpy can be compared at: its weights grow as 1 / alpha^2


def measure(machine: Machine, effort: Effort, findings: Findings) -> None:
    parameters = list_hexapod_parameters(machine, "oh24")
    prior = Prior.of(parameters)
    width = len(prior.mean)
    motion = along_path(machine, SAMPLES * 50)
    motion = type(motion)(*(part[::50].copy() for part in (
        motion.time, motion.position, motion.rotation, motion.twist, motion.acceleration)))  # fmt: skip
    singles = rows(motion)
    columns = regressor(machine, motion, parameters.mapping)
    rng = np.random.default_rng(8)
    truth = prior.mean + 0.3 * prior.std * rng.normal(size=width)
    noise = 4.0 * np.eye(6)
    measured = columns @ truth + 2.0 * rng.normal(size=(SAMPLES, 6))
    walk = 1e-3 * prior.std

    ours = UnscentedFilter(prior, 6, UnscentedSettings(alpha=ALPHA, adaptation="none"))
    whole = UnscentedFilter(prior, 6)
    theirs = _filterpy(prior, noise, walk)

    def step_ours() -> None:
        ours.reset()
        ours.add_process_noise(walk)
        for one, force in zip(columns, measured):
            ours.step_linear(one, force, noise)

    def step_whole() -> None:
        whole.reset()
        whole.add_process_noise(walk)
        for one, force in zip(singles, measured):
            whole.step_linear(regressor(machine, one, parameters.mapping)[0], force, noise)

    seen = ConsistentFilter(
        UnscentedFilter(prior, 6), FreeCoordinates.of(physical_layout(machine, parameters))
    )

    def step_consistent() -> None:
        for one, force in zip(singles, measured):
            seen.step_linear(regressor(machine, one, parameters.mapping)[0], force, noise)
            seen.bring_up_to_date()

    def step_theirs() -> None:
        # in units of the prior, as ours has them inside: filterpy's Cholesky factor would suffer otherwise
        theirs.x, theirs.P = np.zeros(width), np.eye(width)
        for one, force in zip(columns, measured):
            scaled = one * prior.std
            theirs.predict()
            theirs.update(force - one @ prior.mean, hx=lambda x, scaled=scaled: scaled @ x)

    step_ours()
    step_theirs()
    agreement = agree("filterpy", theirs.x, (ours.mean - prior.mean) / prior.std, 1e-6)
    agree("filterpy's covariance", theirs.P, ours.scaled_covariance, 1e-6)
    cases = [Case("given", step_ours, SAMPLES), Case("whole", step_whole, SAMPLES)]
    cases.append(Case("filterpy", step_theirs, SAMPLES))
    for _ in range(SETTLED):
        step_consistent()
    cases.append(Case("consistent", step_consistent, SAMPLES))
    timings = interleaved(cases, effort.rounds // 2 + 1)
    peer = Peer("filterpy UnscentedKalmanFilter", timings["filterpy"], "predict and update, regressor given")
    findings.items += [
        Item("UKF step 24 x 6, regressor given", timings["given"], 80e-6, (peer,), agreement,
             "one call; process noise in every step, as filterpy"),
        Item("UKF step 24 x 6, model included", timings["whole"], 80e-6, (peer,), agreement,
             "one call of the regressor and one of the step, adaptation as by default"),
        Item("UKF step 24 x 6 in log-Cholesky coordinates, model included", timings["consistent"], 80e-6, (), "",
             f"regressor, step, coordinates and parameters brought up to date; after {SETTLED * SAMPLES} equations"),
    ]  # fmt: skip


def _filterpy(prior: Prior, noise: np.ndarray, walk: np.ndarray) -> UnscentedKalmanFilter:
    width = len(prior.mean)
    made = UnscentedKalmanFilter(
        dim_x=width, dim_z=6, dt=1.0, hx=None, fx=lambda x, dt: x,
        points=MerweScaledSigmaPoints(width, ALPHA, 2.0, 0.0),
    )  # fmt: skip
    made.Q, made.R = np.diag((walk / prior.std) ** 2), noise
    return made
