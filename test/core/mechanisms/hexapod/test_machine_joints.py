# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The joints' sections of a machine file: what is read, and what is refused with which words."""

from __future__ import annotations

import numpy as np
import pytest
from core.mechanisms.hexapod.machine_variants import document, machine, with_joint
from scipy.spatial.transform import Rotation

from pkm_identification.errors import MachineError
from pkm_identification.machines.load import as_machine
from pkm_identification.mechanisms.hexapod.kinematics.passive import passive_angles
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.simulation.trajectories import trajectory, within_limits


def joints(base=None, platform=None):
    """A description with these sections for the joints."""
    made = document("uf")
    del made["geometry"]["base_joint"]
    for key, section in (("base_joint", base), ("platform_joint", platform)):
        if section is not None:
            made["geometry"][key] = section
    return made


@pytest.mark.parametrize(
    ("base", "platform", "message"),
    [
        ({"type": "universal"}, {"type": "universal"}, "base_joint.type = 'universal' and"),
        ({"type": "no_spin"}, {"type": "universal"}, "one end is universal"),
        (None, {"type": "no_spin"}, "platform_joint.type = 'no_spin': must be one of spherical, universal"),
        ({"type": "spherical", "first_axis": [1.0, 0.0, 0.0]}, None, "unknown key 'first_axis'"),
        (None, {"type": "spherical", "first_axes": "radial"}, "unknown key 'first_axes'"),
        ({"type": "universal", "first_axes": "outward"}, None, "one of radial, tangential"),
        ({"type": "universal", "first_axis": "radial"}, None, "first_axes takes radial or tangential"),
        ({"type": "universal", "first_axes": [[1.0, 0.0, 0.0]] * 5}, None, "six vectors"),
        (
            {"type": "universal", "first_axes": [[1.0, 0.0, 0.0]] * 5 + [[0.0] * 3]},
            None,
            r"axes\[6\] has no length",
        ),
        (None, {"type": "universal", "first_axes": [[1.0, 0.0]] * 6}, r"first_axes\[1\] must be 3 numbers"),
        (None, {"type": "universal", "first_axis": [1.0, 0.0, 0.0], "first_axes": "radial"}, "both given"),
    ],
)
def test_joints_that_no_machine_has_are_refused(base, platform, message):
    with pytest.raises(MachineError, match=message) as refusal:
        Machine.from_document(joints(base, platform))
    assert "\n" not in str(refusal.value)


def test_a_joint_in_the_middle_has_no_radial_direction():
    made = joints({"type": "universal", "first_axes": "radial"})
    places = np.array(made["geometry"]["base_joints"])
    places[2] = np.delete(places, 2, 0).mean(axis=0)
    made["geometry"]["base_joints"] = places.tolist()
    with pytest.raises(MachineError, match="joint 3 is in the middle"):
        Machine.from_document(made)


def test_what_files_without_joints_mean():
    assert Machine.from_document(joints()).base_joint == "no_spin"
    hinged = Machine.from_document(joints(platform={"type": "universal"}))
    assert (hinged.base_joint, hinged.platform_joint, hinged.universal) == ("spherical", "universal", True)
    free = Machine.from_document(joints({"type": "spherical"}))
    assert not free.universal
    assert not hinged.without_spin().universal


@pytest.mark.parametrize("end", ["base", "platform"])
def test_hinges_by_name_lie_in_the_plane_of_the_joints(end):
    for name in ("radial", "tangential"):
        hinges = {"type": "universal", "first_axes": name}
        made = joints(hinges) if end == "base" else joints(platform=hinges)
        # the plane may be any
        turn = Rotation.from_rotvec([0.1, -0.2, 0.3]) if end == "platform" else Rotation.identity()
        places = turn.apply(made["geometry"][f"{end}_joints"])
        made["geometry"][f"{end}_joints"] = places.tolist()
        axes = Machine.from_document(made).first_axes
        np.testing.assert_allclose(np.linalg.norm(axes, axis=1), 1.0, rtol=1e-14)
        np.testing.assert_allclose(axes @ turn.apply([0.0, 0.0, 1.0]), 0.0, atol=1e-14)
        along = np.cross(axes, places - places.mean(axis=0))
        if name == "radial":
            np.testing.assert_allclose(along, 0.0, atol=1e-14)
        else:
            np.testing.assert_allclose(np.sum(axes * (places - places.mean(axis=0)), axis=1), 0.0, atol=1e-14)


