# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Streams within a process: handed over as objects, with the results that DDS gives, and seen from outside as ever."""

from __future__ import annotations

import numpy as np
import pytest
from ros.rigs import simulated
from ros.ros_bench import Bench, joint_state
from sensor_msgs.msg import JointState

from pkm_identification.msg import ParameterEstimate, PlatformState, StrutStates
from pkm_identification.nodes.estimator import EstimatorNode
from pkm_identification.nodes.kinematics import KinematicsNode
from pkm_identification.nodes.strut_filter import StrutFilterNode
from pkm_identification.ros.node.hand_over import LOOK_PERIOD_S, HandOver, Taker
from pkm_identification.ros.qos import INNER_DEPTH, LATCHED

PART = 100  # messages, fewer than any queue holds


def joint_states():
    # a third of a nanosecond that no stamp can hold
    log = simulated("rich")
    return [joint_state(t + 100.0 + 3e-10, x, f) for t, x, f in zip(log.time, log.length, log.force)]


class Chain:
    """strut_filter, kinematics and estimator of one process behind a driver."""

    def __init__(self, bench: Bench, handed_over: bool) -> None:
        self.bench = bench
        shared = HandOver() if handed_over else None
        self.filter = bench.start(StrutFilterNode, hand_over=shared)
        self.kinematics = bench.start(KinematicsNode, hand_over=shared)
        self.estimator = bench.start(EstimatorNode, hand_over=shared, resume=False)
        self.driver = bench.publisher(JointState, "strut_states")
        for topic in ("strut_states", "strut_states/filtered", "platform_state"):
            bench.connected(topic)
        if handed_over:
            for output in (self.filter.output, self.kinematics.states):
                publisher = output.publisher
                bench.wait(lambda publisher=publisher: publisher.get_subscription_count(), "DDS to match")

    def feed(self, messages):
        for start in range(0, len(messages), PART):
            part = messages[start : start + PART]
            goal = self.filter.taken + len(part)
            for message in part:
                self.driver.publish(message)
            self.bench.wait(lambda goal=goal: self.filter.taken >= goal, "strut_filter to take the samples")
            self.bench.wait(self.drained, "kinematics and estimator to take the samples")

    def drained(self):
        return self.estimator.taken >= self.kinematics.taken >= self.filter.passed

    def stop(self):
        for node in (self.filter, self.kinematics, self.estimator):
            self.bench.stop(node)


def result(chain):
    estimate = chain.estimator.estimator.estimate
    counts = (chain.filter.stage.counts, chain.kinematics.stage.counts, chain.estimator.estimator.counts)
    return estimate, [dict(one) for one in counts]


@pytest.mark.slow
def test_what_is_handed_over_gives_the_results_of_dds_to_the_last_bit(bench):
    messages = joint_states()
    chain = Chain(bench, False)
    chain.feed(messages)
    expected, counted = result(chain)
    chain.stop()

    chain = Chain(bench, True)
    sent = []
    chain.filter.output.publisher.publish = sent.append  # nobody outside listens: nothing goes out
    chain.feed(messages)
    found, counts = result(chain)
    assert not sent
    assert counts == counted
    assert expected.count > 10
    for name in ("time", "values", "std", "covariance", "nis", "count"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))


@pytest.mark.slow
def test_outside_every_sample_arrives_and_inside_none_twice(bench):
    messages = joint_states()[:1000]
    chain = Chain(bench, True)
    chain.feed(messages[:500])
    passed = chain.filter.passed
    filtered = bench.collect(StrutStates, "strut_states/filtered")
    states = bench.collect(PlatformState, "platform_state")
    estimates = bench.collect(ParameterEstimate, "parameter_estimate", LATCHED)
    for output in (chain.filter.output, chain.kinematics.states):
        publisher = output.publisher
        bench.wait(lambda publisher=publisher: publisher.get_subscription_count() == 2, "the listener")
    bench.spin(2.0 * LOOK_PERIOD_S)  # who subscribes is looked up now and then
    chain.feed(messages[500:])
    outside = chain.filter.passed - passed
    bench.wait(lambda: len(filtered) >= outside and len(states) >= outside, f"{outside} samples outside")
    bench.wait(lambda: estimates, "an estimate")
    bench.wait(lambda: not chain.estimator.hand_over.takers("/platform_state")[0]._published, "the echo")
    assert len(filtered) == len(states) == outside
    assert chain.kinematics.taken == chain.estimator.taken == chain.filter.passed


@pytest.mark.slow
def test_another_publisher_of_a_stream_is_heard_as_well(bench):
    """A recording of filtered states played into a process that has a strut_filter of its own."""
    chain = Chain(bench, True)
    other = bench.publisher(StrutStates, "strut_states/filtered")
    bench.connected("strut_states/filtered", publishers=2)
    bench.wait(other.get_subscription_count, "the kinematics node")
    other.publish(StrutStates(coordinate=[1.0] * 6, rate=[0.0] * 6, acceleration=[0.0] * 6))
    bench.wait(lambda: chain.kinematics.taken == 1, "kinematics to take it")


def test_who_stops_listening_is_given_nothing_more():
    given = []
    shared = HandOver()
    _, leave = shared.join("/topic", given.append)
    assert len(shared.takers("/topic")) == 1
    leave()
    assert not shared.takers("/topic")


def test_messages_that_are_lost_on_the_way_back_are_forgotten():
    taker = Taker(lambda _: None)
    for k in range(3 * INNER_DEPTH):
        taker.published(str(k).encode())
    assert len(taker._published) == 2 * INNER_DEPTH
    assert taker.knows(str(3 * INNER_DEPTH - 1).encode())
    assert not taker.knows(str(3 * INNER_DEPTH - 1).encode())
    assert not taker.knows(b"0")
