# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Columns of rigid bodies by virtual power, against pinocchio on arms that are no hexapod."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest
from core.mechanisms.serial_arm import ORDER, JointMotion, SerialArm

from pkm_identification.mechanisms.rigid_bodies import build_rigid_body_columns


@pytest.mark.parametrize("joints", [1, 2, 4])
def test_columns_are_pinocchios_joint_torque_regressor(joints):
    arm = SerialArm(joints, seed=joints)
    motion = JointMotion.random(20, joints, 1)
    columns = build_rigid_body_columns(arm.bodies(motion))
    data = arm.model.createData()
    for n, state in enumerate(zip(motion.q, motion.rate, motion.acceleration, strict=True)):
        whole = pin.computeJointTorqueRegressor(arm.model, data, *state)
        expected = whole.reshape(joints, joints, 10)[:, :, ORDER].reshape(joints, 10 * joints)
        assert np.abs(columns[n] - expected).max() < 1e-11 * max(np.abs(expected).max(), 1.0)


def test_columns_times_parameters_are_the_torques():
    arm = SerialArm(3, seed=5)
    motion = JointMotion.random(50, 3, 2)
    torques = build_rigid_body_columns(arm.bodies(motion)) @ arm.basis.nominal
    np.testing.assert_allclose(torques, arm.torques(motion), rtol=1e-10, atol=1e-10)
