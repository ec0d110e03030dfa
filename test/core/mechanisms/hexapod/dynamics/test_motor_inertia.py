# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Motor and screw inertia: a mass along each strut, in model, energy, regressor and simulator alike."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest
from core.mechanisms.hexapod.dynamics.test_groups import with_motor
from core.mechanisms.hexapod.machine_variants import changed, machine, untidy, with_joint
from core.platform_motions import six_axes, states

from pkm_identification.errors import MachineError
from pkm_identification.mechanisms.hexapod.dynamics import basis_parameters, regressor, strut_forces
from pkm_identification.mechanisms.hexapod.dynamics.basis import basis_columns, strut_column
from pkm_identification.mechanisms.hexapod.dynamics.energy import compute_mechanical_energy
from pkm_identification.mechanisms.hexapod.dynamics.strut import M_M
from pkm_identification.mechanisms.hexapod.kinematics.inverse import strut_motion_from_platform
from pkm_identification.simulation.plant import Plant

MASS = 2e-5 * (2 * np.pi * 1.5 / 0.005) ** 2
MADE = with_motor(with_joint(untidy("uf"), "universal", (0.3, -0.8, 0.3)))


def test_kinetic_energy_of_the_rotor_is_that_of_the_mass():
    """Half I times the motor's angular rate squared, the motor turning gear times per lead of travel."""
    m = machine(MADE)
    assert m.motor_mass == pytest.approx(MASS, rel=1e-14)
    rate = 0.3
    turning = rate / 0.005 * 1.5 * 2 * np.pi
    assert 0.5 * m.motor_mass * rate**2 == pytest.approx(0.5 * 2e-5 * turning**2, rel=1e-14)
    assert machine("uf").motor_mass == 0.0
    assert machine(changed("uf", drive=None)).motor_mass == 0.0


def test_force_energy_and_column():
    m, bare = machine(MADE), machine(with_motor(MADE, 0.0))
    motion = states(m, 60, 1)
    _, rate, acceleration = strut_motion_from_platform(m, motion)
    more = strut_forces(m, motion) - strut_forces(bare, motion)
    np.testing.assert_allclose(more, MASS * acceleration, rtol=0, atol=1e-11 * np.abs(more).max())
    stored = compute_mechanical_energy(m, motion) - compute_mechanical_energy(bare, motion)
    np.testing.assert_allclose(stored, 0.5 * MASS * np.sum(rate**2, axis=1), rtol=1e-9)
    mapping = np.eye(basis_columns(m))[:, [strut_column(i, M_M) for i in range(6)]]
    columns = regressor(m, motion, mapping)
    expected = np.einsum("ni,ij->nij", acceleration, np.eye(6))
    np.testing.assert_allclose(columns, expected, rtol=0, atol=1e-12 * np.abs(expected).max())
    assert basis_parameters(bare)[strut_column(3, M_M)] == 0.0


def test_change_of_energy_is_the_work():
    m = machine(MADE)
    harmonics = six_axes(m, 3)
    time, step = np.linspace(0.0, 2.0, 40), 1e-3
    difference = 0.0
    for k, weight in ((1, 45), (2, -9), (3, 1)):
        ahead, behind = (
            compute_mechanical_energy(m, harmonics.at(time + side * k * step)) for side in (1, -1)
        )
        difference = difference + weight * (ahead - behind) / (60 * step)
    motion = harmonics.at(time)
    _, rate, _ = strut_motion_from_platform(m, motion)
    power = np.sum(strut_forces(m, motion, friction=False) * rate, axis=1)
    np.testing.assert_allclose(difference, power, rtol=0, atol=1e-8 * np.abs(power).max())


def test_simulator_carries_it():
    m = machine(MADE)
    plant, bare = Plant(m, stops=False), Plant(machine(with_motor(MADE, 0.0)), stops=False)
    assert np.all(plant.apparent_mass - bare.apparent_mass > 0.9 * MASS)
    for each in (plant, bare):
        each.reset(twist=np.array([0.1, -0.2, 0.3, 0.6, -0.5, 0.8]))
    rate = plant.state.rate
    assert plant.energy - bare.energy == pytest.approx(0.5 * MASS * np.sum(rate**2), rel=1e-9)
    loops = mujoco.MjModel.from_xml_string(plant.mjcf)
    assert loops.joint("strut_2").id >= 0
    np.testing.assert_allclose(loops.dof_armature[loops.joint("strut_2").dofadr], MASS, rtol=1e-12)


@pytest.mark.parametrize(
    ("value", "message"),
    [(-1e-5, r"drive\.motor\.inertia = -1e-05: must not be negative"), ("a", "must be a number")],
)
def test_machine_file_says_what_is_wrong(value, message):
    with pytest.raises(MachineError, match=message):
        machine(with_motor("uf", value))
