# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Causes of misfit of a mechanism's log: what was done to forces or friction is what is named, with its size."""

from __future__ import annotations

import copy

import numpy as np
import pytest
import yaml

from pkm_identification.estimation.posterior.verdict import DO_NOT_USE
from pkm_identification.identification.identify import identify
from pkm_identification.identification.settings import Settings
from pkm_identification.mechanisms.builtin import list_builtin_files
from pkm_identification.mechanisms.multibody import dynamics
from pkm_identification.mechanisms.multibody.mechanism import Mechanism
from pkm_identification.motion import DriveLog
from pkm_identification.parameters.assumptions import Assumptions, Fix
from pkm_identification.report.diagnosis import describe_cause, sentence
from pkm_identification.simulation.multibody.motions import generate_motion

PERIOD, DURATION, NOISE = 2e-3, 12.0, 0.01
SLOW = 0.02  # m/s, ten times the rate at which friction bends
FRICTION = {"viscous": [0.0] * 3, "coulomb": [3.0, 4.0, 5.0], "transition_rate": 0.002}

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def mechanism():
    document = copy.deepcopy(yaml.safe_load(list_builtin_files("mechanisms")["mast"].read_text()))
    return Mechanism.from_document(document | {"friction": FRICTION})


@pytest.fixture(scope="module")
def exact(mechanism):
    """Time, drives, their rates and accelerations, and forces without noise."""
    time = np.arange(0.0, DURATION, PERIOD)
    motion = generate_motion("rich", mechanism, DURATION)
    return time, motion.drives(time), dynamics.forces(mechanism, motion.motion(mechanism, time))


def found(mechanism, exact, change=None):
    time, (place, rate, acceleration), force = exact
    made = force if change is None else change(time, force, rate, acceleration)
    noise = np.random.default_rng(4).standard_normal(force.shape)
    log = DriveLog(time, place, made + NOISE * np.sqrt(np.mean(made**2, axis=0)) * noise)
    assumptions = Assumptions(fixed=(Fix("viscous"),))
    return identify([log], mechanism, Settings.of(estimator="ls", assumptions=assumptions))


def smooth_side(rate):
    return np.clip(rate / FRICTION["transition_rate"], -1.0, 1.0)


def only(k, values):
    return np.where(np.arange(3) == k, values, 0.0)


# what was done, the cause that is named, and its size
CASES = {
    "delay": (
        lambda t, f, v, a: f + only(1, np.interp(t - 6e-3, t, f[:, 1])[:, None] - f), "force_delay_length_2", 6e-3,
    ),
    "gain": (lambda t, f, v, a: f * (1.0 + only(0, 0.2)), "force_gain_length_1", 1.2),
    "sign": (lambda t, f, v, a: f * (1.0 - only(1, 2.0)), "force_sign_length_2", -1.0),
    "kilonewtons": (lambda t, f, v, a: f * (1.0 - only(1, 0.999)), "force_unit_length_2", 1000.0),
    "pounds": (lambda t, f, v, a: f * (1.0 - only(2, 0.7752)), "force_unit_length_3", 4.448),
    "offset": (lambda t, f, v, a: f + only(2, 6.0), "force_offset_length_3", 6.0),
    "asymmetric": (
        lambda t, f, v, a: f + only(0, 2.0 * np.abs(smooth_side(v))), "friction_asymmetric_length_1", 2.0 / 3.0,
    ),
    "square": (lambda t, f, v, a: f + only(2, 400.0 * v * np.abs(v)), "friction_square_length_3", 400.0),
}  # fmt: skip


def test_a_model_that_fits_has_no_causes(mechanism, exact):
    result = found(mechanism, exact)
    assert result.fits
    assert result.fit.causes == ()


@pytest.mark.parametrize("name", CASES)
def test_what_was_done_is_named(mechanism, exact, name):
    change, cause, size = CASES[name]
    result = found(mechanism, exact, change)
    assert not result.fits
    first = result.fit.causes[0]
    assert first.name == cause
    assert first.value == pytest.approx(size, rel=0.1)
    assert first.explains > 0.5
    assert describe_cause(first) in sentence(first)


def test_motors_of_which_the_file_says_nothing_are_no_conflict(mechanism, exact):
    """The full model fits with motors of any size, and the fit that cannot have them is refused."""
    result = found(mechanism, exact, lambda t, f, v, a: f + 9.0 * a)
    assert not result.fits
    verdict = result.answer.verdict
    assert (verdict.grade, result.fit.causes) == (DO_NOT_USE, ())
    assert "full model" in verdict.sentence
    assert not [one.key for one in verdict.conflicts if one.beyond]
    assert verdict.floor_ratio < 1.1


def test_exchanged_forces_are_named(mechanism, exact):
    result = found(mechanism, exact, lambda t, f, v, a: f[:, [2, 1, 0]])
    assert result.fit.causes[0].name == "exchanged_struts"
    assert "length_1 and length_3 are exchanged" in sentence(result.fit.causes[0])


def test_a_force_of_no_known_kind_stays_a_misfit(mechanism, exact):
    """Causes may take some of it; nobody is to act on them."""
    result = found(mechanism, exact, lambda t, f, v, a: f + 5.0 * np.sin(2 * np.pi * 3.3 * t)[:, None])
    assert not result.fits
    fit = result.fit
    assert fit.unexplained
    assert all(0.0 <= cause.explains < 0.75 and not cause.correction for cause in fit.causes)
