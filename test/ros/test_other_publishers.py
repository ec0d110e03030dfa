# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""A second publisher of a stream, or a node of the same name: told by name, and no harm to what is identified."""

import time

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticStatus
from ros.domains import DOMAIN
from ros.rigs import FilterRig, StreamRig, status_with
from ros.ros_bench import Motion, StreamBench, joint_state
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

from pkm_identification.nodes.controller import ControllerNode
from pkm_identification.nodes.estimator import EstimatorNode
from pkm_identification.nodes.kinematics import KinematicsNode
from pkm_identification.nodes.simulator import SimulatorNode
from pkm_identification.nodes.strut_filter import StrutFilterNode
from pkm_identification.ros.node.sole_publisher import THIS_PROCESS, SolePublisher
from pkm_identification.ros.qos import COMMANDS

WARN, ERROR = DiagnosticStatus.WARN, DiagnosticStatus.ERROR
RATE = 250.0
RENAMED = ["--ros-args", "-r", "__node:=other"]
CHAIN = (StrutFilterNode, KinematicsNode, EstimatorNode)


@pytest.fixture(scope="module")
def alone():
    """What one chain identifies of the motion."""

    def identify(bench):
        rig = StreamRig(bench)
        rig.feed(rig.motion(100.0, 6.0))
        return rig.estimator.estimator.estimate

    with StreamBench(DOMAIN) as bench:
        found = identify(bench)
    return found


@pytest.mark.slow
@pytest.mark.parametrize(
    "again", [CHAIN, (KinematicsNode,), (StrutFilterNode,)], ids=["chain", "pose", "filter"]
)
def test_a_second_chain_of_the_same_name_harms_nothing(alone, again):
    with StreamBench(DOMAIN) as bench:
        rig = StreamRig(bench)
        messages = rig.motion(100.0, 6.0)
        rig.feed(messages[:500])
        rate = {"sample_rate": rig.RATE}
        for node_class in again:
            bench.start(node_class, **({} if node_class is KinematicsNode else rate))
        bench.connected("strut_states", subscribers=1 + (StrutFilterNode in again))
        rig.feed(messages[500:])
        estimate = rig.estimator.estimator.estimate
        for node in (rig.filter, rig.kinematics, rig.estimator):
            assert node.health.counts == {}  # no clock jump above all
        assert rig.estimator.stage.continuity.breaks == 0
        assert estimate.count == alone.count
        np.testing.assert_allclose(estimate.values, alone.values, rtol=1e-9)
        name = again[0].NAME
        assert status_with(bench, rig.statuses, f"nodes are called /{name}: end the others").level == WARN
        if KinematicsNode in again:
            status = status_with(
                bench, rig.statuses, "2 publishers on 'platform_state': /kinematics, /kinematics"
            )
            assert (status.name, status.level) == ("estimator: input", WARN)
        if StrutFilterNode in again:
            status_with(
                bench, rig.statuses, "2 publishers on 'strut_states/filtered': /strut_filter, /strut_filter"
            )


def test_of_two_drivers_one_is_listened_to_until_it_has_gone(bench):
    rig = FilterRig(bench)
    statuses = bench.diagnostics()
    other_node = bench.executor.context and bench.node.create_publisher(JointState, "strut_states", 10)
    motion, other = Motion(600), Motion(600, start=1000.0003)
    for one, two in zip(motion.messages()[:300], other.messages()):
        two.position = [x + 1e-3 for x in two.position]
        rig.driver.publish(one)
        other_node.publish(two)
        bench.executor.spin_once(timeout_sec=0.0)
    bench.wait(lambda: rig.node.taken == 300, "the samples of the first")
    assert (rig.counts["accepted"], rig.counts["duplicate"], rig.counts["late"]) == (300, 0, 0)
    status = status_with(
        bench, statuses, "2 publishers on 'strut_states': /bench, /bench", "300 messages of others"
    )
    assert status.level == WARN
    # the first ends; what comes next is the other's, without a pause
    bench.node.destroy_publisher(rig.driver)
    bench.wait(lambda: bench.node.count_publishers("strut_states") == 1, "the end of the first")
    bench.spin(0.2)  # longer than between looks at the graph
    for message in other.messages()[400:]:
        other_node.publish(message)
    bench.wait(lambda: rig.node.taken == 500, "the samples of the second")
    statuses.clear()
    bench.wait(
        lambda: any(
            s.name == "strut_filter: input" and "publishers" not in s.message
            for a in statuses
            for s in a.status
        ),
        "calm",
    )


