# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""ROBOOP's Stewart platform: its own numbers, where its equations are ours, and which of its terms differ."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from core.mechanisms.hexapod.dynamics.roboop_model import (
    ACCELERATION,
    BENCH,
    DEPARTURES,
    NO_AXIAL,
    POSE,
    POSSIBLE,
    RATE,
    accelerations,
    first_hinges,
    forces,
    hexapod,
    motion_of,
)

from pkm_identification.errors import MachineError
from pkm_identification.mechanisms.hexapod.dynamics import forward_dynamics, strut_forces

REST = np.zeros(6)
# a general state: angles all different, turning about every axis
Q = np.array([0.2, 0.3, -0.4, 0.3, -1.4, -0.2])
DQ = np.array([0.2, -0.3, 0.4, 0.5, -0.6, 0.7])
DDQ = np.array([1.0, -2.0, 1.5, 2.0, -3.0, 1.0])


def our_forces(parts, q, dq, ddq) -> np.ndarray:
    """Ours with a first hinge per strut: forces are linear in the axial moments, so strut by strut."""
    motion = motion_of(q, dq, ddq)
    total = strut_forces(hexapod(replace(parts, axial=(0.0, 0.0))), motion)[0]
    document = hexapod(parts).document
    bodies = document["strut"]
    still = {name: {**body, "inertia": [body["inertia"][0], 0.0]} for name, body in bodies.items()}
    base = total.copy()
    for i, hinge in enumerate(first_hinges(set())):
        struts = [bodies if k == i else still for k in range(6)]
        made = {key: value for key, value in document.items() if key != "strut"}
        joint = {"type": "universal", "first_axis": hinge.tolist()}
        made |= {"struts": struts, "geometry": {**document["geometry"], "base_joint": joint}}
        total += strut_forces(type(hexapod(parts)).from_document(made), motion)[0] - base
    return total


def test_the_restated_model_gives_roboops_numbers():
    """What ROBOOP 1.32's unchanged Stewart class prints for the state of its bench.cpp, twelve digits."""
    force, torque = forces(POSE, RATE, ACCELERATION)
    roboop_force = [
        -46.0265256784,
        508.007897635,
        -202.910912156,
        32.1053228727,
        74.4667007396,
        19.1425770019,
    ]
    roboop_torque = [
        -277.145706051,
        -357.723267055,
        -41.4344141721,
        -104.040493741,
        -42.0194196709,
        52.73676956,
    ]
    np.testing.assert_allclose(force, roboop_force, rtol=1e-10)
    np.testing.assert_allclose(torque, roboop_torque, rtol=1e-10)


def test_torques_and_accelerations_of_roboops_benchmark():
    """bench.cpp has the torques; the accelerations are what it prints for them, six decimals."""
    torque = np.array([126.219689, 789.968672, 0.708602, 79.122963, 81.806978, -31.61797])
    printed = np.array([0.000007, -0.430006, -0.099998, 0.849958, 0.199988, 0.500030])
    np.testing.assert_allclose(accelerations(POSE, RATE, torque), printed, rtol=0, atol=5.1e-7)
    # six digits of them are those of round accelerations; why the rest is not, its source does not say
    back = forces(POSE, RATE, np.array([0.0, -0.43, -0.1, 0.85, 0.2, 0.5]))[1]
    np.testing.assert_allclose(back, torque, rtol=0, atol=1e-6 * np.abs(torque).max())


@pytest.mark.parametrize(
    ("ddq", "roboop"),
    [
        (
            [-10.0, -10.0, -10.0, -10.0, -10.0, 0.0],
            [-503.245799831, 1090.97249975, -385.563225525, -639.926636358, 989.309953832, -528.167969708],
        ),
        (
            [0.0] * 6,
            [-148.536853271, -122.540585281, -153.418837653, -107.344533191, -137.856943982, -115.609702447],
        ),
    ],
)
def test_forces_equal_roboops_where_its_terms_are_the_equations(ddq, roboop):
    """At rest, platform at the base frame's origin, phi = psi, psi'' = 0, no moments about the struts' axes.

    The numbers are m1 (a1 - g) . s - J^-T W of ROBOOP's own a1, W and J: all it does but its last product.
    """
    motion = motion_of(np.array([0.0, 0.0, 0.0, 0.1, -1.4, 0.1]), REST, np.array(ddq))
    np.testing.assert_allclose(strut_forces(hexapod(NO_AXIAL), motion)[0], roboop, rtol=1e-10)


