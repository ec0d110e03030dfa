# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Limits of a mechanism's joints: coordinates also of joints that close loops, kept by motions between samples."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from core.mechanisms.multibody.test_bad_mechanisms import document

from pkm_identification.errors import MachineError
from pkm_identification.identification.excitation.criteria import Criterion
from pkm_identification.identification.excitation.search import search
from pkm_identification.identification.excitation.subject import GRID, Subject
from pkm_identification.machines.load import as_machine
from pkm_identification.mechanisms.multibody.kinematics import body_poses, close_drives, read
from pkm_identification.mechanisms.multibody.mechanism import Mechanism
from pkm_identification.simulation.multibody.motions import generate_motion


def limited(name, **limits):
    made = document(name)
    for joint, value in limits.items():
        made["joints"][joint]["limits"] = value
    return Mechanism.from_document(made, source="x.yaml")


def angle(rotation):
    return np.arctan2(rotation[:, 1, 0], rotation[:, 0, 0])


@pytest.mark.parametrize("joint", ["crank_tip", "rocker_pivot", "rocker_tip"])
def test_use_of_a_hinge_is_the_angle_between_its_bodies(joint):
    """One of these closes the loop and has no coordinate in the tree."""
    mechanism = limited("four-bar", **{joint: ["deg(-170)", "deg(150)"]})
    found = close_drives(mechanism, np.linspace(0.8, 1.6, 9)[:, None])
    rotation, _ = body_poses(mechanism, found.configuration)
    crank, coupler, rocker = (angle(rotation[:, k]) for k in range(3))
    turned = {"crank_tip": coupler - crank, "rocker_pivot": rocker, "rocker_tip": rocker - coupler}[joint]
    home, _ = body_poses(mechanism, mechanism.home[None])
    at_home = {"crank_tip": (1, 0), "rocker_pivot": (2, None), "rocker_tip": (2, 1)}[joint]
    first = 0.0 if at_home[1] is None else angle(home[:, at_home[1]])
    moved = turned - (angle(home[:, at_home[0]]) - first)
    to_end = np.where(moved > 0, np.radians(150), np.radians(-170)) - (turned - moved)
    expected = moved / to_end
    np.testing.assert_allclose(mechanism.joint_use(found.configuration)[:, 0], expected, atol=1e-9)
    assert np.ptp(expected) > 0.05


def test_slides_universal_and_spherical_joints():
    """A slide by its drive, a ball by the angle that its axis leans from home; of a universal joint both angles."""
    mast = limited("mast", guide_1=["0", "0.3"], ball_2="0.5")
    drive = read(mast, "drives", mast.home)[0] + np.array([[0.02, 0.0, 0.0], [0.0, 0.03, -0.02]])
    found = close_drives(mast, drive)
    use = mast.joint_use(found.configuration)
    at_home = read(mast, "drives", mast.home)[0, 0]
    np.testing.assert_allclose(use[:, 0], [0.02 / (0.3 - at_home), 0.0], atol=1e-9)
    leaned = []
    for q in (mast.home[None], found.configuration):
        rotation, _ = body_poses(mast, q)
        bar, plate = rotation[:, 4], rotation[:, 6]
        leaned.append(np.einsum("nji,nj->ni", bar, plate[:, :, 2]))
    expected = np.arccos(leaned[1] @ leaned[0][0])
    np.testing.assert_allclose(use[:, 1], expected / 0.5, atol=1e-7)
    assert expected.min() > 0.02
    suspension = document("suspension")
    name = next(n for n, one in suspension["joints"].items() if one["type"] == "universal")
    wide = limited("suspension", **{name: [["-3", "3"], ["-1.5", "1.5"]]})
    assert wide.joint_use(wide.home[None]).shape == (1, 2)


@pytest.mark.parametrize(
    ("name", "joint", "limits", "message"),
    [
        ("four-bar", "rocker_tip", ["0.5", "-0.5"], r"rocker_tip\.limits .*least < greatest"),
        ("four-bar", "rocker_tip", ["-40", "80"], r"rocker_tip\.limits .*from -pi to pi"),
        ("four-bar", "rocker_tip", "0.5", "must be a list of 2 numbers"),
        ("four-bar", "rocker_tip", ["0", "0.1"], r"joints\.rocker_tip\.limits: home is at"),
        ("mast", "ball_1", ["-1", "1"], "one angle in rad"),
        ("mast", "ball_1", "0", "more than 0 and at most pi"),
        ("mast", "ball_1", "deg(190)", "more than 0 and at most pi"),
        ("mast", "ball_1", "30 degrees", r"ball_1\.limits"),
        ("four-bar", "rocker_tip", [["-1", "1"], ["-1", "1"]], r"rocker_tip\.limits"),
    ],
)
def test_limits_that_no_joint_has_are_refused(name, joint, limits, message):
    with pytest.raises(MachineError, match=message) as refusal:
        limited(name, **{joint: limits})
    assert "\n" not in str(refusal.value)


def test_a_misspelt_key_is_named():
    made = document("four-bar")
    made["joints"]["rocker_tip"]["limit"] = ["-1", "1"]
    with pytest.raises(MachineError, match=r"unknown key 'limit' .*did you mean 'limits'"):
        Mechanism.from_document(made)


@pytest.mark.slow
def test_motions_keep_limits_between_samples():
    """Of a joint that closes the loop, in the middle of what motions without it use; twenty times finer."""
    free = limited("four-bar", rocker_tip=["-3.1", "3.1"])
    duration = 8.0
    fine = np.arange(0.0, duration, GRID / 20)

    def furthest(mechanism, motion):
        rotation, _ = body_poses(mechanism, motion.motion(mechanism, fine).configuration)
        return (angle(rotation[:, 2]) - angle(rotation[:, 1])).max()

    start = angle(body_poses(free, free.home[None])[0][:, 2]) - angle(
        body_poses(free, free.home[None])[0][:, 1]
    )
    rich = furthest(free, generate_motion("rich", free, duration))
    most = float(0.5 * (rich + start[0]))
    narrow = limited("four-bar", rocker_tip=["-3.1", f"{most:.9f}"])
    assert furthest(narrow, generate_motion("rich", narrow, duration)) <= most < rich
    subject = Subject.of(narrow, as_machine(narrow).build_parameter_set("base"), duration)
    found = search(subject, Criterion("d", subject.scale, subject.kinds), 600.0, most=60)
    assert found.kept > 0
    reached = furthest(narrow, replace(subject.path, signal=found.signal))
    assert start[0] + 0.8 * (most - start[0]) < reached <= most
