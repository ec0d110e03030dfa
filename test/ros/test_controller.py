# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""controller: the model follows the estimates, the mode changes on the way, and it stops when it must."""

from __future__ import annotations

import numpy as np
import pytest
import yaml
from core.mechanisms.hexapod.machine_variants import changed
from diagnostic_msgs.msg import DiagnosticStatus
from rclpy.parameter import Parameter
from ros.controlled_machine import ControlledMachine, goal, slow_machine
from ros.ros_bench import Bench, joint_state
from sensor_msgs.msg import JointState
from std_msgs.msg import Header

from pkm_identification.errors import PkmError
from pkm_identification.mechanisms.hexapod.dynamics import strut_forces
from pkm_identification.mechanisms.hexapod.kinematics.inverse import strut_lengths
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.mechanisms.hexapod.parameters.sets import list_hexapod_parameters
from pkm_identification.msg import ControllerState, ParameterEstimate
from pkm_identification.nodes.controller import ControllerNode
from pkm_identification.ros.clock import seconds, stamp_of
from pkm_identification.ros.qos import COMMANDS, LATCHED
from pkm_identification.simulation.perturbation import perturb_machine
from pkm_identification.simulation.trajectories import trajectory

UF = Machine.load("uf")
HOME = strut_lengths(UF, UF.home_position[None], UF.home_rotation[None])[0]
WEIGHT = strut_forces(UF, trajectory("rest", UF).motion(np.zeros(1)), friction=False)[0]
PERIOD = 1e-3


def estimate_of(nominal: Machine, true: Machine, time: float = 100.0) -> ParameterEstimate:
    """What the estimator would publish in the end."""
    names = list_hexapod_parameters(nominal)
    values = list_hexapod_parameters(true).nominal
    return ParameterEstimate(
        header=Header(stamp=stamp_of(time)),
        fit_judged=True,
        machine=nominal.name,
        machine_hash=nominal.hash,
        names=list(names.names),
        units=list(names.units),
        values=values.tolist(),
        std=(1e-3 * np.abs(values)).tolist(),
        nominal=names.nominal.tolist(),
        status=[ParameterEstimate.IDENTIFIABLE] * len(values),
        count=100,
    )


class Driver:
    """Drives that stay where they are, whatever they are told."""

    def __init__(self, bench: Bench, **parameters) -> None:
        self._bench = bench
        self.node = bench.start(ControllerNode, **parameters)
        self.commands = bench.collect(JointState, "strut_commands", COMMANDS)
        self._publisher = bench.publisher(JointState, "strut_states")
        bench.wait(lambda: bench.node.count_publishers("strut_commands"), "strut_commands")
        self.time = 100.0

    def sample(self, length=HOME, names=None, wait=True) -> JointState | None:
        """Send one; its answer."""
        self.time += PERIOD
        more = {} if names is None else {"names": names}
        self._publisher.publish(joint_state(self.time, length, **more))
        if not wait:
            return None
        # in an emergency the safe command comes between, too
        return self._bench.wait(
            lambda: next((c for c in self.commands if abs(seconds(c.header.stamp) - self.time) < 1e-6), None),
            "an answer to the sample",
        )

    def samples(self, count: int) -> JointState:
        return [self.sample() for _ in range(count)][-1]

    @property
    def controller(self):
        return self.node.controller

    def status(self) -> DiagnosticStatus:
        return self.node.health.statuses()[0]


@pytest.mark.slow
def test_tracking_gets_better_when_the_estimate_arrives(bench: Bench, tmp_path):
    path = slow_machine(tmp_path)
    made = ControlledMachine(bench, path, {"perturbation": 0.15, "perturbation_seed": 1}, blend=0.05)
    estimates = bench.publisher(ParameterEstimate, "parameter_estimate", LATCHED)
    there = goal(made.pose(0.5, (0.03, 0.0, -0.02), (0.0, 0.08, 0.05)), made.pose(1.0))
    before = made.send(there).result().result
    now = made.controller.controller.newest
    estimates.publish(estimate_of(made.machine, perturb_machine(made.machine, 1, 0.15), now))
    bench.wait(lambda: made.controller.controller.model.accepted, "the estimate to be taken")
    after = made.send(there).result().result
    assert before.error_code == after.error_code == 0
    # forces are ramps over 5 ms here, which is what is left of the error; feedback tells less of the model: it answers
    # where friction let the machine rest before the goal, too, which differs with the sample the goal comes with
    assert after.rms_error < 0.4 * before.rms_error


