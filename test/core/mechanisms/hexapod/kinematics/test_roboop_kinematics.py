# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Kinematics against ROBOOP 1.32's Stewart platform: lengths its source/bench.cpp has, and what it prints."""

from __future__ import annotations

import numpy as np
from core.mechanisms.hexapod.dynamics.roboop_model import (
    ACCELERATION,
    GUESS,
    LENGTH,
    NO_AXIAL,
    POSE,
    RATE,
    hexapod,
    motion_of,
    rotation_of,
)
from transforms3d.euler import euler2mat

from pkm_identification.mechanisms.hexapod.kinematics.forward import forward_kinematics
from pkm_identification.mechanisms.hexapod.kinematics.inverse import strut_lengths, strut_motion_from_platform
from pkm_identification.mechanisms.hexapod.kinematics.jacobian import jacobian

MACHINE = hexapod(NO_AXIAL)
MOTION = motion_of(POSE, RATE, ACCELERATION)
PRINTED_LENGTH = [3.05082630325, 3.23234385627, 3.29971711792, 3.4560086771, 3.57970744292, 3.69347741028]
START = (GUESS[:3], euler2mat(*GUESS[3:], axes="rzxz"))


def test_lengths():
    length = strut_lengths(MACHINE, MOTION.position, MOTION.rotation)[0]
    # a unit of its fourth decimal: 3.23234 stands there as 3.2324
    np.testing.assert_allclose(length, LENGTH, rtol=0, atol=1e-4)
    np.testing.assert_allclose(length, PRINTED_LENGTH, rtol=1e-11)


def test_jacobian_and_rates():
    """First row of its J_1^-1, and its l'."""
    row = [
        -0.430438414713,
        -0.884157496096,
        0.181626796581,
        -0.089689868646,
        -0.0182549240255,
        -0.301421342137,
    ]
    found = jacobian(MACHINE, MOTION.position, MOTION.rotation)[0]
    np.testing.assert_allclose(found[0], row, rtol=1e-11)
    rate = [
        -0.332668582609,
        -0.0820871593793,
        0.13294866916,
        -0.123274460002,
        -0.377371617508,
        -0.368292783072,
    ]
    np.testing.assert_allclose(found @ MOTION.twist[0], rate, rtol=1e-11)
    np.testing.assert_allclose(strut_motion_from_platform(MACHINE, MOTION)[1][0], rate, rtol=1e-11)


def test_forward_kinematics_from_its_guess():
    found = forward_kinematics(MACHINE, np.array([PRINTED_LENGTH]), START)
    assert found.status[0] == 0
    np.testing.assert_allclose(found.position[0], POSE[:3], rtol=0, atol=1e-10)
    np.testing.assert_allclose(found.rotation[0], MOTION.rotation[0], rtol=0, atol=1e-10)
    # a unit of the fourth decimal of its lengths leaves the pose that far open, to first order; a tenth for the second
    rounded = forward_kinematics(MACHINE, LENGTH[None], START)
    inverse = np.linalg.inv(jacobian(MACHINE, MOTION.position, MOTION.rotation)[0])
    bound = 1.1 * np.abs(inverse).sum(axis=1) * 1e-4
    turn = rounded.rotation[0] @ MOTION.rotation[0].T
    angle = np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]]) / 2
    assert np.all(np.abs(rounded.position[0] - POSE[:3]) <= bound[:3])
    assert np.all(np.abs(angle) <= bound[3:])
    assert bound.max() < 0.002


def test_other_poses_differ_by_one_entry_of_its_rotation_matrix():
    """It agrees where phi = psi, as in its benchmark; elsewhere its matrix is no rotation."""
    q = np.array([0.2, 0.3, -0.4, 0.3, -1.4, -0.2])
    printed = [3.09222362712, 3.20883840303, 3.31279599378, 3.41421013276, 3.58245054327, 3.7011934203]
    theirs, ours = rotation_of(q[3:], {"rotation"}), euler2mat(*q[3:], axes="rzxz")
    assert np.count_nonzero(np.abs(theirs - ours) > 1e-12) == 1
    np.testing.assert_allclose(strut_lengths(MACHINE, q[None, :3], theirs[None])[0], printed, rtol=1e-11)
    assert np.abs(strut_lengths(MACHINE, q[None, :3], ours[None])[0] - printed).max() > 0.01