def test_angle_limits_are_those_of_the_joints_own_kind():
    limits = Machine.from_document(
        joints(
            {"type": "universal", "angle_limits": {"first": 0.8, "second": [-0.5, 0.9]}},
            {"type": "spherical", "angle_limits": {"swing": 0.4}},
        )
    ).joint_limits
    assert (limits.first, limits.second, limits.swing) == (0.8, (-0.5, 0.9), 0.4)
    hinged = Machine.from_document(
        joints(
            {"type": "spherical", "angle_limits": {"swing": 0.3}},
            {"type": "universal", "angle_limits": {"second": 0.7}},
        )
    ).joint_limits
    assert (hinged.first, hinged.second, hinged.swing) == (None, 0.7, 0.3)
    assert not Machine.from_document(joints()).joint_limits.exist


@pytest.mark.parametrize(
    ("base", "platform", "message"),
    [
        ({"type": "universal", "angle_limits": {"swing": 0.3}}, None, "unknown key 'swing'.*first, second"),
        ({"type": "universal", "angle_limits": {"frist": 0.3}}, None, "'frist'.*did you mean 'first'"),
        ({"type": "universal", "angle_limit": {"first": 0.3}}, None, "did you mean 'angle_limits'"),
        (
            {"type": "universal", "angle_limits": {"first": 30}},
            None,
            r"first = 30: .*rad from home, at most pi",
        ),
        ({"type": "universal", "angle_limits": {"first": -0.3}}, None, "greater than zero"),
        ({"type": "universal", "angle_limits": {"first": [0.1, 0.3]}}, None, "lowest < 0 < highest"),
        ({"type": "universal", "angle_limits": {"first": [0.3]}}, None, "must be 2 numbers"),
        ({"type": "universal", "angle_limits": 0.3}, None, "angle_limits must be a mapping"),
        (None, {"type": "spherical", "angle_limits": {}}, "key .*swing' is missing"),
        (None, {"type": "spherical", "angle_limits": {"swing": [-1, 1]}}, "swing = .*must be a number"),
        (
            {"type": "spherical", "angle_limits": {"swing": 0.3}},
            {"type": "spherical"},
            "both ends are spherical",
        ),
    ],
)
def test_angles_that_no_joint_has_are_refused(base, platform, message):
    with pytest.raises(MachineError, match=message) as refusal:
        Machine.from_document(joints(base, platform))
    assert "\n" not in str(refusal.value)


def test_all_motions_keep_to_the_angles_of_the_file():
    """Of `rich`, which without them goes further, and of a pose alone."""
    free = Machine.from_document(joints({"type": "universal"}))
    path = trajectory("rich", free, 6.0)
    states = path.motion(np.arange(0.0, 6.0, 0.005))
    first = np.abs(passive_angles(free, states.position, states.rotation).first).max()
    machine = Machine.from_document(
        joints({"type": "universal", "angle_limits": {"first": float(first / 2)}})
    )
    assert not within_limits(machine, states)
    assert within_limits(free, states)
    less = trajectory("rich", machine, 6.0).motion(np.arange(0.0, 6.0, 0.005))
    turned = np.abs(passive_angles(machine, less.position, less.rotation).first).max()
    assert 0.45 * first < turned <= 0.5 * first


@pytest.mark.parametrize("axes", [(1.0, 0.0, 0.0), np.eye(3)[[0, 1, 0, 1, 0, 1]], "radial", "tangential"])
@pytest.mark.parametrize("joint", ["universal", "platform"])
def test_a_document_is_read_again_however_hinges_are_given(joint, axes):
    """A diagnosis changes numbers of the completed document and reads it."""
    read = machine(with_joint("uf", joint, axes))
    again = as_machine(read).with_changes({"geometry.base_joints.0.0": 0.0})
    np.testing.assert_allclose(again.description.first_axes, read.first_axes, rtol=0, atol=1e-12)
