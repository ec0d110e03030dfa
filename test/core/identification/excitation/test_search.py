# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The search for a motion: derivatives, units, limits between samples, a toy with a known optimum."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest
from core.mechanisms.hexapod.machine_variants import document, machine

from pkm_identification.errors import SettingsError
from pkm_identification.identification.excitation.criteria import CRITERIA, Criterion
from pkm_identification.identification.excitation.descent import Penalised
from pkm_identification.identification.excitation.search import search
from pkm_identification.identification.excitation.subject import GRID, PERIOD, Response, Subject
from pkm_identification.identification.settings import Settings
from pkm_identification.mechanisms.hexapod.dynamics import strut_forces
from pkm_identification.mechanisms.hexapod.joint_limits import JointLimits
from pkm_identification.mechanisms.hexapod.kinematics.passive import passive_angles
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.parameters.parameter import Kind
from pkm_identification.simulation.trajectories import peaks, within_limits
from pkm_identification.simulation.waveforms import FadedWaves, MultiSine

SMOOTH = ("d", "a", "e")


@pytest.fixture(scope="module")
def subject():
    machine = Machine.load("uf")
    return Subject.of(machine, Settings.of(estimator="ls").parameter_set(machine), 8.0)


class Circle:
    """Two displacements inside a circle, each seen by a parameter of its own."""

    names = ("a", "b")
    kinds = (Kind.MASS, Kind.MASS)
    scale = np.ones(2)

    def __init__(self):
        instants = np.arange(0.0, 1.0, 0.02)
        self.start = MultiSine(np.array([1.0]), np.array([[0.5], [0.2]]), np.array([[0.1], [0.0]]))
        self.waves = FadedWaves.of(self.start.frequency, None, instants)

    def response(self, displacement):
        value = displacement[0]
        columns = np.zeros((len(value), 2, 2))
        columns[:, 0, 0], columns[:, 1, 1] = value.T
        return Response(columns, np.ones_like(value), np.sum(value**2, axis=1, keepdims=True))

    def columns(self, signal):
        response = self.response(self.waves.evaluate(signal))
        return response.rows if response.use.max() <= 1 else None

    def allowed(self, signal):
        return True


def test_a_toy_reaches_its_known_optimum():
    """det of diag(sum y_1^2, sum y_2^2) with y_1^2 + y_2^2 <= 1 in N samples is largest, (N/2)^2, on the circle."""
    toy = Circle()
    found = search(toy, Criterion("d", toy.scale, toy.kinds), 600.0, most=400)
    assert found.value == pytest.approx(-2 * np.log(25.0), abs=0.02)
    # no smaller than any motion in the circle has
    assert found.value >= -2 * np.log(25.0) - 1e-5


class Slow(Circle):
    """A model that takes its time on a clock of its own: a second for each evaluation, and nothing else takes any."""

    def __init__(self):
        super().__init__()
        self.now = 0.0

    def clock(self):
        return self.now

    def response(self, displacement):
        self.now += 1.0
        return super().response(displacement)


@pytest.mark.parametrize("name", ["d", "condition"])
def test_the_budget_ends_between_two_evaluations_of_the_model(name):
    toy, said = Slow(), []
    found = search(
        toy, Criterion(name, toy.scale, toy.kinds), 40.0, say=said.append, started=toy.now, clock=toy.clock
    )
    loaded = float(said[0].split()[2])
    assert 1.0 <= loaded <= 3.0
    # the evaluation that is under way when the budget ends is the last; loading is a part of the budget
    assert 40.0 <= toy.now <= 41.0
    assert found.tried > 0
    # progress every two seconds, of evaluations of one
    assert len(said) >= 10


def test_half_of_the_budget_is_searched_however_long_loading_takes():
    toy = Slow()
    search(toy, Criterion("d", toy.scale, toy.kinds), 40.0, started=toy.now - 1000.0, clock=toy.clock)
    assert 20.0 <= toy.now <= 24.0


def test_without_time_for_a_motion_the_beginning_is_what_is_found():
    toy = Circle()
    found = search(toy, Criterion("d", toy.scale, toy.kinds), 1e-9)
    assert found.tried == 0
    np.testing.assert_array_equal(found.signal.sine, toy.start.sine)
    np.testing.assert_array_equal(found.gain, 1.0)


