# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Equations of the energy model: an exact balance, the identifiable set, equal noise at any speed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from core.mechanisms.hexapod.machine_variants import (
    BUILTIN,
    changed,
    document,
    machine,
    rubbing,
    untidy,
    with_joint,
)
from core.platform_motions import six_axes

from pkm_identification.estimation.batch.least_squares import least_squares
from pkm_identification.estimation.equations import Equations
from pkm_identification.identification.equations.energy_equations import energy_equations, step_work
from pkm_identification.identification.equations.force_equations import force_equations
from pkm_identification.identification.samples import close_samples
from pkm_identification.machines.capabilities import motion_of_platform
from pkm_identification.machines.load import as_machine
from pkm_identification.mechanisms.hexapod.dynamics import strut_forces
from pkm_identification.mechanisms.hexapod.kinematics.forward import platform_motion
from pkm_identification.mechanisms.hexapod.kinematics.inverse import strut_lengths
from pkm_identification.mechanisms.hexapod.parameters.sets import NAMES, list_hexapod_parameters
from pkm_identification.motion import DriveLog
from pkm_identification.parameters.prior import Prior
from pkm_identification.signals.band import BandSettings
from pkm_identification.signals.input_validation import InputValidator, ValidationSettings
from pkm_identification.signals.zero_phase import filter_log

pytestmark = pytest.mark.slow

PERIOD = 1e-3
BAND = BandSettings(PERIOD)
FRICTION = {
    "viscous": [120.0, 60.0, 90.0, 200.0, 75.0, 150.0],
    "coulomb": [25.0, 21.0, 55.0, 10.0, 53.0, 43.0],
    "transition_rate": 0.002,
}
# What a machine's owner has wrong: masses and moments by 15 to 25 %; friction is not known at all.
WRONG = {"platform": 0.85, "body_b": 1.2, "body_e": 0.8}


def clock(duration: float) -> np.ndarray:
    return np.arange(0.0, duration, PERIOD)


def segments(count: int, *breaks: int) -> np.ndarray:
    return np.searchsorted(breaks, np.arange(count), side="right").astype(np.int64)


def rubbed(made: dict) -> dict:
    """With friction."""
    return changed(made, friction=FRICTION)


def mistaken(made: dict) -> dict:
    """What the owner believes of a machine: same geometry, other masses and moments, no friction."""
    believed = changed(made, friction={"transition_rate": FRICTION["transition_rate"]})
    for name, factor in WRONG.items():
        body = believed["platform"] if name == "platform" else believed["strut"][name]
        body["mass"] *= factor
        body["inertia"] = [value / factor for value in body["inertia"]]
    return believed


def balanced(made, parameters, platform) -> tuple:
    """What energy equations are made of: machine, parameters, motion and stamps."""
    return as_machine(made), parameters, motion_of_platform(made, platform), platform.time


def residual(equations: Equations, parameters: np.ndarray) -> np.ndarray:
    return equations.measured - equations.regressor @ parameters


@pytest.mark.parametrize("online", [False, True], ids=["offline", "online"])
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "made",
    [
        *(rubbed(document(name)) for name in BUILTIN),
        rubbed(with_joint("uf", "no_spin")),
        untidy("uf", 1),
        rubbing(with_joint(untidy("uf", 2), "platform")),
    ],
    ids=[*BUILTIN, "uf_no_spin", "untidy", "rubbing"],
)
def test_the_true_parameters_balance(made, name, online):
    m = machine(made)
    motion = six_axes(m, seed=1).at(clock(4.0))
    segment = segments(len(motion), 1733)  # broken in full motion: the filters' ends fit both sides alike
    parameters = list_hexapod_parameters(m, name)
    if "struts" in made and name not in ("extended", "general", "general_motor"):
        # sets with all struts alike cannot hold six different ones: their differences are known parts
        assert np.abs(parameters.known).max() > 0.0
    equations = energy_equations(
        *balanced(m, parameters, motion), strut_forces(m, motion), segment, BAND, online
    )
    assert equations.regressor.shape == (len(equations), 1, len(parameters.names))
    assert set(equations.segment) == {0, 1}
    # Friction enters both sides by the same samples; what is left is the quadrature of the inertial power,
    # 11/720 (2 pi f h)^4 = 5e-8 at 7 Hz. A trapezoid would leave 1e-4.
    error = np.abs(residual(equations, parameters.nominal)).max()
    assert error < 2e-7 * np.abs(equations.force).max()


