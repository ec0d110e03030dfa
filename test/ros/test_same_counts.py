# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""A stream with every kind of fault is counted alike, by the same names, over topics and from its recording."""

import json

import pytest
from rclpy.serialization import serialize_message
from ros.rigs import StreamRig, values_of
from ros.ros_bench import joint_state

from pkm_identification.identification.experiment import Experiment
from pkm_identification.identification.settings import Settings
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.records.bags.writer import BagWriter
from pkm_identification.records.log import read_log

FAULTS = {
    "missing_name", "repeated_name", "unequal_lengths", "zero_stamp", "bad_stamp", "not_finite", "duplicate", "late",
    "spike", "out_of_limits", "gap", "clock_jump", "wrong_rate",
}  # fmt: skip
LEGS = ("leg_c", "leg_a", "leg_d", "leg_b", "leg_f", "leg_e")


def faulty(messages):
    """The same joint states with faults of every kind that a driver or a network makes."""

    def at(k, **changes):
        return joint_state(stamp(k), messages[k].position, messages[k].effort, LEGS, **changes)

    def stamp(k):
        return messages[k].header.stamp.sec + 1e-9 * messages[k].header.stamp.nanosec

    spoilt = {k: at(k) for k in range(len(messages))}
    spoilt[100].position[2] = float("nan")
    spoilt[130].effort[4] = float("inf")
    spoilt[160].name[3] = "strut_4"
    spoilt[170].name.append(LEGS[1]), spoilt[170].position.append(0.4), spoilt[170].effort.append(0.0)
    spoilt[180].position.pop()
    spoilt[190].header.stamp.sec = spoilt[190].header.stamp.nanosec = 0
    spoilt[220].position[0] += 0.05
    spoilt[250].position[1] = 5.0
    spoilt[260].header.stamp.sec = -5
    stream = list(spoilt.values())
    stream[300:300] = [stream[299], stream[290]]
    del stream[800:900]  # longer than max_gap
    later = [at(k) for k in range(1000, len(messages))]
    for message in later:  # the clock is set back
        message.header.stamp.sec -= 60
    return stream[:900] + later


def counted(bench, rig):
    """Values of the status that was made after all that was sent had gone through."""
    passed = str(rig.filter.passed)
    return bench.wait(
        lambda: next(
            (
                values
                for array in rig.statuses
                for status in array.status
                if status.name == "strut_filter: stream" and (values := values_of(status))["passed"] == passed
            ),
            None,
        ),
        "the last status of the stream",
    )


@pytest.mark.slow
def test_counts_and_reasons_are_the_same_online_and_offline(bench, tmp_path):
    document = Machine.load("uf").document | {
        "joint_names": list(LEGS),
        "drive": {"sample_rate": StreamRig.RATE},
    }
    machine = tmp_path / "legs.yaml"
    machine.write_text(json.dumps(document))  # JSON is YAML
    rig = StreamRig(bench, machine=str(machine))
    stream = faulty(rig.motion(1000.0, 8.0))
    with BagWriter(tmp_path / "bag") as writer:
        for k, message in enumerate(stream):
            writer.write("/strut_states", "sensor_msgs/msg/JointState", serialize_message(message), k * 10**6)
    rig.feed(stream)
    online = counted(bench, rig)

    log = read_log(tmp_path / "bag", rig.filter.machine.description)
    experiment = Experiment.of([log], rig.filter.machine, Settings.of(causal=True))
    problem = experiment.problem()
    # what `pkm identify --causal` writes as dropped and samples, before its estimator
    offline = {reason: n for reason, n in experiment.dropped.items() if n} | {
        "wrong_rate": problem.wrong_rate
    }
    assert set(offline) == FAULTS
    assert {reason: online[reason] for reason in FAULTS} == {k: str(n) for k, n in offline.items()}
    assert problem.failed == rig.estimator.estimator.counts["skipped_status"] == 0
    assert problem.samples == int(online["passed"]) == rig.estimator.taken
    assert sum(one.counts["accepted"] for one in experiment.logs) == int(online["accepted"])