@pytest.mark.parametrize("name", SMOOTH)
def test_derivatives_are_those_of_differences(subject, name):
    criterion = Criterion(name, subject.scale, subject.kinds)
    criterion.protect(1.3 * subject.columns(subject.start.scale(0.9)))
    cost = Penalised(subject, criterion, 3e2)
    signal = subject.start.scale(1.1)
    here = cost(signal)
    assert here is not None
    _, by_sine, by_cosine = here
    sine, cosine = np.random.default_rng(1).normal(size=(2, *signal.sine.shape)) * 1e-7
    beside = [
        cost(MultiSine(signal.frequency, signal.sine + sign * sine, signal.cosine + sign * cosine))
        for sign in (1, -1)
    ]
    assert beside[0] is not None
    assert beside[1] is not None
    there, back = beside[0][0], beside[1][0]
    slope = np.sum(by_sine * sine) + np.sum(by_cosine * cosine)
    assert (there - back) / 2 == pytest.approx(slope, rel=1e-4)


@pytest.mark.parametrize("name", CRITERIA)
def test_units_change_no_criterion_beyond_a_constant(subject, name):
    """First moments in g mm and the like: columns, scales and nothing else change."""
    factor = np.array([{Kind.INERTIA: 1e-9, Kind.MASS: 1e-3}.get(kind, 1.0) for kind in subject.kinds])
    small, large = (subject.columns(subject.start.scale(size)) for size in (0.6, 0.9))
    plain = Criterion(name, subject.scale, subject.kinds)
    other = Criterion(name, subject.scale / factor, subject.kinds)
    change = plain(large) - plain(small)
    assert other(large * factor) - other(small * factor) == pytest.approx(change, rel=1e-7)
    assert abs(change) > 1e-3
    # what the change of units does to a criterion of the columns as they are
    raw = np.linalg.cond(large), np.linalg.cond(large * factor)
    assert max(raw) > 10 * min(raw)


@pytest.mark.slow
def test_more_tries_are_never_worse_and_the_seed_decides(subject):
    criterion = Criterion("d", subject.scale, subject.kinds)
    short, again, long = (search(subject, criterion, 600.0, 2, most=count) for count in (25, 25, 60))
    assert short.value == again.value
    assert long.value <= short.value < short.start
    assert short.kept > 0
    np.testing.assert_array_equal(short.signal.sine, again.signal.sine)


@pytest.mark.slow
def test_limits_are_kept_twenty_times_finer(subject):
    """Of the largest motions the search comes to; the margins themselves, not only the limits."""
    criterion = Criterion("d", subject.scale, subject.kinds)
    for seed in range(3):
        found = search(subject, criterion, 600.0, seed, most=40)
        assert found.kept > 0
        path = replace(subject.path, signal=found.signal)
        assert within_limits(subject.machine.description, path.motion(np.arange(0.0, 8.0, GRID / 20)))
        # and it uses them: a tenth more does not
        assert not within_limits(
            subject.machine.description,
            replace(path, signal=found.signal.scale(1.1)).motion(np.arange(0.0, 8.0, GRID)),
        )


@pytest.mark.slow
def test_the_largest_motions_of_a_hundred_seeds_keep_the_limits_twenty_times_finer(subject):
    """As large as the search would still take them, of amplitudes and phases that have nothing to do with `rich`."""
    short = Subject.of(subject.machine, subject.parameters, 4.0)
    fine = np.arange(0.0, 4.0, GRID / 20)
    reach = np.sqrt(np.mean(short.start.sine**2 + short.start.cosine**2, axis=1, keepdims=True))
    for seed in range(100):
        sine, cosine = reach * np.random.default_rng(seed).normal(size=(2, *short.start.sine.shape))
        signal = MultiSine(short.start.frequency, 0.5 * sine, 0.5 * cosine)
        for _ in range(4):
            signal = signal.scale(1.0 / short.response(short.waves.evaluate(signal)).use.max())
        while not short.allowed(signal):
            signal = signal.scale(0.997)
        assert within_limits(short.machine.description, replace(short.path, signal=signal).motion(fine)), seed