@pytest.mark.parametrize("joint", ["universal", "no_spin"])
def test_identifies_what_the_owner_has_wrong(joint):
    made = rubbed(with_joint("uf", joint))
    truth = machine(made)
    motion = six_axes(truth, seed=3).at(clock(20.0))
    believed = machine(mistaken(made))
    parameters = list_hexapod_parameters(believed)
    equations = energy_equations(
        *balanced(believed, parameters, motion), strut_forces(truth, motion), segments(len(motion)), BAND
    )
    fit = least_squares(equations, Prior.of(parameters), BAND.redundancy)
    expected = list_hexapod_parameters(truth).nominal
    error = dict(zip(parameters.names, np.abs(fit.mean / expected - 1.0), strict=True))
    if joint == "no_spin":
        # no motion shows the axial moment: it stays where it was believed
        axial = parameters.names.index("Ia_b+Ia_e")
        del error["Ia_b+Ia_e"]
        assert fit.mean[axial] == pytest.approx(parameters.nominal[axial], rel=1e-12)
        assert np.all(equations.regressor[:, :, axial] == 0.0)
    # the quadrature's 5e-8 of the forces; moments of the platform carry a hundredth of them
    assert max(error.values()) < 3e-5, error


def test_encoders_and_noise_within_the_stated_deviation():
    made = rubbed(document("uf"))
    truth = machine(made)
    time = clock(30.0)
    motion = six_axes(truth, seed=4).at(time)
    rng = np.random.default_rng(5)
    count = 1.25e-6
    length = np.round(strut_lengths(truth, motion.position, motion.rotation) / count) * count
    force = strut_forces(truth, motion)
    force = force + rng.normal(0.0, 0.01, force.shape) * np.abs(force) + rng.normal(0.0, 0.5, force.shape)
    believed = machine(mistaken(made))
    validated = InputValidator(ValidationSettings.of(believed, PERIOD)).validation(
        DriveLog(time, length, force)
    )
    struts = filter_log(validated, 100.0, 4)
    platform, _ = platform_motion(believed, struts)
    parameters = list_hexapod_parameters(believed)
    prior = Prior.of(parameters)
    expected = list_hexapod_parameters(truth).nominal
    fits = {}
    wrapped = as_machine(believed)
    both = {
        energy_equations: energy_equations(
            *balanced(believed, parameters, platform), struts.force, struts.segment, BAND
        ),
        force_equations: force_equations(wrapped, parameters, close_samples(wrapped, struts), BAND),
    }
    for build, equations in both.items():
        fits[build] = least_squares(equations, prior, BAND.redundancy)
    fit = fits[energy_equations]
    deviation = np.sqrt(np.diag(fit.covariance))
    assert np.sqrt(np.mean(((fit.mean - expected) / deviation) ** 2)) < 1.5
    error = dict(zip(parameters.names, np.abs(fit.mean / expected - 1.0), strict=True))
    for name, allowed in {"m_p": 0.05, "m_b": 0.01, "m_e": 0.05, "It_b+It_e": 0.01}.items():
        assert error[name] < allowed, error
    # one equation instead of six, along the path instead of each strut: less sure, but of the same noise
    assert np.all(deviation > np.sqrt(np.diag(fits[force_equations].covariance)))
    assert 0.5 < np.sqrt(fit.noise[0, 0] / np.mean(np.diag(fits[force_equations].noise))) < 2.0


