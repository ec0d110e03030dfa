# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""estimator: a payload taken up while it runs is announced on `~/payload`, in diagnostics, and to late joiners."""

from __future__ import annotations

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import InertiaStamped
from ros.rigs import motion_messages
from ros.ros_bench import feed
from sensor_msgs.msg import JointState

from pkm_identification.errors import PkmError
from pkm_identification.identification.online.pipeline import OnlinePipeline, build_stream_settings
from pkm_identification.machines.load import load_machine
from pkm_identification.msg import PlatformState
from pkm_identification.nodes.estimator import EstimatorNode
from pkm_identification.nodes.simulator import SimulatorNode
from pkm_identification.ros.clock import seconds
from pkm_identification.ros.qos import LATCHED
from pkm_identification.simulation.payload import Payload
from pkm_identification.simulation.simulator import simulate

START, TAKEN, MASS, CENTER = 100.0, 7.5, 2.5, (0.03, -0.02, 0.06)


def messages_of(name):
    """Stamps and messages of a machine that takes a payload up on the way."""
    machine = load_machine(name)
    payload = Payload(MASS, CENTER, np.diag([0.012, 0.015, 0.009]), TAKEN)
    log = simulate(machine, "rich", 9.2, seed=4, payload=payload)
    pipeline, found = OnlinePipeline(machine, build_stream_settings(machine, None, 1e-3)), []
    for time, length, force in zip(log.time, log.length, log.force, strict=True):
        for filtered in pipeline.filter_stage.step(time + START, length, force):
            tracked = pipeline.tracker_stage.step(filtered)
            found.append((tracked.time, motion_messages(name)[0].write(tracked, 0.028)))
    return found


def test_a_payload_is_announced(bench):
    machine = "mast"
    messages = messages_of(machine)
    node = bench.start(EstimatorNode, machine=machine)
    found = bench.collect(InertiaStamped, "estimator/payload", LATCHED)
    diagnostics = bench.diagnostics()
    source = bench.publisher(PlatformState, "platform_state")
    bench.connected("estimator/payload")

    def taken():
        return node.taken

    before = [message for time, message in messages if time < START + TAKEN]
    feed(bench, source, before, taken)
    assert not found
    assert node.values()["payload_mass"] == 0.0
    feed(bench, source, [message for _, message in messages[len(before) :]], taken)
    first = bench.wait(lambda: found and found[0], "the payload")
    # within two seconds of the pick-up, stamped with the sample that made it sure
    assert seconds(first.header.stamp) < START + TAKEN + 2.0
    assert first.header.frame_id == "platform"
    last = found[-1]
    payload = node.estimator.payload
    assert last.inertia.m == pytest.approx(MASS, abs=4 * payload.mass_std)
    assert payload.mass_std < 0.05
    center = np.array([last.inertia.com.x, last.inertia.com.y, last.inertia.com.z])
    assert np.all(np.abs(center - CENTER) < 4 * payload.center_of_mass_std)
    assert payload.taken_at == pytest.approx(START + TAKEN, abs=0.02)

    def warned():
        statuses = [s for array in diagnostics for s in array.status if "payload since" in s.message]
        return next((s for s in statuses if s.level == DiagnosticStatus.WARN), None)

    status = bench.wait(warned, "a warning that names the payload")
    values = {v.key: v.value for v in status.values}
    assert float(values["payload_mass"]) == pytest.approx(MASS, abs=0.2)
    assert values["payload_events"] == "1"
    late = bench.collect(InertiaStamped, "estimator/payload", LATCHED)
    bench.wait(lambda: late, "the payload for a late joiner")
    assert bench.trigger("estimator/reset").success
    assert node.estimator.payload is None


@pytest.mark.slow
def test_the_simulator_node_takes_a_payload_up(bench):
    """Holding still at home: the forces grow by the payload's weight."""
    states = bench.collect(JointState, "strut_states")
    node = bench.start(
        SimulatorNode,
        trajectory="none",
        payload="0.1,4,0,0,0.05",
        payload_set_down=30.0,
        start_time=50.0,
        wait=300.0,
    )
    bench.wait(
        lambda: node.simulator.carried is not None and len(states) > 400, "the payload and what follows"
    )
    vertical = strut_axes(node.machine.description)
    weight = np.array([vertical @ np.array(message.effort) for message in states])
    time = np.array([seconds(message.header.stamp) for message in states])
    # the same samples however many more have come: the platform swings on
    before, after = weight[time < 50.1].mean(), weight[(time > 50.35) & (time < 50.4)].mean()
    assert after - before == pytest.approx(4.0 * 9.81, rel=0.05)


def test_the_simulator_node_refuses_what_is_no_payload(bench):
    with pytest.raises(PkmError, match="payload '1,2,3': expected T,MASS"):
        bench.start(SimulatorNode, payload="1,2,3")


def strut_axes(machine):
    """Vertical parts (6,) of the struts' directions at home."""
    joints = machine.home_position + machine.platform_joints @ machine.home_rotation.T
    spans = joints - machine.base_joints
    return spans[:, 2] / np.linalg.norm(spans, axis=1)