@pytest.mark.parametrize("state", [(POSE, RATE, ACCELERATION), (Q, DQ, DDQ), (Q, REST, DDQ), (Q, DQ, REST)])
@pytest.mark.parametrize("parts", [POSSIBLE, NO_AXIAL])
def test_without_the_departures_its_model_is_ours(parts, state):
    """Spin and moments of the universal joints included: the departures are all there is between the two."""
    expected, _ = forces(*state, parts, set())
    tolerance = 1e-11 * np.abs(expected).max()
    np.testing.assert_allclose(our_forces(parts, *state), expected, rtol=0, atol=tolerance)
    assert np.abs(forces(*state, parts)[0] - expected).max() > 0.1 * np.abs(expected).max()


def test_accelerations_under_the_equations_forces():
    force, _ = forces(Q, DQ, DDQ, NO_AXIAL, set())
    motion = motion_of(Q, DQ, DDQ)
    m = hexapod(NO_AXIAL)
    found = forward_dynamics(m, motion.position, motion.rotation, motion.twist, force[None])
    np.testing.assert_allclose(found, motion.acceleration, rtol=0, atol=1e-10)


def with_entries(vector, **entries) -> np.ndarray:
    made = vector.copy()
    for place, value in entries.items():
        made[int(place[1:])] = value
    return made


# where each departure does nothing
HARMLESS = {
    "rotation": (with_entries(Q, _3=0.3, _5=0.3), DQ, DDQ, POSSIBLE),
    "turning": (Q, with_entries(DQ, _5=0.0), with_entries(DDQ, _5=0.0), POSSIBLE),
    "lever": (with_entries(Q, _0=0.0, _1=0.0, _2=0.0), DQ, DDQ, POSSIBLE),
    "strut_rate": (Q, REST, DDQ, POSSIBLE),
    "gyroscopic": (Q, REST, DDQ, POSSIBLE),
    "hinge_moment": (Q, DQ, DDQ, NO_AXIAL),
}


@pytest.mark.parametrize("name", DEPARTURES)
def test_every_departure_matters_and_where_it_does_not(name):
    right = forces(Q, DQ, DDQ, POSSIBLE, set())[0]
    assert np.abs(forces(Q, DQ, DDQ, POSSIBLE, {name})[0] - right).max() > 1e-5 * np.abs(right).max()
    if name in HARMLESS:
        *state, parts = HARMLESS[name]
        right = forces(*state, parts, set())[0]
        np.testing.assert_allclose(
            forces(*state, parts, {name})[0], right, rtol=0, atol=1e-11 * np.abs(right).max()
        )


def test_bodies_of_the_benchmark_cannot_exist():
    with pytest.raises(MachineError, match="axial inertia"):
        hexapod(BENCH)


def test_motor_and_screw_resist_alike():
    """Motor torque per strut acceleration: ROBOOP's M_a for its bench.cpp, from what its own Find_Mc_Nc_Gc returns."""
    pitch, ratio, screw, motor = 0.5, 1.5, 0.12, 0.04
    drive = {
        "sample_rate": 1000.0,
        "encoder": {"counts_per_meter": 8e5, "length_at_zero": [3.0] * 6},
        "motor": {
            "torque_constant": 0.443,
            "screw_lead": pitch,
            "gear_ratio": ratio,
            "force_limit": 1e4,
            "inertia": motor + screw / ratio**2,
        },
    }
    m = hexapod(NO_AXIAL, drive=drive)
    assert m.motor_mass * pitch / (2 * np.pi * ratio) == pytest.approx(1.75929188601, rel=1e-11)