def test_noise_does_not_grow_with_speed():
    m = machine(changed("uf", friction={}))
    parameters = list_hexapod_parameters(m)
    rng = np.random.default_rng(6)
    noise = rng.normal(0.0, 1.0, (12000, 6))
    spread = {}
    for slowness in (1.0, 6.0):
        motion = six_axes(m, seed=7).at(clock(12.0) / slowness)
        motion = replace(motion, time=clock(12.0), twist=motion.twist / slowness)
        equations = energy_equations(*balanced(m, parameters, motion), noise, segments(len(motion)), BAND)
        spread[slowness] = equations.force.std()
    # there is nothing but noise, whose spread 300 equations know to 4 %; the slowest of them lose some weight
    assert spread[6.0] == pytest.approx(spread[1.0], rel=0.15)
    # one force's noise in the band, 2 * 10 Hz of 1000 Hz; the sum over a stride lets 85 % of its power by
    assert spread[1.0] == pytest.approx(np.sqrt(0.02 * 0.85), rel=0.15)


def test_accelerations_are_not_used():
    m = machine("uf")
    motion = six_axes(m, seed=8).at(clock(2.0))
    force = strut_forces(m, motion)
    blind = replace(motion, acceleration=np.full_like(motion.acceleration, np.nan))
    parameters = list_hexapod_parameters(m)
    seen, unseen = (
        energy_equations(*balanced(m, parameters, each), force, segments(len(motion)), BAND)
        for each in (motion, blind)
    )
    assert len(seen) > 20
    np.testing.assert_array_equal(unseen.regressor, seen.regressor)
    np.testing.assert_array_equal(unseen.measured, seen.measured)


@pytest.mark.parametrize("online", [False, True], ids=["offline", "online"])
def test_nothing_crosses_from_segment_to_segment(online):
    m = machine("uf")
    motion = six_axes(m, seed=9).at(clock(6.0))
    force = strut_forces(m, motion)
    parameters = list_hexapod_parameters(m)
    breaks = (2000, 2100, 4500)  # the second stretch is too short for a single equation
    segment = segments(len(motion), *breaks)
    joined = energy_equations(*balanced(m, parameters, motion), force, segment, BAND, online)
    parts = [
        energy_equations(*balanced(m, parameters, motion[part]), force[part], segment[part], BAND, online)
        for part in (slice(0, 2000), slice(2000, 2100), slice(2100, 4500), slice(4500, 6000))
    ]
    assert len(parts[1]) == 0
    assert parts[1].regressor.shape == (0, 1, len(parameters.names))
    for name in Equations.__dataclass_fields__:
        np.testing.assert_array_equal(
            getattr(joined, name), np.concatenate([getattr(part, name) for part in parts])
        )
    # an equation is stamped with the sample that ends it, a stride after the one before
    assert np.all(np.isin(joined.time, motion.time))
    np.testing.assert_allclose(np.diff(parts[0].time), BAND.stride * PERIOD)


def test_online_equations_know_nothing_of_what_comes():
    m = machine("uf")
    motion = six_axes(m, seed=10).at(clock(3.0))
    force = strut_forces(m, motion)
    parameters = list_hexapod_parameters(m)
    whole = energy_equations(*balanced(m, parameters, motion), force, segments(3000), BAND, online=True)
    early = energy_equations(
        *balanced(m, parameters, motion[:2000]), force[:2000], segments(2000), BAND, online=True
    )
    count = len(early)
    assert 0 < count < len(whole)
    np.testing.assert_array_equal(whole.regressor[:count], early.regressor)
    np.testing.assert_array_equal(whole.measured[:count], early.measured)
    # an equation needs just the sample after the one it is stamped with, for the quadrature of its last step
    end = int(np.searchsorted(motion.time, early.time[-1]))
    for received, expected in ((end + 2, count), (end + 1, count - 1)):
        part = slice(0, received)
        cut = energy_equations(
            *balanced(m, parameters, motion[part]), force[part], segments(received), BAND, online=True
        )
        assert len(cut) == expected


def test_step_work_is_exact_for_cubics():
    t = 0.1 * np.arange(12)
    integral = np.stack([t, t**2 / 2, t**3 / 3, t**4 / 4], axis=1)
    power = np.stack([np.ones_like(t), t, t**2, t**3], axis=1)
    np.testing.assert_allclose(step_work(power, 0.1), np.diff(integral[1:-1], axis=0), rtol=1e-12)
