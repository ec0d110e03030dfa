# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

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
