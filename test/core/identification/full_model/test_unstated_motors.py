# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Rotors behind screws and gears of which the file says nothing: many times what the drives move, and no conflict."""

from __future__ import annotations

import numpy as np
import pytest

from pkm_identification.identification.full_model.true_values import compute_true_values
from pkm_identification.identification.full_model.unstated_motors import find_unstated_motors
from pkm_identification.identification.identify import identify
from pkm_identification.identification.settings import FULL, Settings
from pkm_identification.machines.load import load_machine, read_machine
from pkm_identification.mechanisms.multibody import dynamics
from pkm_identification.motion import DriveLog
from pkm_identification.simulation.multibody.motions import generate_motion

TIMES = 8.0  # of what a drive moves
NOISE = 0.002  # of the rms force


@pytest.fixture(scope="module")
def file():
    return load_machine("mast")


@pytest.fixture(scope="module")
def log(file):
    mechanism, time = file.mechanism, np.arange(0.0, 20.0, 4e-3)
    generated = generate_motion("rich", mechanism, 20.0)
    coordinate, _, acceleration = generated.drives(time)
    force = np.asarray(dynamics.forces(mechanism, generated.motion(mechanism, time)))
    force = force + acceleration * _list_inertias(file)
    noise = np.random.default_rng(5).standard_normal(force.shape) * np.sqrt(np.mean(force**2, axis=0))
    return DriveLog(time, coordinate, force + NOISE * noise, "mast")


def _list_inertias(file):
    # the usual width is .3 of what a drive moves
    return TIMES / 0.3 * np.array([one.width for one in find_unstated_motors(file).values()])


def test_large_rotors_contradict_no_file_that_says_nothing_of_them(file, log):
    found = identify([log], file, Settings.of(estimator=FULL)).answer
    assert found.verdict.grade == "fits"
    assert not found.verdict.contradicted
    assert all(one.key in found.verdict.note for one in find_unstated_motors(file).values())
    document = dict(file.document)
    drives = zip(document["drives"].items(), _list_inertias(file), strict=True)
    document["drives"] = {name: {**one, "inertia": repr(float(inertia))} for (name, one), inertia in drives}
    true = compute_true_values(file, read_machine(document))
    assert all(abs(one.value - true[one.name]) < 4.0 * one.std for one in found.values)


def test_no_rotor_is_taken_for_large_that_resists_like_less_than_nothing(file, log):
    assert log.force is not None
    less = DriveLog(log.time, log.coordinate, 0.3 * log.force, "mast")
    found = identify([less], file, Settings.of(estimator=FULL)).answer
    assert found.verdict.contradicted