@pytest.mark.slow
def test_passive_joints_keep_to_their_angles(subject):
    """A limit in the middle of what `rich` uses is kept, twenty times finer than the search looks, and used."""
    machine = subject.machine.description
    fine = np.arange(0.0, 8.0, GRID / 20)

    def swing(signal):
        states = replace(subject.path, signal=signal).motion(fine)
        return passive_angles(machine, states.position, states.rotation).swing.max()

    most = 0.6 * swing(subject.start)
    limited = replace(machine, joint_limits=JointLimits(swing=most))
    narrow = Subject.of(limited, subject.parameters, 8.0)
    found = search(narrow, Criterion("d", narrow.scale, narrow.kinds), 600.0, most=10)
    assert 0.9 * most < swing(found.signal) <= most
    assert found.kept > 0


@pytest.mark.slow
def test_deviations_are_those_of_a_fisher_information_by_differences(subject):
    """Forces of machines whose files differ a little: derivatives of what the forces are, and no regressor."""
    named = {
        "m_p": ("platform", "mass", None),
        **{f"I{axis}{axis}_p": ("platform", "inertia", k) for k, axis in enumerate("xyz")},
        "m_b": ("strut", "body_b", "mass", None),
        "m_e": ("strut", "body_e", "mass", None),
        "It_b+It_e": ("strut", "body_b", "inertia", 0),
        "Ia_b+Ia_e": ("strut", "body_b", "inertia", 1),
        **{f"{kind}_{i + 1}": ("friction", kind, i) for kind in ("viscous", "coulomb") for i in range(6)},
    }
    states = subject.path.motion(np.arange(0.0, 8.0, PERIOD))
    noise = np.sqrt(np.mean(strut_forces(subject.machine.description, states) ** 2, axis=0))
    slopes = []
    for name, scale in zip(subject.names, subject.scale, strict=True):
        *keys, last, index = named[name]
        both = []
        for sign in (1, -1):
            made = document("uf")
            place = made
            for key in keys:
                place = place[key]
            if index is None:
                place[last] += sign * 1e-3 * scale
            else:
                place[last][index] += sign * 1e-3 * scale
            both.append(strut_forces(machine(made), states) / noise)
        slopes.append((both[0] - both[1]).ravel() / 2e-3)
    fisher = np.array(slopes) @ np.array(slopes).T
    expected = np.sqrt(np.diag(np.linalg.inv(fisher + 1e-6 * np.eye(len(slopes)))))
    found = Criterion("d", subject.scale, subject.kinds).deviations(subject.columns(subject.start))
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_what_is_known_already_counts(subject):
    """After a log of the same motion another one is worth less, and one of what it did not show is worth more."""
    columns = subject.columns(subject.start)
    fresh = Criterion("d", subject.scale, subject.kinds)
    later = Criterion("d", subject.scale, subject.kinds, earlier=columns)
    assert later(columns) < fresh(columns)
    # but for the prior of a thousand sizes, of which the worst known of them feels (42 / 1000)^2
    np.testing.assert_allclose(later.deviations(columns), fresh.deviations(columns) / np.sqrt(2), rtol=4e-3)


def test_peaks_bound_what_is_between_samples():
    instants = np.arange(0.0, 2.0, 0.02)
    rng = np.random.default_rng(5)
    for _ in range(50):
        phase = rng.uniform(0, 7, 3)
        coarse, fine = (
            np.sin(np.multiply.outer(t, [3.0, 9.0, 15.0]) + phase).sum(axis=1)[:, None]
            for t in (instants, np.arange(0.0, 1.98, 0.0005))
        )
        least, most = peaks(coarse)
        assert least <= fine.min()
        assert most >= fine.max()
        assert most - coarse.max() < 0.05


@pytest.mark.parametrize(("name", "weights"), [("b", None), ("d", np.ones(20))])
def test_what_is_no_criterion_is_refused(subject, name, weights):
    with pytest.raises(SettingsError, match=f"criterion '{name}'"):
        Criterion(name, subject.scale, subject.kinds, weights)


def test_deviations_of_what_motion_shows_in_a_sum_alone_are_numbers():
    """A sum known 1e7 times better than its parts leaves an information that no inverse can be trusted with."""
    direction = np.random.default_rng(0).normal(size=(3, 12))
    rows = 1e7 * np.random.default_rng(1).normal(size=(400, 3)) @ direction
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = Criterion("a", np.ones(12), (Kind.MASS,) * 12).deviations(rows)
    assert np.all(np.isfinite(found) & (found > 0.0))
