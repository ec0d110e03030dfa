# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The simulator under the names of simulation_interfaces, where that package is installed."""

from __future__ import annotations

import pytest
from ros.ros_bench import Bench

pytest.importorskip("simulation_interfaces")

from sensor_msgs.msg import JointState
from simulation_interfaces.msg import Result, SimulationState, SimulatorFeatures
from simulation_interfaces.srv import (
    GetSimulationState,
    GetSimulatorFeatures,
    ResetSimulation,
    SetSimulationState,
    StepSimulation,
)

from pkm_identification.nodes.simulator import MOST_STEPS, SimulatorNode

pytestmark = pytest.mark.slow


class Simulation:
    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self.samples = bench.collect(JointState, "strut_states")
        self.node = bench.start(SimulatorNode, trajectory="x")
        bench.connected("strut_states")

    def state(self):
        answer = self.bench.call(GetSimulationState, "/simulator/get_simulation_state")
        assert answer.result.result == Result.RESULT_OK
        return answer.state.state

    def go(self, state):
        request = SetSimulationState.Request(state=SimulationState(state=state))
        return self.bench.call(SetSimulationState, "/simulator/set_simulation_state", request).result

    def step(self, steps):
        request = StepSimulation.Request(steps=steps)
        return self.bench.call(StepSimulation, "/simulator/step_simulation", request).result

    def reset(self, scope):
        request = ResetSimulation.Request(scope=scope)
        return self.bench.call(ResetSimulation, "/simulator/reset_simulation", request).result


@pytest.fixture
def simulation(bench):
    return Simulation(bench)


def test_it_says_what_it_can(simulation):
    answer = simulation.bench.call(GetSimulatorFeatures, "/simulator/get_simulator_features")
    found = set(answer.features.features)
    assert {SimulatorFeatures.SIMULATION_STATE_PAUSE, SimulatorFeatures.STEP_SIMULATION_MULTIPLE} <= found
    assert SimulatorFeatures.SIMULATION_RESET_TIME not in found
    assert SimulatorFeatures.SPAWNING not in found


def test_it_stops_is_stepped_and_plays_on(simulation):
    bench = simulation.bench
    bench.wait(lambda: simulation.samples, "samples")
    assert simulation.state() == SimulationState.STATE_PLAYING
    assert simulation.step(1).result == Result.RESULT_OPERATION_FAILED
    assert simulation.go(SimulationState.STATE_PAUSED).result == Result.RESULT_OK
    assert simulation.state() == SimulationState.STATE_PAUSED
    assert (
        simulation.go(SimulationState.STATE_PAUSED).result
        == SetSimulationState.Response.ALREADY_IN_TARGET_STATE
    )
    made = simulation.node.schedule.count
    assert simulation.step(25).result == Result.RESULT_OK
    assert simulation.node.schedule.count == made + 25
    assert simulation.go(SimulationState.STATE_STOPPED).result == Result.RESULT_OK
    assert simulation.state() == SimulationState.STATE_STOPPED
    assert simulation.node.simulator.time == 0.0
    assert simulation.go(SimulationState.STATE_PLAYING).result == Result.RESULT_OK
    bench.wait(lambda: simulation.node.schedule.count > made + 25, "samples")
    stamps = [(m.header.stamp.sec, m.header.stamp.nanosec) for m in simulation.samples]
    assert stamps == sorted(stamps)


def test_what_it_cannot_is_refused_with_the_reason(simulation):
    assert simulation.go(SimulationState.STATE_NO_WORLD).result == Result.RESULT_FEATURE_UNSUPPORTED
    answer = simulation.reset(ResetSimulation.Request.SCOPE_TIME)
    assert answer.result == Result.RESULT_FEATURE_UNSUPPORTED
    assert "nothing but the state" in answer.error_message
    simulation.go(SimulationState.STATE_PAUSED)
    answer = simulation.step(MOST_STEPS + 1)
    assert answer.result == Result.RESULT_OPERATION_FAILED
    assert "must be from 1 to" in answer.error_message


def test_reset_and_quit(simulation):
    bench = simulation.bench
    simulation.go(SimulationState.STATE_PAUSED)
    assert simulation.step(10).result == Result.RESULT_OK
    assert simulation.reset(ResetSimulation.Request.SCOPE_ALL).result == Result.RESULT_OK
    assert simulation.state() == SimulationState.STATE_STOPPED
    assert simulation.go(SimulationState.STATE_QUITTING).result == Result.RESULT_OK
    bench.wait(simulation.node.finished.done, "the end")
