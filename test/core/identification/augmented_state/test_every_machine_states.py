# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""States with parameters of any machine: the filter against filterpy, the smoother against SciPy, and the truth."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from core.identification.online.test_every_machine import WITH_FRICTION, machine_of
from core.machines.every_machine import smooth_drives
from filterpy.kalman import KalmanFilter
from scipy.optimize import lsq_linear

from pkm_identification.errors import NotConverged, Unidentifiable
from pkm_identification.estimation.identifiability.status import IDENTIFIABLE
from pkm_identification.identification.augmented_state.iterated import find_first_states, scale_by_data
from pkm_identification.identification.augmented_state.linearised import JointModel, States, linearise
from pkm_identification.identification.augmented_state.log_pass import (
    estimate_parameters,
    levels_of,
    smooth,
)
from pkm_identification.identification.augmented_state.samples import JointNoise, JointSamples
from pkm_identification.identification.experiment import Experiment
from pkm_identification.identification.identify import identify
from pkm_identification.identification.regression.friction import DriveFriction
from pkm_identification.identification.settings import Settings
from pkm_identification.machines.load import read_machine, wrap_description
from pkm_identification.motion import DriveLog
from pkm_identification.parameters.prior import Prior
from pkm_identification.simulation.perturbation import perturb_machine
from pkm_identification.simulation.sensors import SensorSettings
from pkm_identification.simulation.simulator import simulate

pytestmark = pytest.mark.slow

PERIOD = 1e-3
SMALL = ("four-bar", "five_bar")


@cache
def log_of(name: str) -> tuple[DriveLog, np.ndarray]:
    """A simulated log of a machine up to a tenth off its file, 1 % noise, and its values of the basis (B,)."""
    nominal = machine_of(name).loaded
    truth = perturb_machine(nominal, 1, 0.1)
    record = simulate(truth, "rich", 6.0, nominal=nominal, sensors=SensorSettings(current_noise=0.01), seed=1)
    return record.log(), wrap_description(truth).basis.nominal


@cache
def problem_of(name: str, count: int = 400):
    """The model around states that coordinates decide, a part of the log, and its noise."""
    one = machine_of(name)
    whole = JointSamples.of(Experiment.of([log_of(name)[0]], one).logs[0], one)
    samples = JointSamples(*(getattr(whole, field)[:count] for field in JointSamples.__dataclass_fields__))
    noise = JointNoise.of(one, samples)
    samples, states = find_first_states(one, samples, PERIOD, noise)
    parameters = scale_by_data(
        one, Settings.of(estimator="joint").parameter_set(one), samples, PERIOD, states
    )
    model = JointModel.of(one, parameters, Prior.of(parameters), samples, PERIOD)
    noise = replace(noise, force=noise.force + 0.02 * np.std(samples.force, axis=0))
    return model, samples, noise, linearise(model, samples, np.zeros(model.unknowns), states)


def transition(model, around, step):
    """Transition of (q, v), what values and force noise add to it, and its defect."""
    steps, n = around.steps, len(model.machine.drives)
    half = 0.5 * PERIOD * np.eye(n)
    lower = np.vstack([half, np.eye(n)])
    matrix = lower @ steps.by_state[step]
    matrix[:n, :n] += np.eye(n)
    matrix[:n, n:] += half
    defect = lower @ steps.defect[step]
    defect[:n] += steps.gap[step]
    return matrix, lower @ steps.by_values[step], lower @ steps.by_force[step], defect


@pytest.mark.parametrize("name", SMALL)
def test_parameters_are_those_of_one_filter_of_states_and_parameters(name):
    """filterpy's filter of (q, v, w) with the same linear model: Friedland's separation is exact."""
    model, samples, noise, around = problem_of(name)
    found = estimate_parameters(model, around, samples, noise)
    n, unknowns = len(model.machine.drives), model.unknowns
    size = 2 * n + unknowns
    levels = levels_of(model, samples, noise, gated=False)
    oracle = KalmanFilter(dim_x=size, dim_z=n)
    measured = samples.coordinate - around.states.coordinate
    oracle.x = np.concatenate([measured[0], -around.states.rate[0], np.zeros(unknowns)])[:, None]
    oracle.P = np.diag(np.concatenate([levels.start, levels.start_rate, np.ones(unknowns)]) ** 2)
    oracle.H, oracle.R = np.eye(n, size), np.diag(noise.coordinate**2)
    for k in range(len(samples)):
        if k:
            matrix, by_values, by_force, defect = transition(model, around, k - 1)
            oracle.F = np.eye(size)
            oracle.F[: 2 * n, : 2 * n], oracle.F[: 2 * n, 2 * n :] = matrix, by_values
            pushed = by_force * noise.force
            oracle.Q = np.zeros((size, size))
            oracle.Q[: 2 * n, : 2 * n] = pushed @ pushed.T
            oracle.B, u = np.eye(size, 2 * n), defect[:, None]
            oracle.predict(u=u)
        oracle.update(measured[k][:, None])
    std = np.sqrt(np.diag(oracle.P)[2 * n :])
    np.testing.assert_allclose((found.values - oracle.x[2 * n :, 0]) / std, 0.0, atol=1e-5)
    ours = found.covariance / np.outer(model.prior.std, model.prior.std) / np.outer(std, std)
    np.testing.assert_allclose(ours, oracle.P[2 * n :, 2 * n :] / np.outer(std, std), atol=1e-5)