def test_a_publisher_of_other_joints_is_not_chosen(bench):
    """Grippers share /joint_states."""
    rig = FilterRig(bench)
    gripper = bench.publisher(JointState, "strut_states")
    motion = Motion(200)
    gripper.publish(joint_state(999.0, [0.1], [0.0], names=["finger"]))
    bench.wait(lambda: rig.node.taken == 1, "the gripper's message")
    for message in motion.messages():
        rig.driver.publish(message)
        gripper.publish(joint_state(message.header.stamp.sec, [0.1], [0.0], names=["finger"]))
        bench.executor.spin_once(timeout_sec=0.0)
    bench.wait(lambda: rig.counts["accepted"] == 200, "the samples of the struts")
    assert rig.counts["missing_name"] <= 2


def test_chosen_is_who_was_heard_first_until_it_has_gone(monkeypatch):
    now, present = [100.0], {b"a", b"b"}
    monkeypatch.setattr("pkm_identification.ros.node.sole_publisher.time.monotonic", lambda: now[0])
    sole = SolePublisher(lambda: present, 1.0)
    assert [sole.accepts(one) for one in (b"a", b"b", b"a", b"b")] == [True, False, True, False]
    assert sole.refused == 2
    now[0] += 5.0  # both were silent
    assert [sole.accepts(b"b"), sole.accepts(b"a")] == [False, True]
    for _ in range(10):
        assert not sole.accepts(b"b")
        now[0] += 0.11  # the first is silent: killed, though still in the graph
    assert sole.accepts(b"b")
    assert not sole.accepts(b"a")
    present.remove(b"b")
    now[0] += 0.2
    assert sole.accepts(b"a")
    assert sole.accepts(THIS_PROCESS)
    assert not sole.accepts(b"a")
    sole.forget()
    assert sole.accepts(b"a")


def test_where_messages_do_not_tell_whose_they_are_nothing_of_several_is_taken():
    sole = SolePublisher(set, 1.0)
    assert sole.accepts(None)
    sole.several = True
    assert not sole.accepts(None)
    assert sole.accepts(THIS_PROCESS)


@pytest.mark.parametrize("machine", ["mast", "epaas_hydraulic"])
def test_a_second_controller_of_the_same_drives_is_named_within_two_seconds(bench, machine):
    """By both, whatever it is called; each goes on, and a kinematics node beside them is none."""
    statuses = bench.diagnostics()
    bench.start(KinematicsNode)
    first = bench.start(ControllerNode, machine=machine, sample_rate=RATE)
    bench.wait(lambda: statuses, "diagnostics")
    assert "same drives" not in " ".join(s.message for a in statuses for s in a.status)
    second = bench.start(ControllerNode, machine=machine, sample_rate=RATE, cli_args=RENAMED)
    begin = time.monotonic()
    status = status_with(bench, statuses, "2 nodes command the same drives: /controller, /other: drives")
    assert time.monotonic() - begin < 2.0
    assert status.level == ERROR
    bench.stop(second)
    statuses.clear()
    bench.wait(lambda: statuses and not first._rivals, "calm")


@pytest.mark.parametrize("kind", [JointState, Float64MultiArray])
def test_whoever_else_commands_servo_drives_is_named_by_the_controller(bench, kind):
    statuses = bench.diagnostics()
    bench.start(ControllerNode, machine="epaas_hydraulic", sample_rate=RATE)
    topic = "strut_commands" + ("/positions" if kind is Float64MultiArray else "")
    rival = bench.node.create_publisher(kind, topic, COMMANDS)
    begin = time.monotonic()
    status_with(bench, statuses, "2 nodes command the same drives: /bench, /controller")
    assert time.monotonic() - begin < 2.0
    bench.node.destroy_publisher(rival)


def test_a_simulated_machine_names_all_who_send_it_commands(bench):
    """Those that send, not those that might."""
    statuses = bench.diagnostics()
    machine = bench.start(SimulatorNode, machine="mast", sample_rate=RATE, commands="controller")
    one, other = (bench.node.create_publisher(JointState, "strut_commands", COMMANDS) for _ in range(2))
    command = JointState(name=list(machine.message.name), effort=[0.0] * len(machine.message.name))
    sent = []

    def send(publishers):
        sent.append([publisher.publish(command) for publisher in publishers])
        return machine.taken >= 20 and any("machine" in s.name for a in statuses for s in a.status)

    bench.connected("strut_commands", publishers=2)
    bench.wait(lambda: send([one]), "commands of one")
    assert "nodes send" not in " ".join(s.message for a in statuses for s in a.status)
    begin = time.monotonic()
    told = "2 nodes send 'strut_commands'"
    bench.wait(
        lambda: send([one, other]) and any(told in s.message for a in statuses for s in a.status),
        "what is said",
    )
    assert time.monotonic() - begin < 2.5  # s: a second of commands is looked at once a second
