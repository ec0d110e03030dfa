# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""simulator: faults, friction and noise while it runs; readings of the sensors that the machine file describes."""

import numpy as np
import pytest
import yaml
from geometry_msgs.msg import PoseStamped, WrenchStamped
from rclpy.parameter import Parameter
from sensor_msgs.msg import Imu, JointState

from pkm_identification.errors import PkmError
from pkm_identification.mechanisms.hexapod.kinematics.jacobian import jacobian
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.nodes.simulator import SimulatorNode
from pkm_identification.numerics.rotation import matrix_from_quaternion
from pkm_identification.ros.clock import seconds
from pkm_identification.ros.qos import POSE
from pkm_identification.srv import SetFault, StepSimulation

LEGS = ["leg_c", "leg_a", "leg_d", "leg_b", "leg_f", "leg_e"]
SENSORS = {
    "imu": {"position": [0.02, 0.0, 0.03], "noise": [0.02, 0.002], "bias": [0.0, 0.0]},
    "force": {"at": "platform", "noise": 0.2},
}


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "legs.yaml"
    document = Machine.load("uf").document | {"joint_names": LEGS, "sensors": SENSORS}
    path.write_text(yaml.safe_dump(document))
    return path


class Stepped:
    """A simulator that is paused at its start and makes samples on demand."""

    def __init__(self, bench, **parameters):
        self.bench = bench
        self.states = bench.collect(JointState, "strut_states")
        # nobody subscribes to what it waits for: no sample comes by itself
        parameters = {"trajectory": "none", "wait": 1e6, "subscribers": 9, "start_time": 100.0} | parameters
        self.node = bench.start(SimulatorNode, **parameters)
        self.node.paused = True
        bench.connected("strut_states")

    def step(self, samples):
        goal = len(self.states) + samples
        answer = self.bench.call(StepSimulation, "/simulator/step", StepSimulation.Request(samples=samples))
        assert answer.success
        self.bench.wait(lambda: len(self.states) >= goal, "the samples")
        return self.states[goal - samples : goal]

    def fault(self, text, clear=False):
        return self.bench.call(SetFault, "/simulator/set_fault", SetFault.Request(fault=text, clear=clear))


def forces(messages):
    return np.array([message.effort for message in messages])


def test_faults_begin_and_end_while_it_runs(bench):
    rig = Stepped(bench, current_noise=0.0, current_bits=0)
    before = forces(rig.step(5))[-1]
    answer = rig.fault("force_sign_3")
    assert (answer.success, answer.message) == (True, "force_sign_3")
    np.testing.assert_array_equal(np.sign(forces(rig.step(5))[-1] * before), [1, 1, -1, 1, 1, 1])
    for text, said in (("no_such=1", "none of that name"), ("compliance=1e-7", "from the start")):
        refused = rig.fault(text)
        assert not refused.success
        assert said in refused.message
    assert not rig.fault("force_gain_1", clear=True).success
    assert rig.fault("", clear=True).message == "no faults"
    np.testing.assert_array_equal(np.sign(forces(rig.step(5))[-1] * before), np.ones(6))


def test_a_time_that_no_stamp_holds_ends_the_node_with_one_line(bench):
    rig = Stepped(bench, faults=["time_unit=1e-9"], start_time=2e9)
    with pytest.raises(PkmError, match=r"^time \S+ s .*stamp$"):
        rig.node.step(StepSimulation.Request(samples=200), StepSimulation.Response())


def test_noise_and_friction_are_live_and_outlive_a_reset(bench):
    rig = Stepped(bench, current_noise=0.0, current_bits=0)
    assert np.ptp(forces(rig.step(20))[10:], axis=0).max() < 1e-3
    for name, bad in (("friction", -1.0), ("current_noise", 11.0)):
        assert not rig.node.set_parameters([Parameter(name, value=bad)])[0].successful
    noisy = [Parameter("current_noise", value=0.5), Parameter("friction", value=3.0)]
    assert all(result.successful for result in rig.node.set_parameters(noisy))
    assert forces(rig.step(20)).std(axis=0).min() > 1.0
    assert bench.trigger("/simulator/reset").success
    assert forces(rig.step(20)).std(axis=0).min() > 1.0


def test_the_sensors_of_the_machine_file_are_topics_in_their_frames(bench, file):
    imus = bench.collect(Imu, "imu")
    strut_forces = bench.collect(JointState, "strut_forces")
    wrenches = bench.collect(WrenchStamped, "platform_wrench")
    truths = bench.collect(PoseStamped, "platform_truth", POSE)
    frames = {"base_frame": "cell/base", "platform_frame": "cell/platform", "imu_frame": "cell/imu"}
    rig = Stepped(bench, machine=str(file), truth_rate=1000.0, current_noise=0.0, **frames)
    for topic in ("imu", "strut_forces", "platform_wrench", "platform_truth"):
        bench.connected(topic)
    states = rig.step(10)
    for received in (imus, strut_forces, wrenches, truths):
        bench.wait(lambda received=received: len(received) == 10, "ten readings")
    assert states[0].name == strut_forces[0].name == LEGS
    assert [m[0].header.frame_id for m in (truths, wrenches, imus)] == [*frames.values()]
    stamps = [
        [seconds(m.header.stamp) for m in received] for received in (states, imus, strut_forces, wrenches)
    ]
    assert all(one == stamps[0] for one in stamps)
    # at rest: gravity alone, and struts that carry the platform's weight
    machine = Machine.load(file)
    acceleration = np.mean([[getattr(m.linear_acceleration, x) for x in "xyz"] for m in imus], axis=0)
    np.testing.assert_allclose(acceleration, [0.0, 0.0, 9.81], atol=0.05)
    assert imus[0].orientation_covariance[0] == -1.0
    assert imus[0].linear_acceleration_covariance[4] == pytest.approx(0.02**2)
    pose = truths[0].pose
    place = np.array([[getattr(pose.position, x) for x in "xyz"]])
    rotation = matrix_from_quaternion(np.array([getattr(pose.orientation, x) for x in "xyzw"]))
    expected = jacobian(machine, place, rotation[None])[0].T @ np.array(strut_forces[0].effort)
    wrench = wrenches[0].wrench
    for vector, part in ((wrench.force, expected[:3]), (wrench.torque, expected[3:])):
        np.testing.assert_allclose([getattr(vector, x) for x in "xyz"], rotation.T @ part, atol=1e-9)
    # struts hold the platform, and what of their own weight they do not carry themselves
    assert wrench.force.z > 9.81 * machine.platform.mass
