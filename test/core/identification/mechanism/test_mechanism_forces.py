# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Base parameters and friction of the 3PRS table from what its motors report, through shafts that yield."""

from __future__ import annotations

import copy
from dataclasses import replace

import numpy as np
import pytest
import yaml

import pkm_identification as pkm
from pkm_identification.errors import LogError
from pkm_identification.estimation.identifiability import IDENTIFIABLE
from pkm_identification.identification.identify import identify
from pkm_identification.identification.settings import Settings
from pkm_identification.mechanisms.builtin import list_builtin_files
from pkm_identification.mechanisms.multibody import dynamics
from pkm_identification.mechanisms.multibody.mechanism import Mechanism
from pkm_identification.motion import DriveLog
from pkm_identification.parameters.assumptions import Assumptions, Fix
from pkm_identification.simulation.multibody.motions import generate_motion

MAST = yaml.safe_load(list_builtin_files("mechanisms")["mast"].read_text())
COULOMB = (3.0, 4.0, 5.0)
# the axis as printed, but with a shaft a hundred times as soft: motor and guide swing at 90 Hz
SHIPPED = yaml.safe_load(list_builtin_files("mechanisms")["mast_belt"].read_text())["actuator"]
AXIS = SHIPPED | {"stiffness": SHIPPED["stiffness"] / 100, "damping": 1e-5}
RATIO = 2 * np.pi * SHIPPED["gear_ratio"] / SHIPPED["lead"]
PERIOD, DURATION, NOISE = 1e-3, 20.0, 0.01


def mast(actuator=True, **keys):
    made = copy.deepcopy(MAST) | {"friction": {"viscous": [0.0] * 3, "coulomb": list(COULOMB)}}
    if actuator:
        made["actuator"] = AXIS | keys
    return Mechanism.from_document(made)


@pytest.fixture(scope="module")
def log():
    """Motor positions and forces by the equations of shaft and motor, from an exact motion of the sliders."""
    mechanism = mast(damping=0.0)
    time = np.arange(0.0, DURATION, PERIOD)
    motion = generate_motion("rich", mechanism, DURATION)
    place, _, acceleration = motion.drives(time)
    shaft = dynamics.forces(mechanism, motion.motion(mechanism, time))
    deflection = shaft / (AXIS["stiffness"] * RATIO**2)
    # jumps of friction aside: those the motor's inertia feels for a moment are far above the band
    bend = np.gradient(np.gradient(deflection, PERIOD, axis=0), PERIOD, axis=0)
    force = shaft + SHIPPED["motor_inertia"] * RATIO**2 * (acceleration + bend)
    force[1:] = 0.5 * (force[1:] + force[:-1])  # a command held over a period is that of its middle
    noise = NOISE * np.sqrt(np.mean(force**2, axis=0)) * np.random.default_rng(4).standard_normal(force.shape)
    return DriveLog(time, place + deflection, force + noise)


def settings(estimator="ls"):
    return Settings.of(estimator=estimator, assumptions=Assumptions(fixed=(Fix("viscous"),)))


@pytest.fixture(scope="module")
def fitted(log):
    return identify([log], mast(damping=0.0), settings())


@pytest.mark.slow
@pytest.mark.parametrize("estimator", ["ls", "ukf"])
def test_nineteen_base_parameters_and_three_frictions_come_back(log, fitted, estimator):
    found = fitted if estimator == "ls" else identify([log], mast(damping=0.0), settings(estimator))
    parameters = found.parameters
    assert len(parameters) == 19 + 3
    off = (found.estimate.values - parameters.nominal) / np.sqrt(np.diag(found.estimate.covariance))
    assert np.abs(off).max() < 4.5
    assert 0.4 < np.sqrt(np.mean(off**2)) < 1.6
    np.testing.assert_allclose(found.estimate.values[19:], COULOMB, rtol=0.02)
    # noise that is white up to 500 Hz leaves sqrt(10 / 500) of itself in the band
    assert np.all(0.01 * found.validation.rms_percent < 2.0 * NOISE * np.sqrt(10 / 500))
    assert found.trusted
    assert 0.8 < found.fit.ratio < 1.2


@pytest.mark.slow
def test_the_public_face_says_the_same(log, fitted, tmp_path):
    result = pkm.identify_mechanism(log, mast(damping=0.0), estimator="ls", fix=["viscous"])
    again = fitted
    np.testing.assert_allclose(result.estimate.values, again.estimate.values, rtol=1e-9)
    table = result.table()
    assert list(table["name"][19:]) == list(again.parameters.names[19:])
    assert result.converged
    assert result.fits
    assert "The model fits" in str(result)
    assert result.save(tmp_path / "estimate.json").exists()
    with pytest.raises(TypeError):
        pkm.identify_mechanism(log, "mast", cut=3)


@pytest.mark.slow
def test_a_drive_that_the_file_leaves_out_shows_in_what_was_held_out(log):
    """36.7 kg of motor on each slider, which resist without weighing anything: no body's parameters do that."""
    found = identify([log], mast(actuator=False), settings())
    off = (found.estimate.values - found.parameters.nominal) / found.estimate.std
    assert np.abs(off).max() > 5.0
    assert np.all(0.01 * found.validation.rms_percent > 0.1)
    assert not found.trusted
    assert found.fit.ratio < 1.1  # the full model has motors of any size
    assert IDENTIFIABLE not in found.estimate.status


@pytest.mark.usefixtures("unjudged")
@pytest.mark.slow
def test_a_log_of_a_hundred_samples_a_second_will_do():
    """The low-pass on coordinates and forces keeps below half the sample rate."""
    mechanism, period = mast(actuator=False), 1e-2
    time = np.arange(0.0, DURATION, period)
    motion = generate_motion("rich", mechanism, DURATION)
    force = dynamics.forces(mechanism, motion.motion(mechanism, time))
    noise = NOISE * np.sqrt(np.mean(force**2, axis=0)) * np.random.default_rng(4).standard_normal(force.shape)
    found = identify([DriveLog(time, motion.drives(time)[0], force + noise)], mechanism, settings())
    off = (found.estimate.values - found.parameters.nominal) / np.sqrt(np.diag(found.estimate.covariance))
    assert np.abs(off).max() < 4.5
    np.testing.assert_allclose(found.estimate.values[19:], COULOMB, rtol=0.02)
    # noise that is white up to 50 Hz leaves sqrt(10 / 50) of itself in the band
    assert np.all(0.01 * found.validation.rms_percent < 2.0 * NOISE * np.sqrt(10 / 50))


def test_logs_that_cannot_be_used_are_refused(log):
    mechanism = mast(damping=0.0)
    with pytest.raises(LogError, match="column t must rise evenly"):
        identify([replace(log, time=log.time**1.1)], mechanism, settings())
    short = DriveLog(log.time[:600], log.coordinate[:600], log.force[:600])
    with pytest.raises(LogError, match="longer uninterrupted log"):
        identify([short], mechanism, settings())
    slower = DriveLog(log.time[::2], log.coordinate[::2], log.force[::2], "b.csv")
    with pytest.raises(LogError, match=r"b\.csv: samples come at 500 Hz.* 1000 Hz"):
        identify([log, slower], mechanism, settings())
