# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""The joint filter against an extended Kalman filter with numerical derivatives, and its own claims."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from core.identification.augmented_state.dual_problems import (
    PERIOD,
    TRUTH,
    centred,
    exact_run,
    nees,
    noisy,
    problem,
    samples_of,
    truth_of,
)
from scipy import stats
from scipy.spatial.transform import Rotation

from pkm_identification.errors import NotConverged
from pkm_identification.identification.augmented_state.augmented_filter import JointFilter
from pkm_identification.identification.augmented_state.records import State, step_result, step_scratch
from pkm_identification.identification.augmented_state.state_model import advance
from pkm_identification.identification.augmented_state.two_filter import TwoFilters
from pkm_identification.mechanisms.hexapod.dynamics.basis import basis_parameters
from pkm_identification.mechanisms.hexapod.dynamics.mass import platform_dynamics
from pkm_identification.mechanisms.hexapod.kinematics import jacobian, strut_lengths

pytestmark = pytest.mark.slow

SEEDS = 6


class PlainExtendedFilter:
    """Textbook EKF on (parameters, state) with central differences and dense covariances."""

    def __init__(self, model, noise, motion, covariance):
        self.model, self.noise = model, noise
        self.values = np.zeros(model.unknowns)
        self.state = (motion.position[0].copy(), motion.rotation[0].copy(), motion.twist[0].copy())
        self.covariance = covariance
        self.guess = np.zeros(6)

    def moved(self, state, step):
        position, rotation, twist = state
        return position + step[:3], Rotation.from_rotvec(step[3:6]).as_matrix() @ rotation, twist + step[6:]

    def after(self, values, state, force):
        m = self.model
        position, rotation, twist = (np.array(part) for part in state)
        moved, result = State(position, rotation, twist), step_result()
        basis = m.known + m.mapping @ values
        assert advance(m.arguments, basis, force, self.guess, moved, step_scratch(), result)
        self.last = result.mean_acceleration
        return position, rotation, twist

    def between(self, state, other):
        turned = Rotation.from_matrix(state[1] @ other[1].T).as_rotvec()
        return np.concatenate([state[0] - other[0], turned, state[2] - other[2]])

    def predict(self, force):
        count = len(self.values)
        size = count + 12
        mean = self.after(self.values, self.state, force)
        acceleration, guess = self.last, self.guess
        self.guess = acceleration
        small = np.concatenate([np.full(count, 1e-4), np.full(3, 1e-7), np.full(3, 1e-7), np.full(6, 1e-6)])
        jacobian, by_force = np.zeros((size, size)), np.zeros((size, 6))
        jacobian[:count, :count] = np.eye(count)
        for j in range(size):
            step = np.zeros(size)
            step[j] = small[j]
            ends = [
                self.after(self.values + s * step[:count], self.moved(self.state, s * step[count:]), force)
                for s in (1, -1)
            ]
            jacobian[count:, j] = self.between(*ends) / (2 * small[j])
        for j in range(6):
            step = np.zeros((2, 6))
            step[:, j] = 1e-2
            ends = [self.after(self.values, self.state, force + s * step) for s in (1, -1)]
            by_force[count:, j] = self.between(*ends) / 2e-2
        self.guess = guess
        mean = self.after(self.values, self.state, force)
        self.guess = acceleration
        self.state = mean
        self.covariance = (
            jacobian @ self.covariance @ jacobian.T + by_force @ np.diag(self.noise.force**2) @ by_force.T
        )

    def correct(self, length):
        count = len(self.values)
        machine = self.model.machine

        def lengths(state):
            return strut_lengths(machine, state[0][None], state[1][None])[0]

        rows = np.zeros((6, count + 12))
        for j in range(6):
            step = np.zeros(12)
            step[j] = 1e-6
            rows[:, count + j] = (
                lengths(self.moved(self.state, step)) - lengths(self.moved(self.state, -step))
            ) / 2e-6
        spread = rows @ self.covariance @ rows.T + self.noise.length**2 * np.eye(6)
        gain = self.covariance @ rows.T @ np.linalg.inv(spread)
        change = gain @ (length - lengths(self.state))
        self.covariance = self.covariance - gain @ spread @ gain.T
        self.values = self.values + change[:count]
        self.state = self.moved(self.state, change[count:])


