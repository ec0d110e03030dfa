# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""simulator: the topics of a machine that is there, and the obedience of one."""

import numpy as np
import pytest
from builtin_interfaces.msg import Time
from geometry_msgs.msg import PoseStamped
from ros.ros_bench import joint_state
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState
from std_srvs.srv import SetBool

from pkm_identification.errors import PkmError
from pkm_identification.mechanisms.hexapod.kinematics.inverse import strut_lengths
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import STRUT_NAMES
from pkm_identification.nodes.simulator import SimulatorNode
from pkm_identification.ros.clock import seconds
from pkm_identification.ros.commands.outside_commands import OutsideCommands
from pkm_identification.ros.messages.convert import fill_pose
from pkm_identification.ros.messages.joint_state import JointStateReader
from pkm_identification.ros.qos import CLOCK, COMMANDS, POSE
from pkm_identification.simulation.perturbation import perturb_machine
from pkm_identification.simulation.simulator import Simulator
from pkm_identification.simulation.trajectories import trajectory
from pkm_identification.srv import SetPayload, StepSimulation


def lengths(messages):
    return np.array([message.position for message in messages])


@pytest.mark.alone
def test_it_publishes_exactly_what_the_simulator_gives(bench):
    messages = bench.collect(JointState, "strut_states")
    # slower than real time, because simulator and listener take turns in one thread
    node = bench.start(
        SimulatorNode,
        trajectory="x",
        duration=2.0,
        seed=3,
        perturbation=0.1,
        start_time=100.0,
        wait=300.0,
        real_time_factor=0.3,
    )
    bench.wait(lambda: len(messages) >= 1000, "1000 samples")
    machine = Machine.load("uf")
    simulator = Simulator(
        perturb_machine(machine, 1, 0.1), trajectory("x", machine, 2.0), nominal=machine, seed=3
    )
    for message in messages:
        sample = simulator.step()
        assert seconds(message.header.stamp) == pytest.approx(100.0 + sample.time, abs=1e-9)
        np.testing.assert_array_equal(message.position, sample.length)
        np.testing.assert_array_equal(message.effort, sample.force)
        assert list(message.velocity) == []
    assert node.values()["loop_gap (m)"] < 1e-6


@pytest.mark.alone
def test_it_does_not_run_ahead_of_the_clock_on_the_wall(bench):
    import time

    messages = bench.collect(JointState, "strut_states")
    bench.start(SimulatorNode, trajectory="none")
    bench.wait(lambda: messages, "the first sample")
    # stamps are those of the system's clock, and do not run ahead of it
    assert abs(seconds(messages[0].header.stamp) - time.time()) < 5.0
    bench.wait(lambda: len(messages) >= 1000, "a second of samples")
    assert seconds(messages[-1].header.stamp) < time.time() + 0.05


def test_the_clock_is_that_of_the_samples(bench):
    clocks = bench.collect(Clock, "/clock", CLOCK)
    bench.start(SimulatorNode, trajectory="none", clock=True, start_time=50.0)
    bench.wait(lambda: len(clocks) > 20, "the clock")
    times = [seconds(clock.clock) for clock in clocks]
    assert times == sorted(times)
    assert 50.0 <= times[0] < times[-1] < 80.0


def test_strut_commands_move_the_struts_and_bad_ones_are_refused(bench):
    messages = bench.collect(JointState, "strut_states")
    node = bench.start(SimulatorNode, trajectory="none")
    commands = bench.publisher(JointState, "strut_commands", COMMANDS)
    home = bench.wait(lambda: messages, "a sample")[0].position
    wanted = np.array(home) + 0.01
    commands.publish(joint_state(0.0, wanted[::-1], names=[f"strut_{i}" for i in range(6, 0, -1)]))
    bench.wait(lambda: np.abs(lengths(messages[-1:]) - wanted).max() < 2e-4, "the struts at their targets")
    commands.publish(joint_state(0.0, np.full(6, 5.0)))
    bench.wait(lambda: node.health.counts["command_refused"] == 1, "the refusal")
    assert np.abs(lengths(messages[-1:]) - wanted).max() < 1e-3