def test_estimates_that_must_not_be_believed_change_nothing(bench: Bench):
    driver = Driver(bench, lost_after=500.0)
    driver.samples(3)
    estimates = bench.publisher(ParameterEstimate, "parameter_estimate", LATCHED)
    good = estimate_of(UF, perturb_machine(UF, 1))
    changes = (
        ("machine_hash", "0123456789abcdef"),
        ("values", [float("nan")] * 20),
        ("names", [f"p{i}" for i in range(20)]),
        ("std", [1.0]),
        ("status", []),
        ("status", [ParameterEstimate.IN_DOUBT] + [ParameterEstimate.IDENTIFIABLE] * 19),
        ("fit_judged", False),
        ("header", Header(stamp=stamp_of(driver.time - 6.0))),
        ("header", Header(stamp=stamp_of(driver.time + 6.0))),
    )
    nominal = driver.controller.model.target
    for count, (name, value) in enumerate(changes, start=1):
        bad = estimate_of(UF, perturb_machine(UF, 1))
        setattr(bad, name, value)
        estimates.publish(bad)
        bench.wait(lambda n=count: driver.node.health.counts["estimate_refused"] == n, f"'{name}' refused")
    unseen = estimate_of(UF, perturb_machine(UF, 1))
    unseen.status = [ParameterEstimate.UNIDENTIFIABLE] * 20
    estimates.publish(unseen)
    bench.wait(lambda: driver.controller.model.accepted == 1, "the estimate that shows nothing")
    np.testing.assert_allclose(driver.controller.model.target, nominal, atol=1e-12)
    estimates.publish(good)
    bench.wait(lambda: driver.controller.model.accepted == 2, "the good estimate")
    assert np.abs(driver.controller.model.target - nominal).max() > 1.0
    driver.node.set_parameters([Parameter("use_estimates", value=False)])
    np.testing.assert_allclose(driver.controller.model.target, nominal, atol=1e-12)
    estimates.publish(good)
    driver.samples(5)
    np.testing.assert_allclose(driver.controller.model.target, nominal, atol=1e-12)
    assert driver.controller.state == "holding"


def test_commands_hold_lengths_rates_and_forces_of_each_strut_by_name(bench: Bench):
    states = bench.collect(ControllerState, "controller_state")
    names = [f"leg_{i}" for i in "abcdef"]
    driver = Driver(bench, joint_names=names)
    order = [3, 1, 5, 0, 2, 4]
    shuffled, mixed = [names[i] for i in order], HOME[order]
    for _ in range(50):
        answer = driver.sample(mixed, shuffled)
    assert answer.name == names
    np.testing.assert_allclose(answer.position, HOME, atol=1e-9)
    np.testing.assert_allclose(answer.velocity, 0.0, atol=1e-12)
    np.testing.assert_allclose(answer.effort, WEIGHT, atol=0.05)
    bench.wait(lambda: len(states) >= 5, "states")
    assert {(state.state, state.mode, state.estimates) for state in states} == {
        (ControllerState.HOLDING, "computed_torque", 0)
    }
    for state in states:
        np.testing.assert_allclose(np.add(state.feed_forward, state.feedback), state.command, atol=1e-9)


def test_the_mode_changes_on_the_way_without_a_jump_but_not_in_an_emergency(bench: Bench):
    driver = Driver(bench)
    forces = []
    for mode in ("pid", "computed_torque", "workspace"):
        # an error that grows slowly
        forces += [driver.sample(HOME + 1e-6 * len(forces) + 1e-6 * k).effort for k in range(20)]
        result = driver.node.set_parameters([Parameter("mode", value=mode)])[0]
        assert result.successful
    forces += [driver.sample(HOME + 6e-5).effort for _ in range(20)]
    steps = np.abs(np.diff(np.array(forces), axis=0)).max(axis=1)
    # the weight alone, 30 to 40 N, goes from the model to the integral and back
    assert max(steps[[19, 39, 59]]) < steps[5:19].max() + 5.0
    assert driver.status().level == DiagnosticStatus.OK
    refused = driver.node.set_parameters([Parameter("mode", value="fuzzy")])[0]
    assert "must be one of 'pid', 'computed_torque'" in refused.reason
    driver.controller.emergency("tracking", "made for the test")
    refused = driver.node.set_parameters([Parameter("mode", value="computed_torque")])[0]
    assert not refused.successful
    assert "call ~/reset first" in refused.reason


@pytest.mark.parametrize("safe", ["hold", "zero"])
def test_silence_of_the_drives_is_an_emergency_until_reset(bench: Bench, safe):
    driver = Driver(bench, safe_command=safe)
    assert not bench.trigger("controller/reset").success
    driver.samples(5)
    bench.wait(lambda: driver.controller.state == "emergency", "the emergency stop")
    wanted = WEIGHT if safe == "hold" else np.zeros(6)
    before = len(driver.commands)
    bench.wait(lambda: len(driver.commands) > before + 3, "the safe command, again and again")
    for command in driver.commands[before:]:
        np.testing.assert_allclose(command.effort, wanted, atol=0.05)
        np.testing.assert_allclose(command.position, HOME, atol=1e-9)
    status = driver.status()
    assert status.level == DiagnosticStatus.ERROR
    assert "emergency stop until ~/reset: strut_states: no good sample for 0.1 s" in status.message
    answer = bench.trigger("controller/reset")
    assert not answer.success
    assert "not back" in answer.message
    for _ in range(15):
        np.testing.assert_allclose(driver.sample().effort, wanted, atol=0.05)
    # the service call takes longer than the drives' silence may: they go on meanwhile
    timer = bench.node.create_timer(0.002, lambda: driver.sample(wait=False))
    answer = bench.trigger("controller/reset")
    assert answer.success, answer.message
    bench.wait(lambda: driver.controller.state == "holding", "control again")
    bench.node.destroy_timer(timer)