def test_filter_is_the_extended_filter_where_the_model_is_smooth():
    """Small uncertainty away from friction's bends, where derivatives exist: both must agree."""
    record = exact_run()
    rates = np.abs(record.truth.rate)
    start = next(k for k in range(900, 2000) if rates[k : k + 31].min() > 6e-3)
    part = slice(start, start + 30)
    samples = noisy(samples_of(record, TRUTH), 1)
    samples = type(samples)(*(getattr(samples, name)[part] for name in type(samples).__dataclass_fields__))
    model, noise = problem(samples, TRUTH)
    motion = record.truth.motion[part]
    std = np.repeat([1e-6, 2e-6, 2e-4, 5e-4], 3)
    ours = JointFilter(model, noise)
    ours._root[:] *= 0.02
    ours.start_at(motion.position[0], motion.rotation[0], motion.twist[0], std)
    covariance = ours._root @ ours._root.T
    result = ours.run(samples)
    oracle = PlainExtendedFilter(model, noise, motion, covariance)
    for n in range(30):
        if n:
            oracle.predict(samples.force[n - 1 : n + 1])
        oracle.correct(samples.length[n])
    assert result.gated == 0
    spread = np.sqrt(np.diag(oracle.covariance))
    # a hundredth of a standard deviation: what sigma points see of curvature, and difference quotients of rounding
    np.testing.assert_allclose(ours._values, oracle.values, atol=0.01 * spread[: model.unknowns].min())
    position, rotation, twist = ours.state
    away = oracle.between((position, rotation, twist), oracle.state)
    assert np.abs(away / spread[model.unknowns :]).max() < 0.01
    root = ours._root
    np.testing.assert_allclose(
        (root @ root.T) / np.outer(spread, spread), oracle.covariance / np.outer(spread, spread), atol=2e-3
    )


@pytest.fixture(scope="module")
def runs():
    """Logs with known noise, each estimated from a start 20 to 50 % off; states with the parameters found."""
    found = []
    exact = samples_of(exact_run(), TRUTH)
    for seed in range(SEEDS):
        samples = noisy(exact, 10 + seed)
        model, noise = problem(samples)
        centre = centred(model, noise, samples)
        result = JointFilter(model, noise).run(samples, centre)
        states = JointFilter(model.fixed(result.mean), noise).smoothed(samples, centre)
        found.append((samples, model, noise, centre, result, states))
    return found


def test_parameters_are_as_far_from_the_truth_as_their_covariance_says(runs):
    """NEES over independent logs is chi-square; the band holds 99.8 % of what chance does."""
    values = [nees(result.mean - truth_of(model), result.covariance) for _, model, _, _, result, _ in runs]
    freedom = len(truth_of(runs[0][1])) * SEEDS
    low, high = stats.chi2.ppf([0.001, 0.999], freedom) / freedom
    assert low < np.sum(values) / freedom < high, values


def test_parameters_are_found(runs):
    for _, model, _, _, result, _ in runs:
        np.testing.assert_allclose(result.mean, truth_of(model), rtol=0.02)
        assert np.sqrt(np.diag(result.covariance))[0] < 0.01 * truth_of(model)[0]


def test_innovations_are_as_large_as_expected(runs):
    """NIS of six lengths: mean 6; successive ones are independent, so a log of 2500 tells 2 % apart."""
    for *_, result, _ in runs:
        assert np.nanmean(result.nis[50:]) == pytest.approx(6.0, rel=0.05)


def test_states_are_as_far_from_the_truth_as_their_covariance_says(runs):
    """Squared errors in units of the variance, over the moving part; errors remember some 20 ms, so a log has 100."""
    squares = []
    for *_, result, _ in runs:
        truth = exact_run().truth.motion
        error = np.hstack([result.motion.position - truth.position, result.motion.twist - truth.twist])[600:]
        std = result.std[600:][:, [0, 1, 2, 6, 7, 8, 9, 10, 11]]
        squares.append(np.mean((error / std) ** 2, axis=0))
    squares = np.mean(squares, axis=0)
    # 600 independent errors: 1 +- 0.06; force noise enters by pairs of samples, which takes a little off
    assert np.all(squares < 1.25), squares
    assert np.all(squares > 0.6), squares


def test_smoothed_states_are_better_than_filtered_ones(runs):
    truth = exact_run().truth.motion
    for *_, result, states in runs:
        filtered, smoothed = (
            np.std((motion.twist - truth.twist)[600:-100], axis=0)
            for motion in (result.motion, states.motion)
        )
        assert np.all(smoothed < 0.75 * filtered)


def test_smoothing_in_windows_changes_nothing(runs, monkeypatch):
    samples, model, noise, centre, result, states = runs[0]
    monkeypatch.setattr("pkm_identification.identification.augmented_state.augmented_filter.WINDOW", 700)
    parts = JointFilter(model.fixed(result.mean), noise).smoothed(samples, centre)
    # what lies 300 samples ahead has no weight left; a guess of the acceleration is made anew at each window
    for name in ("position", "twist"):
        difference = np.abs(getattr(parts.motion, name) - getattr(states.motion, name))
        column = slice(0, 3) if name == "position" else slice(6, 12)
        assert (difference / states.std[:, column]).max() < 0.02
    np.testing.assert_allclose(parts.std, states.std, rtol=1e-3)


def test_two_filters_find_what_one_finds(runs):
    """Around the same states both forms are the same estimate (Friedland), up to the curvature sigma points see."""
    samples, model, noise, centre, result, _ = runs[0]
    two = TwoFilters(model, noise).run(samples, centre)
    std = np.sqrt(np.diag(result.covariance))
    assert np.abs((two.mean - result.mean) / std).max() < 0.1
    np.testing.assert_allclose(np.sqrt(np.diag(two.covariance)), std, rtol=0.05)


