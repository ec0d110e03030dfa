# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What some machines have besides: poses, outputs, energy; and one line where one has not what is asked for."""

from __future__ import annotations

import numpy as np
import pytest
from core.machines.every_machine import AS_MULTIBODY, EVERY, machine, smooth_motion

from benchmarks.field import parallel_machines as documents
from pkm_identification.errors import MachineError, SettingsError
from pkm_identification.machines.capabilities import (
    ElasticDrives,
    EnergyModel,
    EnumeratedModes,
    HexapodFile,
    NamedOutputs,
    PlatformPose,
    has,
    require,
)
from pkm_identification.machines.contract import DEGRADED
from pkm_identification.machines.load import load_machine, read_machine
from pkm_identification.machines.motions import mask_friction_rows

POSED = [name for name in EVERY if has(machine(name), PlatformPose)]
NAMED = [name for name in EVERY if has(machine(name), NamedOutputs)]


def test_what_machines_have():
    assert {"uf", "hexel", "ford", AS_MULTIBODY} <= set(POSED)
    # six outputs of one body are its pose
    assert {"rss", "pus"} <= set(POSED)
    assert {"mast", "epaas", "rss", "pus", "delta of the page"} <= set(NAMED)
    assert not {"five_bar", "serial_arm", "four-bar"} & set(POSED)
    assert has(load_machine("uf_belt"), ElasticDrives)
    assert not has(machine("uf"), ElasticDrives)


@pytest.mark.parametrize(
    ("capability", "words"),
    [
        (PlatformPose, "workspace: needs a platform"),
        (NamedOutputs, "workspace: needs outputs with names; 'five-bar' names none"),
        (EnumeratedModes, "workspace: needs .* modes .*; 'five-bar' is no hexapod"),
        (HexapodFile, "workspace: needs a hexapod; 'five-bar'"),
        (ElasticDrives, "workspace: needs drives with compliance; 'five-bar'"),
    ],
)
def test_what_is_missing_is_said_in_one_line(capability, words):
    with pytest.raises(SettingsError, match=words):
        require(machine("five_bar"), capability, "workspace")
    assert require(machine("five_bar"), EnergyModel, "energy") is machine("five_bar")


@pytest.mark.parametrize("name", POSED)
def test_a_motion_has_a_pose_and_a_pose_a_motion(name):
    one = require(machine(name), PlatformPose, "test")
    motion = smooth_motion(one, 200)
    pose, twist = one.compute_pose(motion), one.compute_twist(motion)
    back = one.compute_motion_of_pose(*pose, *twist)
    assert (back.status <= DEGRADED).all()
    for part in ("coordinate", "rate", "acceleration"):
        wanted = getattr(motion, part)
        np.testing.assert_allclose(getattr(back, part), wanted, atol=1e-9 * (1.0 + np.abs(wanted).max()))
    # twists against differences of poses: the motion of smooth_motion takes 1 s
    step = 1.0 / 199
    position, rotation = pose
    velocity = (position[2:] - position[:-2]) / (2 * step)
    np.testing.assert_allclose(velocity, twist[0][1:-1, :3], atol=2e-3 * np.abs(twist[0]).max())
    spin = np.einsum("nij,nkj->nik", (rotation[2:] - rotation[:-2]) / (2 * step), rotation[1:-1])
    omega = np.stack([spin[:, 2, 1], spin[:, 0, 2], spin[:, 1, 0]], axis=1)
    np.testing.assert_allclose(omega, twist[0][1:-1, 3:], atol=2e-3 * np.abs(twist[0]).max())
    second = (twist[0][2:] - twist[0][:-2]) / (2 * step)
    np.testing.assert_allclose(second, twist[1][1:-1], atol=2e-3 * np.abs(twist[1]).max())


@pytest.mark.parametrize("name", NAMED)
def test_outputs_decide_the_drives(name):
    one = require(machine(name), NamedOutputs, "test")
    motion = smooth_motion(one, 20)
    outputs = one.compute_outputs(motion)
    assert all(part.shape == (20, len(one.outputs)) for part in outputs)
    back = one.compute_motion_of_outputs(*outputs)
    assert (back.status <= DEGRADED).all()
    np.testing.assert_allclose(back.coordinate, motion.coordinate, atol=1e-9)
    np.testing.assert_allclose(
        back.acceleration, motion.acceleration, atol=1e-8 * np.abs(motion.acceleration).max()
    )


@pytest.mark.parametrize("name", EVERY)
def test_the_energy_changes_by_the_power_of_the_forces(name):
    one = machine(name)
    count = 400
    motion = smooth_motion(one, count)
    values = np.array(one.basis.nominal)
    frictionless = [not entry.kind.friction for entry in one.basis]
    values *= frictionless
    mapping = mask_friction_rows(one, values[:, None])
    energy = one.compute_energy(motion, mapping)[:, 0]
    power = np.sum(one.compute_regressor(motion, mapping)[:, :, 0] * motion.rate, axis=1)
    change = (energy[2:] - energy[:-2]) * (count - 1) / 2.0
    np.testing.assert_allclose(change, power[1:-1], atol=1e-3 * np.abs(power).max())


def test_drives_of_a_file_of_bodies_say_what_they_may_be_asked_for():
    document = documents.five_bar()
    name = next(iter(document["drives"]))
    document["drives"][name] |= {"rate_limit": "3/2", "force_limit": 5}
    first, second = read_machine(document).drives
    assert (first.rated_rate, first.rated_force) == (1.5, 5.0)
    assert (first.rate_limit, first.force_limit) == (3.0, 7.5)
    assert np.isinf([second.rated_rate, second.rate_limit, second.rated_force, second.force_limit]).all()
    document["drives"][name]["rate_limit"] = 0
    with pytest.raises(MachineError, match="rate_limit = 0: must be greater than 0"):
        read_machine(document)