def test_hydraulic_drives_go_where_they_are_told_and_hold_there(bench):
    """Oil, valves and delays behind the topics: lengths in, lengths and load forces out; forces are not taken."""
    messages = bench.collect(JointState, "strut_states")
    node = bench.start(SimulatorNode, machine="uf_hydraulic", trajectory="none")
    commands = bench.publisher(JointState, "strut_commands", COMMANDS)
    home = bench.wait(lambda: messages, "a sample")[0].position
    wanted = np.array(home) + 0.01
    commands.publish(joint_state(0.0, wanted))
    # at rest a valve is open by what leaks, in the dead zone nothing moves: within 1 mm
    bench.wait(lambda: np.abs(lengths(messages[-1:]) - wanted).max() < 1e-3, "the struts at their targets")
    bench.wait(lambda: np.ptp(lengths(messages[-200:]), axis=0).max() < 5e-6, "rest")
    force = np.mean([message.effort for message in messages[-200:]], axis=0)
    truth = node.simulator.plant.actuated.states[:, 2]
    np.testing.assert_allclose(force, truth, atol=0.01 * np.abs(truth).max() + 2.0)
    commands.publish(joint_state(0.0, np.full(6, 5.0)))
    bench.wait(lambda: node.health.counts["command_refused"] == 1, "the refusal")
    assert node.values()["loop_gap (m)"] < 1e-6


def test_a_target_pose_is_reached(bench):
    messages = bench.collect(JointState, "strut_states")
    truths = bench.collect(PoseStamped, "platform_truth", POSE)
    bench.start(SimulatorNode, trajectory="none", truth_rate=50.0)
    targets = bench.publisher(PoseStamped, "target_pose", COMMANDS)
    machine = Machine.load("uf")
    position = machine.home_position + np.array([0.01, 0.0, -0.01])
    wanted = strut_lengths(machine, position[None], machine.home_rotation[None])[0]
    message = PoseStamped()
    fill_pose(message.pose, position, machine.home_rotation)
    targets.publish(message)
    bench.wait(lambda: messages and np.abs(lengths(messages[-1:]) - wanted).max() < 2e-4, "the pose")
    bench.wait(lambda: abs(truths[-1].pose.position.x - position[0]) < 2e-4, "the true pose")


def test_it_ends_with_its_trajectory_when_asked_to(bench):
    messages = bench.collect(JointState, "strut_states")
    node = bench.start(SimulatorNode, trajectory="rest", duration=0.5, shutdown_at_end=True, wait=300.0)
    bench.wait(node.finished.done, "the end")
    assert node.finished.result() == 0
    bench.wait(lambda: len(messages) == node.values()["samples"], "every sample")
    assert 501 <= len(messages) <= 503


def test_it_waits_for_those_who_shall_hear_it(bench):
    messages = bench.collect(JointState, "strut_states")
    node = bench.start(SimulatorNode, trajectory="none", wait=300.0, wait_for=["platform_state"])
    bench.spin(0.5)
    assert not messages
    bench.collect(JointState, "platform_state")
    bench.wait(lambda: messages, "samples")
    assert node.values()["samples"] > 0


def test_parameters_that_cannot_work_are_refused(bench):
    with pytest.raises(PkmError, match="must be more than"):
        bench.start(SimulatorNode, trajectory="x", duration=0.2)
    with pytest.raises(PkmError, match="must be one of 'none', 'x'"):
        bench.start(SimulatorNode, trajectory="waltz")


def stamps(messages):
    return np.array([seconds(message.header.stamp) for message in messages])


def stand_still(bench, node, messages):
    """Wait until what a simulator that stands still has sent is there, and let it show whether it does."""
    made = node.schedule.count
    bench.wait(lambda: len(messages) >= made, "all samples")
    bench.spin(0.1)
    assert len(messages) == made


def test_a_pause_leaves_no_trace_in_the_samples_and_steps_are_counted(bench):
    messages = bench.collect(JointState, "strut_states")
    node = bench.start(
        SimulatorNode, trajectory="x", duration=2.0, seed=3, start_time=100.0, real_time_factor=0.3
    )
    bench.wait(lambda: len(messages) > 50, "samples")
    assert not bench.call(StepSimulation, "/simulator/step", StepSimulation.Request(samples=1)).success
    assert bench.call(SetBool, "/simulator/pause", SetBool.Request(data=True)).message == "paused"
    stand_still(bench, node, messages)
    paused = len(messages)
    answer = bench.call(StepSimulation, "/simulator/step", StepSimulation.Request(samples=7))
    assert (answer.success, answer.message) == (True, "7 samples")
    bench.wait(lambda: len(messages) >= paused + 7, "the steps")
    stand_still(bench, node, messages)
    assert len(messages) == paused + 7
    assert answer.time == pytest.approx(0.001 * len(messages))
    refused = bench.call(StepSimulation, "/simulator/step", StepSimulation.Request(samples=0))
    assert "must be from 1 to" in refused.message
    bench.call(SetBool, "/simulator/pause", SetBool.Request(data=False))
    bench.wait(lambda: len(messages) > paused + 60, "samples that go on")
    machine = Machine.load("uf")
    simulator = Simulator(machine, trajectory("x", machine, 2.0), seed=3)
    for message in messages:
        sample = simulator.step()
        assert seconds(message.header.stamp) == pytest.approx(100.0 + sample.time, abs=1e-9)
        np.testing.assert_array_equal(message.effort, sample.force)


