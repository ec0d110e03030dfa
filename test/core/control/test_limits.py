# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Limits looked at before a motion: which, where, when."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from core.control.moved import there_and_back, waypoints
from core.mechanisms.hexapod.machine_variants import changed, machine

from pkm_identification.control.limits import LimitSettings, MotionLimits
from pkm_identification.control.paths.path import PlatformPath
from pkm_identification.machines.capabilities import motion_of_platform
from pkm_identification.machines.load import load_machine
from pkm_identification.mechanisms.hexapod.dynamics import basis_parameters, strut_forces
from pkm_identification.mechanisms.hexapod.joint_limits import JointLimits
from pkm_identification.mechanisms.hexapod.kinematics.inverse import strut_lengths, strut_motion_from_platform
from pkm_identification.mechanisms.hexapod.kinematics.passive import passive_angles
from pkm_identification.mechanisms.hexapod.machine import Machine

UF = Machine.load("uf")


def motion(made, points, period=1e-3):
    path = PlatformPath(made.home_position, made.home_rotation, points)
    return path.motion(np.arange(0.0, path.duration, period))


def check(made, points, values=None, **settings):
    return judge(made, motion(made, points), values, **settings)


def judge(made, moved, values=None, **settings):
    limits = MotionLimits(load_machine(made), LimitSettings(**settings))
    return limits.check(motion_of_platform(made, moved), moved.time, values)


def test_a_possible_motion_has_no_violation():
    assert check(UF, there_and_back(UF)) is None


def test_length_says_strut_time_and_place():
    points = waypoints(UF, [1.0], [[0.0, 0.0, -0.25]])
    found = check(UF, points)
    moved = motion(UF, points)
    length = strut_lengths(UF, moved.position, moved.rotation)
    row = int(np.argmax((length > 0.55).any(axis=1)))
    assert (found.limit, found.allowed) == ("length", 0.55)
    assert found.time == pytest.approx(moved.time[row], abs=1e-12)
    assert found.value == length[row, int(found.drive.suffix) - 1] > 0.55
    np.testing.assert_array_equal(found.position, moved.position[row])
    assert str(found).startswith(f"length limit: strut {found.drive.suffix}: length 0.5")
    assert f"at {found.time:.3f} s" in str(found)
    assert str(found).endswith("allowed 0.5500 m")
    short = check(UF, waypoints(UF, [1.0], [[0.0, 0.0, 0.2]]))
    assert (short.limit, short.allowed) == ("length", 0.30)


def test_a_margin_is_kept():
    reach = strut_lengths(UF, UF.home_position[None] - [0, 0, 0.1], UF.home_rotation[None])[0].max()
    points = waypoints(UF, [2.0], [[0.0, 0.0, -0.1]])
    assert check(UF, points, length_margin=0.549 - reach) is None
    assert check(UF, points, length_margin=0.551 - reach).limit == "length"


def test_angles_of_passive_joints():
    """The file's limits: of the hinges half of what the motion needs, of the balls more than that."""
    points = there_and_back(UF)
    moved = motion(UF, points)
    angles = passive_angles(UF, moved.position, moved.rotation)
    second, swing = np.abs(angles.second), float(2 * angles.swing.max())
    allowed = float(second.max() / 2)
    made = replace(UF, joint_limits=JointLimits(second=allowed, swing=swing))
    found = check(made, points)
    row = int(np.argmax((second > allowed).any(axis=1)))
    assert (found.limit, found.allowed) == ("joint", 1.0)
    assert found.time == pytest.approx(moved.time[row], abs=1e-12)
    assert found.value == pytest.approx(second[row, int(found.drive.suffix) - 1] / allowed)
    assert found.value > 1.0
    assert re.search(f"joint limit: strut {found.drive.suffix}: .*limit 1.0", str(found))
    balls = replace(UF, joint_limits=JointLimits(second=np.pi, swing=swing / 4))
    strut = int(check(balls, points).drive.suffix)
    row = int(np.argmax((angles.swing > swing / 4).any(axis=1)))
    assert angles.swing[row, strut - 1] > swing / 4
    assert check(replace(UF, joint_limits=JointLimits(second=np.pi, swing=swing)), points) is None


def test_rate():
    slow, fast = (waypoints(UF, [t], [[0.0, 0.0, -0.1]]) for t in (1.0, 0.2))
    assert check(UF, slow) is None
    found = check(UF, fast, force_share=1e6)
    assert (found.limit, found.allowed) == ("rate", 0.7)
    _, rate, _ = strut_motion_from_platform(UF, motion(UF, fast))
    assert found.time == pytest.approx(1e-3 * np.argmax((np.abs(rate) > 0.7).any(axis=1)))


def test_force_is_that_of_the_model_given():
    weak = machine(changed("uf", drive__motor__force_limit=400.0))
    points = waypoints(weak, [0.5], [[0.0, 0.0, -0.03]])
    found = check(weak, points)
    assert (found.limit, found.allowed) == ("force", pytest.approx(360.0))
    forces = np.abs(strut_forces(weak, motion(weak, points)))
    assert found.value == pytest.approx(forces[np.argmax((forces > 360.0).any(axis=1))].max())
    light = basis_parameters(weak)
    light[-12:] = 0.0  # without friction it is easy
    assert check(weak, points, light) is None


def test_singular_poses_and_what_lies_beyond_them():
    wide = machine(changed("uf", geometry__length_limits=[0.05, 2.0]))
    free = {"rate_share": 1e6, "force_share": 1e6}
    turned = waypoints(wide, [4.0], [[0.0, 0.0, 0.0]], [[0.0, 0.0, 2.0]])
    found = check(wide, turned, **free)
    assert found.limit == "singularity"
    assert found.drive is None
    assert found.value > 50.0
    earlier = check(wide, turned, largest_condition=12.0, **free)
    assert earlier.time < found.time
    # a pose behind the singular one, however well conditioned, is not on the machine's side
    after = motion(wide, turned)[-1:]
    assert judge(wide, after, **free).limit == "singularity"


def test_a_machine_without_drives_has_no_force_limit():
    description = changed("uf")
    del description["drive"]
    del description["geometry"]["rate_limit"]
    bare = machine(description)
    found = check(bare, waypoints(bare, [0.2], [[0.0, 0.0, -0.1]]))
    assert found.limit == "rate"  # three strokes of .25 m in a second, unless the file states another
    assert found.allowed == pytest.approx(0.75)
    assert check(bare, waypoints(bare, [0.3], [[0.0, 0.0, -0.1]])) is None
    with pytest.raises(ValueError, match="length_margin"):
        MotionLimits(load_machine(bare), LimitSettings(length_margin=0.2))
