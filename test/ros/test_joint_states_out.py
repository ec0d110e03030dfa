# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""`joint_states` of the kinematics node: told to a URDF reader, the loops close."""

import numpy as np
import pytest
from ros.rigs import KinematicsRig, strut_samples
from ros.ros_bench import Motion
from sensor_msgs.msg import JointState

from pkm_identification.exporting.formats import format_machine_text
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.ros.qos import JOINTS

pin = pytest.importorskip("pinocchio")
MACHINES = ("uf", "hexel")


@pytest.mark.parametrize("name", MACHINES)
def test_the_struts_of_the_urdf_end_at_the_platform(bench, name):
    rig = KinematicsRig(bench, machine=name, publish_joint_states=True)
    received = bench.collect(JointState, "joint_states", JOINTS)
    bench.connected("joint_states")
    motion = Motion(200, name)
    rig.feed(strut_samples(motion))
    bench.wait(lambda: len(received) >= 20, "joint states")
    machine = Machine.load(name)
    model = pin.buildModelFromXML(format_machine_text(machine, "urdf"))
    data = model.createData()
    joints = {model.names[k]: model.joints[k].idx_q for k in range(1, model.njoints)}
    for message, k in ((received[0], 0), (received[19], 190)):
        assert set(message.name) == set(joints)
        q = np.zeros(model.nq)
        for joint, value in zip(message.name, message.position, strict=True):
            q[joints[joint]] = value
        pin.framesForwardKinematics(model, data, q)
        # forward kinematics converges to 1e-10 m and rad or better
        np.testing.assert_allclose(
            data.oMf[model.getFrameId("platform")].translation, motion.position[k], atol=1e-9
        )
        for i in range(6):
            tip = data.oMf[model.getFrameId(f"strut_{i + 1}_e")].translation
            joint = motion.position[k] + motion.rotation[k] @ machine.platform_joints[i]
            np.testing.assert_allclose(tip, joint, atol=1e-9)


def test_by_default_a_drivers_joint_states_are_left_alone(bench):
    KinematicsRig(bench)
    assert not bench.node.count_publishers("joint_states")