@pytest.mark.parametrize("name", SMALL)
def test_smoothed_states_are_the_most_probable_ones(name):
    """SciPy's least squares over all states and all force noise at once finds the same, and their deviations."""
    model, samples, noise, around = problem_of(name, 60)
    values = np.zeros(model.unknowns)
    found = smooth(model, around, samples, noise, values)
    n, count = len(model.machine.drives), len(samples)
    levels = levels_of(model, samples, noise, gated=False)
    measured = samples.coordinate - around.states.coordinate
    # unknowns: the state at the start, then force noise of each period, in standard deviations
    width = 2 * n + n * (count - 1)
    scale = np.concatenate([levels.start, levels.start_rate])
    state, offset = np.zeros((count, 2 * n, width)), np.zeros((count, 2 * n))
    state[0, :, : 2 * n], offset[0] = np.diag(scale), np.concatenate([measured[0], -around.states.rate[0]])
    for k in range(count - 1):
        matrix, _, by_force, defect = transition(model, around, k)
        state[k + 1], offset[k + 1] = matrix @ state[k], matrix @ offset[k] + defect
        state[k + 1][:, 2 * n + k * n : 2 * n + (k + 1) * n] += by_force * noise.force
    rows = np.vstack([*(one[:n] / noise.coordinate[:, None] for one in state), np.eye(width)])
    right = np.concatenate([((measured - offset[:, :n]) / noise.coordinate).ravel(), np.zeros(width)])
    solved = lsq_linear(rows, right, tol=1e-14, lsq_solver="exact").x
    covariance = np.linalg.inv(rows.T @ rows)
    states = offset + state @ solved
    std = np.sqrt(np.einsum("kiw,wv,kiv->ki", state, covariance, state))
    np.testing.assert_allclose(
        (found.coordinate - around.states.coordinate - states[:, :n]) / std[:, :n], 0.0, atol=1e-5
    )
    np.testing.assert_allclose((found.rate - around.states.rate - states[:, n:]) / std[:, n:], 0.0, atol=1e-5)
    # of the first samples it is the small difference of large numbers: the start's rate may be any
    np.testing.assert_allclose(found.rate_std[5:], std[5:, n:], rtol=1e-5)
    force = (solved[2 * n :].reshape(-1, n)) * noise.force
    np.testing.assert_allclose(found.force_noise[:-1] / noise.force, force / noise.force, atol=1e-5)


@pytest.mark.parametrize(
    "name", [WITH_FRICTION, "five_bar", "mast_belt"]
)  # belts: forces with lines of held commands
@pytest.mark.usefixtures("unjudged")
def test_parameters_and_noise_of_any_machine_are_found(name):
    one, (log, values) = machine_of(name), log_of(name)
    result = identify([log], one, Settings.of(estimator="joint"))
    assert result.converged, result.nonconvergence
    estimate = result.estimate
    seen = np.array([status == IDENTIFIABLE for status in estimate.status])
    assert np.count_nonzero(seen) > len(seen) / 3
    away = ((estimate.values - project(one, result.parameters, values)) / estimate.std)[seen]
    assert np.abs(away).max() < 4.5
    assert 0.2 < np.mean(away**2) < 2.0
    # the mean of two samples has half of their noise, more of it in what coordinates show
    expected = 0.01 * np.sqrt(np.mean(log.force**2, axis=0))
    assert np.all(np.abs(np.log(result.residual_rms / expected)) < np.log(2.5))


def project(one, parameters, truth):
    """Return the values of a set that make the forces of values (B,) of the basis."""
    motion = one.compute_motion(*smooth_drives(one, 200, seed=5))
    mapping = parameters.mapping
    columns = one.compute_regressor(motion, np.column_stack([mapping, truth - parameters.known]))
    friction = DriveFriction.of(one, np.column_stack([mapping, truth - parameters.known]))
    friction.add(motion.rate, columns)
    rows = columns.reshape(-1, columns.shape[2])
    scale = np.linalg.norm(rows[:, :-1], axis=0)
    return np.linalg.lstsq(rows[:, :-1] / scale, rows[:, -1], rcond=1e-12)[0] / scale