def remembered(model, noise, motion) -> float:
    """How much more of a lasting acceleration innovations hold than one period makes of it, at least.

    In strut space, along the eigenvectors of J M^-1 J^T, a state is an inertia whose acceleration is noisy and whose
    place is measured: the filter of gains alpha and beta. A lasting acceleration a stands in its innovations as
    a h^2 / beta, and one period makes a h^2 / 2 of it. beta by Kalata (IEEE Trans. AES-20, 1984).
    """
    machine, middle = model.machine, slice(len(motion.position) // 2, len(motion.position) // 2 + 1)
    pose = motion.position[middle], motion.rotation[middle]
    jac = jacobian(machine, *pose)[0]
    mobility = np.linalg.eigvalsh(jac @ np.linalg.solve(platform_dynamics(machine, *pose).mass[0], jac.T))
    index = noise.force[0] * mobility * PERIOD**2 / noise.length
    beta = 0.25 * index * (4.0 + index - np.sqrt(index**2 + 8.0 * index))
    return float((2.0 / beta).min())


def test_the_derivative_of_one_step_alone_is_not_enough(runs):
    """Without what parameters did to the state before, far less is learned: recurrence is what counts.

    By how much follows from the state filter's gain: the information grows with the square of what is remembered.
    """
    samples, model, noise, centre, result, _ = runs[0]
    static = TwoFilters(model, noise, recurrent=False).run(samples, centre)
    factor = remembered(model, noise, centre.motion)
    assert factor > 3.0
    scale = np.outer(model.prior.std, model.prior.std)
    gained = np.linalg.inv(static.covariance / scale) - np.eye(model.unknowns)
    expected = np.sqrt(np.diag(np.linalg.inv(factor**2 * gained + np.eye(model.unknowns)) * scale))
    std = np.sqrt(np.diag(result.covariance))
    # friction that changes its sign is no lasting one; the mass's effect is
    assert std[0] < 1.05 * expected[0]


def test_a_pose_that_is_off_at_the_start_is_found(runs):
    """Started 3 mm and 10 mrad off, and told so, the state is right before the machine moves."""
    samples, model, noise, _, result, _ = runs[0]
    machine = model.machine
    filter_ = JointFilter(model.fixed(result.mean), noise)
    turned = Rotation.from_rotvec([0.01, -0.01, 0.005]).as_matrix() @ machine.home_rotation
    filter_.start_at(
        machine.home_position + np.array([0.003, -0.003, 0.002]),
        turned,
        np.zeros(6),
        np.repeat([3e-3, 1e-2, 0.05, 0.2], 3),
    )
    found = filter_.run(samples.first(600))
    error = found.motion.position[300:] - exact_run().truth.motion.position[300:600]
    assert np.abs(error).max() < 2e-6
    assert found.restarts == 0


def test_samples_that_jump_are_refused(runs):
    samples, model, noise, _, result, _ = runs[0]
    length = samples.length.copy()
    length[[800, 1500]] += 1e-3
    found = JointFilter(model.fixed(result.mean), noise).run(replace(samples, length=length))
    assert found.gated == 2
    assert found.restarts == 0


def test_a_state_that_is_lost_is_begun_afresh(runs):
    """The machine is elsewhere from one sample to the next (an encoder slipped): a few samples, then a new start."""
    samples, model, noise, _, result, _ = runs[0]
    length = samples.length.copy()
    length[1200:] += 2e-3
    found = JointFilter(model.fixed(result.mean), noise).run(replace(samples, length=length))
    assert found.restarts == 1
    assert found.gated == 25
    assert np.all(np.isfinite(found.motion.twist))


def test_made_up_samples_and_segments_are_respected(runs):
    """No length is used where the guard made one up, and nothing passes from one log to the next."""
    samples, model, noise, _, result, _ = runs[0]
    measured = samples.measured.copy()
    measured[1000:1004] = False
    wrong = samples.length.copy()
    wrong[1000:1004] += 5e-3
    found = JointFilter(model.fixed(result.mean), noise).run(
        replace(samples, length=wrong, measured=measured)
    )
    assert found.gated == 0
    assert np.all(np.isnan(found.nis[1000:1004]))
    twice = type(samples).joined([samples, samples])
    both = JointFilter(model.fixed(result.mean), noise).run(twice)
    np.testing.assert_allclose(
        both.motion.position[len(samples) :], both.motion.position[: len(samples)], atol=1e-12
    )


def test_another_machines_log_is_told():
    record = exact_run()
    samples = samples_of(record, TRUTH)
    model, noise = problem(samples)
    impossible = JointFilter(model.fixed(np.array([-200.0, 1.0, 1.0, 1.0, 1.0])), noise)
    with pytest.raises(NotConverged, match="joint estimate left what a machine can have at"):
        impossible.run(samples)


def test_truth_is_not_the_owners():
    """The simulated machine differs from the model's start in every parameter estimated."""
    assert np.all(basis_parameters(TRUTH) >= 0)
    model, _ = problem(samples_of(exact_run(), TRUTH))
    assert np.all(np.abs(model.prior.mean / truth_of(model) - 1) > 0.15)
    assert exact_run().time[1] - exact_run().time[0] == PERIOD