def test_an_input_that_is_not_finite_is_an_emergency(bench: Bench):
    driver = Driver(bench)
    driver.samples(5)
    driver.sample(np.array([*HOME[:5], np.nan]), wait=False)
    bench.wait(lambda: driver.controller.state == "emergency", "the emergency stop")
    before = len(driver.commands)
    bench.wait(lambda: len(driver.commands) > before, "the safe command")
    assert driver.controller.trouble[0] == "not_finite"
    assert np.isfinite(driver.commands[-1].effort).all()
    assert driver.status().level == DiagnosticStatus.ERROR


def test_workspace_control_that_comes_to_a_singular_pose_holds_by_lengths(bench: Bench, tmp_path):
    """Home is 4 cm above the base's plane, where struts shorter by 3.8 mm have no pose; drives give way until then."""
    flat = changed("uf", name="flat", geometry__home__position=[0.0, 0.0, -0.04])
    flat["geometry"]["length_limits"] = [0.1, 0.55]
    path = tmp_path / "flat.yaml"
    path.write_text(yaml.safe_dump(flat), encoding="utf-8")
    machine = Machine.load(str(path))
    home = strut_lengths(machine, machine.home_position[None], machine.home_rotation[None])[0]
    driver = Driver(bench, machine=str(path), mode="workspace", tracking_limit=0.01, lost_after=500.0)
    steps = 0
    while driver.controller.stop is None and steps < 50:
        held = home - 1e-4 * steps
        still = np.array(driver.sample(held).effort)
        steps += 1
    assert driver.controller.trouble[0] == "no_pose"
    assert 36 < steps < 42
    assert np.isfinite(still).all()
    # further down still, strut 3 most: the loops push back, that of strut 3 most; its own place is what is wanted
    pushed = driver.sample(held - 1e-4 * np.array([1.0, 1.0, 3.0, 1.0, 1.0, 1.0]))
    np.testing.assert_allclose(pushed.position, held, atol=1e-9)
    more = np.array(pushed.effort) - still
    assert more.min() > 2.0
    assert more[2] > 2.0 * more[4]
    assert driver.status().level == DiagnosticStatus.ERROR


def test_an_estimate_that_would_make_the_forces_jump_is_an_emergency(bench: Bench):
    driver = Driver(bench, estimate_jump=1.0, lost_after=500.0)
    driver.samples(5)
    estimates = bench.publisher(ParameterEstimate, "parameter_estimate", LATCHED)
    estimates.publish(estimate_of(UF, perturb_machine(UF, 1, 0.5)))
    bench.wait(lambda: driver.controller.state == "emergency", "the emergency stop")
    assert "an estimate would change" in driver.status().message


def test_bad_names_are_told_and_single_bad_samples_passed_over(bench: Bench):
    driver = Driver(bench, lost_after=500.0)
    driver.samples(3)
    driver.sample(HOME, [f"other_{i}" for i in range(6)], wait=False)
    bench.wait(lambda: driver.node.health.counts["missing_name"] == 1, "the names to be told")
    driver.sample(HOME + 0.02, wait=False)
    bench.wait(lambda: driver.node.health.counts["spike"] == 1, "the spike to be told")
    driver.samples(3)
    assert driver.controller.state == "holding"


def test_parameters_that_cannot_work_are_refused(bench: Bench):
    with pytest.raises(PkmError, match="length_margin"):
        bench.start(ControllerNode, length_margin=5.0)
    with pytest.raises(PkmError, match="different joint names"):
        bench.start(ControllerNode, joint_names=["a"])
    with pytest.raises(PkmError, match="safe_command"):
        bench.start(ControllerNode, safe_command="panic")


def test_a_simulator_whose_controller_is_gone_holds_by_itself(bench: Bench, tmp_path):
    made = ControlledMachine(bench, slow_machine(tmp_path), {"command_timeout": 0.2})
    lost = made.simulator.health.counts["commands_lost"]
    made.controller.trigger_deactivate()
    bench.wait(
        lambda: made.simulator.health.counts["commands_lost"] > lost, "the drives to hold by themselves"
    )
    count = made.simulator.values()["samples"]
    bench.wait(lambda: made.simulator.values()["samples"] > count + 20, "samples without a controller")
    assert np.abs(made.simulator.simulator.truth.length - HOME).max() < 1e-3


def test_a_simulator_of_forces_refuses_lengths_and_poses(bench: Bench, tmp_path):
    made = ControlledMachine(bench, slow_machine(tmp_path))
    commands = bench.publisher(JointState, "strut_commands", COMMANDS)
    commands.publish(joint_state(0.0, HOME))
    bench.wait(lambda: made.simulator.health.counts["command_refused"] == 1, "the refusal")
    commands.publish(joint_state(0.0, HOME, np.full(6, np.nan)))
    bench.wait(lambda: made.simulator.health.counts["command_refused"] == 2, "the refusal")