def test_coordinates_that_jump_are_refused_and_a_state_that_is_lost_is_begun_afresh():
    one, samples = machine_of("four-bar"), problem_of("four-bar")[1]
    coordinate = samples.coordinate.copy()
    coordinate[[80, 150]] += 1e-2
    coordinate[250:] += 2e-2
    used, states = find_first_states(
        one, replace(samples, coordinate=coordinate), PERIOD, JointNoise.of(one, samples)
    )
    assert np.flatnonzero(~used.measured[:250]).tolist() == [80, 150]
    assert np.count_nonzero(used.begins) == 2
    assert np.all(np.isfinite(states.rate))


def test_made_up_samples_and_segments_are_respected():
    """No coordinate is used where validation made one up, and nothing passes from one log to the next."""
    model, samples, noise, around = problem_of("four-bar")
    measured, wrong = samples.measured.copy(), samples.coordinate.copy()
    measured[100:104] = False
    wrong[100:104] += 5e-3
    values = np.zeros(model.unknowns)
    blind = smooth(model, around, replace(samples, measured=measured), noise, values)
    misled = smooth(model, around, replace(samples, measured=measured, coordinate=wrong), noise, values)
    np.testing.assert_array_equal(misled.rate, blind.rate)
    twice = JointSamples.concatenate([samples, samples])
    centre = States(*(np.concatenate([one, one]) for one in around.states))
    both = smooth(model, linearise(model, twice, values, centre), twice, noise, values)
    np.testing.assert_allclose(both.rate[: len(samples)], both.rate[len(samples) :], atol=1e-12)


def test_the_log_of_another_machine_is_told():
    """Forces of a machine of another shape: no estimate that would pass for good."""
    one, (log, _) = machine_of("four-bar"), log_of("four-bar")
    force = log.force * (1.0 + 4.0 * np.sin(3.0 * log.coordinate) ** 2)
    try:
        result = identify([replace(log, force=force)], one, Settings.of(estimator="joint"))
    except (NotConverged, Unidentifiable):
        return
    assert not result.converged or (result.fit is not None and not result.fit.adequate)


def draw_arm(seed: int):
    """A serial arm whose last link is far lighter than its friction asks for: that stops it within 0.1 ms."""
    rng = np.random.default_rng(seed)
    wrist = 10.0 ** rng.uniform(-4.5, -3.5)

    def link(mass: float, place: float, inertia: float) -> dict:
        return {
            "mass": f"{mass:.6g}",
            "center_of_mass": [f"{place:.6g}", "0", "0"],
            "inertia": [*[f"{inertia:.6g}"] * 3, "0", "0", "0"],
        }

    def joint(first: str, second: str, place: str) -> dict:
        return {
            "type": "revolute",
            "bodies": [first, second],
            "place": [[place, "0", "0"], ["0", "0", "0"]],
            "axis": [["0", "1", "0"], ["0", "1", "0"]],
            "reference": [["1", "0", "0"], ["1", "0", "0"]],
        }

    return read_machine(
        {
            "schema": "1",
            "kind": "mechanism",
            "name": "arm",
            "bodies": {"arm": link(*rng.uniform((2.0, 0.1, 0.05), (5.0, 0.2, 0.2))), "hand": link(0.1, 0.01, wrist)},
            "joints": {"shoulder": joint("ground", "arm", "0"), "wrist": joint("arm", "hand", "0.3")},
            "drives": {name: {"joint": name, "force": f"{name}_torque"} for name in ("shoulder", "wrist")},
            "friction": {"law": "coulomb", "viscous": ["10", "3"], "coulomb": ["8", f"{rng.uniform(1.5, 3.0):.3g}"]},
            "home": {"drives": {"shoulder": "0", "wrist": "0"}},
        }
    )  # fmt: skip


@pytest.mark.usefixtures("unjudged")
@pytest.mark.parametrize("seed", [1, 2])
def test_friction_that_stops_a_drive_within_a_sample_is_no_ringing(seed):
    arm = draw_arm(seed)
    record = simulate(arm, "rich", 6.0, sensors=SensorSettings(current_noise=0.01), seed=seed)
    result = identify([record.log()], arm, Settings.of(estimator="joint"))
    estimate = result.estimate
    assert result.converged, result.nonconvergence
    truth = result.parameters.nominal
    deviations = (estimate.values - truth) / np.sqrt(np.diag(estimate.covariance))
    assert np.max(np.abs(deviations)) < 4.0
