# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The extended set on a machine with everything unlike: what a rich motion and a fall show of it, and how well."""

from __future__ import annotations

import copy
from functools import cache

import numpy as np
import pytest

from pkm_identification.errors import LogError
from pkm_identification.identification.identify import identify
from pkm_identification.identification.settings import Settings
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.mechanisms.hexapod.parameters.sets import list_hexapod_parameters
from pkm_identification.motion import DriveLog
from pkm_identification.simulation.sensors import SensorSettings
from pkm_identification.simulation.simulator import simulate

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("unjudged")]

SENSORS = SensorSettings(current_noise=0.05, stamp_jitter=2e-5)
SETTINGS = Settings.of(estimator="ls", parameters="extended", hold_out=0.0)
INERTIAL = 34


def owners_machine() -> Machine:
    """Symmetric, with coarse encoders and friction nobody knows."""
    made = copy.deepcopy(Machine.load("uf").document)
    made["geometry"]["base_joint"] = {"type": "universal", "first_axis": [1.0, 0.0, 0.0]}
    made["friction"] = {"viscous": [0.0] * 6, "coulomb": [0.0] * 6, "transition_rate": 0.002}
    made["drive"]["encoder"]["counts_per_meter"] = 100000.0
    return Machine.from_document(made)


def true_machine(seed: int) -> Machine:
    """Centre of mass off the frame's origin, products of inertia, struts that differ by some per cent, friction."""
    rng = np.random.default_rng(seed)
    made = copy.deepcopy(owners_machine().document)
    made["name"] = "unlike"
    made["platform"] = {
        "mass": 4.5,
        "center_of_mass": [0.008, -0.004, 0.006],
        "inertia": [0.115, 0.108, 0.205, -0.003, -0.006, 0.009],
    }
    strut = made.pop("strut")
    made["struts"] = []
    for _ in range(6):
        one = copy.deepcopy(strut)
        for body, size in (("body_b", 1.1), ("body_e", 1.06)):
            one[body]["mass"] *= size * (1 + 0.03 * rng.standard_normal())
            one[body]["inertia"] = [
                1.1 * x * (1 + 0.03 * rng.standard_normal()) for x in one[body]["inertia"]
            ]
        made["struts"].append(one)
    made["friction"]["viscous"] = rng.uniform(40, 120, 6).tolist()
    made["friction"]["coulomb"] = rng.uniform(25, 45, 6).tolist()
    return Machine.from_document(made)


@cache
def log(name: str, duration: float | None = None) -> DriveLog:
    """A log of the true machine."""
    recording = simulate(true_machine(3), name, duration, nominal=owners_machine(), sensors=SENSORS, seed=5)
    return recording.log()


@cache
def identified(with_fall: bool):
    falls = [log("free")] if with_fall else []
    return identify([log("rich", 21.0)], owners_machine(), SETTINGS, falls=falls)


def truth() -> np.ndarray:
    return list_hexapod_parameters(true_machine(3), "extended").nominal


@pytest.mark.parametrize("with_fall", [False, True])
def test_standard_deviations_are_true(with_fall):
    estimate = identified(with_fall).estimate
    error = (estimate.values - truth()) / estimate.std
    # 34 correlated normal errors: their mean square is within 0.2 and 2 in 19 of 20 machines
    assert 0.2 < np.mean(error[:INERTIAL] ** 2) < 2.0
    assert np.abs(error).max() < 4.0


def test_a_fall_shows_masses_and_centre_of_mass_that_motion_leaves_open():
    driven, fallen = identified(False).estimate, identified(True).estimate
    names = driven.names
    masses = [names.index(f"{kind}_{i}") for kind in ("m_b", "m_e") for i in range(1, 7)]
    assert np.median(driven.std[masses] / fallen.std[masses]) > 2.0
    np.testing.assert_allclose(fallen.values[masses], truth()[masses], rtol=0.06)
    np.testing.assert_allclose(fallen.values[0], truth()[0], rtol=0.10)
    # without the assumption that struts are alike
    assert all(fallen.status[k] == "identifiable" for k in masses[:6])
    assert "free fall" in identified(True).notes[0]


def test_a_motion_is_no_fall():
    with pytest.raises(LogError, match="is no fall"):
        identify([log("rich", 21.0)], owners_machine(), SETTINGS, falls=[log("x", 3.0)])