def test_an_inactive_simulator_goes_on_where_it_was(bench):
    messages = bench.collect(JointState, "strut_states")
    node = bench.start(SimulatorNode, trajectory="x", duration=2.0, start_time=100.0, real_time_factor=0.3)
    bench.wait(lambda: len(messages) > 50, "samples")
    node.trigger_deactivate()
    stand_still(bench, node, messages)
    before = len(messages)
    node.trigger_activate()
    bench.wait(lambda: len(messages) > before + 50, "samples that go on")
    np.testing.assert_allclose(np.diff(stamps(messages)), 0.001, atol=1e-6)


def test_a_reset_begins_the_motion_again_and_stamps_go_on(bench):
    messages = bench.collect(JointState, "strut_states")
    node = bench.start(
        SimulatorNode, trajectory="x", duration=2.0, seed=3, start_time=100.0, real_time_factor=0.1
    )
    assert bench.call(SetBool, "/simulator/pause", SetBool.Request(data=True)).success
    assert bench.call(StepSimulation, "/simulator/step", StepSimulation.Request(samples=100)).success
    first = node.schedule.count
    bench.wait(lambda: len(messages) == first, "the samples of the first run")
    assert bench.trigger("/simulator/reset").success
    assert bench.call(StepSimulation, "/simulator/step", StepSimulation.Request(samples=60)).time < 0.061
    bench.wait(lambda: len(messages) == first + 60, "the samples of the second run")
    np.testing.assert_allclose(np.diff(stamps(messages)), 0.001, atol=1e-6)
    forces = np.array([message.effort for message in messages])
    np.testing.assert_array_equal(forces[first:], forces[:60])


def test_a_payload_is_felt_when_it_is_set_and_a_body_that_is_none_is_refused(bench):
    messages = bench.collect(JointState, "strut_states")
    bench.start(SimulatorNode, trajectory="none", current_noise=0.0)
    bench.wait(lambda: len(messages) > 50, "samples")
    before = sum(messages[-1].effort)
    assert bench.call(SetPayload, "/simulator/set_payload", SetPayload.Request(mass=5.0)).success
    bench.wait(lambda: abs(sum(messages[-1].effort) - before) > 20.0, "its weight")
    refused = bench.call(SetPayload, "/simulator/set_payload", SetPayload.Request(mass=-5.0))
    assert not refused.success
    assert "must be greater than 0" in refused.message
    assert bench.call(SetPayload, "/simulator/set_payload", SetPayload.Request()).message == "nothing carried"
    bench.wait(lambda: abs(sum(messages[-1].effort) - before) < 5.0, "no weight any more")


def test_under_a_controllers_forces_stamps_go_on_and_no_old_force_acts(bench):
    messages = bench.collect(JointState, "strut_states")
    node = bench.start(
        SimulatorNode, commands="effort", start_time=100.0, command_timeout=60.0, real_time_factor=0.3
    )
    commands = bench.publisher(JointState, "strut_commands", COMMANDS)
    bench.wait(lambda: len(messages) > 20, "samples")

    def drive():
        holding = node.simulator.plant.holding_force()
        commands.publish(joint_state(0.0, [], holding))
        bench.wait(lambda: node.outside.driven, "the forces to be taken")

    drive()
    bench.call(SetBool, "/simulator/pause", SetBool.Request(data=True))
    bench.call(SetBool, "/simulator/pause", SetBool.Request(data=False))
    assert node.outside.driven
    node.trigger_deactivate()
    node.trigger_activate()
    assert not node.outside.driven
    drive()
    assert bench.trigger("/simulator/reset").success
    assert not node.outside.driven
    made = node.schedule.count
    bench.wait(lambda: len(messages) > made + 20, "samples after the reset")
    np.testing.assert_allclose(np.diff(stamps(messages)), 0.001, atol=1e-6)


def test_a_pause_is_nobodys_silence():
    now = [0.0]
    simulator = Simulator(Machine.load("uf"))
    forces = OutsideCommands(
        simulator, JointStateReader(STRUT_NAMES, stamped=False), False, np.inf, 1.5, lambda: now[0]
    )
    forces.sample()
    forces.take(joint_state(0.0, [], simulator.plant.holding_force()), Time())
    now[0] = 2.0
    forces.waited(2.0)
    assert not forces.given_up()
    now[0] = 3.6
    assert forces.given_up()
    assert not forces.driven
