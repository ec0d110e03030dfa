# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The executor of our nodes: streams first, and everything else served all the same."""

import dataclasses

import pytest
from rclpy.task import Future
from ros.ros_bench import Motion
from sensor_msgs.msg import JointState
from std_srvs.srv import Trigger

from pkm_identification.nodes.strut_filter import StrutFilterNode
from pkm_identification.ros.clock import STEADY
from pkm_identification.ros.node.stream_executor import StreamExecutor
from pkm_identification.ros.qos import STREAM

SAMPLES = 600
CALLS_AT = (100, 300, 500)


@pytest.fixture
def executor(bench):
    made = StreamExecutor(context=bench.context)
    bench.executor.remove_node(bench.node)
    made.add_node(bench.node)
    yield made
    made.shutdown()


def start(bench, executor):
    node = bench.start(StrutFilterNode, bring_up=False)
    bench.executor.remove_node(node)
    executor.add_node(node)
    node.bring_up()
    return node


@pytest.mark.alone
@pytest.mark.parametrize("gathering", [False, True])
def test_a_stream_arrives_whole_while_timers_and_services_are_served(bench, executor, gathering):
    executor.gathering = gathering
    node, over = start(bench, executor), Future()
    driver = bench.node.create_publisher(JointState, "strut_states", STREAM)
    client = bench.node.create_client(Trigger, "/strut_filter/reset")
    messages, asked = iter(Motion(SAMPLES).messages()), []

    def send():
        if not driver.get_subscription_count() or not client.service_is_ready():
            return
        message = next(messages, None)
        if message is not None:
            driver.publish(message)
            if node.taken >= CALLS_AT[min(len(asked), 2)] and len(asked) < 3:
                asked.append(client.call_async(Trigger.Request()))
        elif node.taken == SAMPLES and all(answer.done() for answer in asked):
            over.set_result(True)

    bench.node.create_timer(1e-3, send, clock=STEADY)
    executor.spin_until_future_complete(over, timeout_sec=300.0)
    assert over.done(), f"{node.taken} samples, {len(asked)} calls"
    assert node.inputs.lost == 0
    assert len(asked) == 3
    assert all(answer.result().success for answer in asked)


def test_messages_of_a_burst_are_gathered(bench, executor):
    """Some hundred messages in a burst are taken in a few goes, and the stream's end is no stop."""
    node, executor.gathering, goes = start(bench, executor), True, []
    stream = node.inputs.topics[0]
    poll = stream.poll
    node.inputs.topics[0] = dataclasses.replace(stream, poll=lambda: goes.append(poll()) or goes[-1])
    driver = bench.node.create_publisher(JointState, "strut_states", STREAM)
    over = Future()
    bench.node.create_timer(0.01, lambda: node.taken < 100 or over.done() or over.set_result(1), clock=STEADY)
    while not driver.get_subscription_count():
        executor.spin_once(timeout_sec=0.1)
    for message in Motion(100).messages():
        driver.publish(message)
    executor.spin_until_future_complete(over, timeout_sec=300.0)
    assert node.taken == 100
    assert len([go for go in goes if go]) < 50


def test_it_returns_in_time_and_when_the_future_is_done(bench, executor):
    start(bench, executor)
    executor.spin_until_future_complete(Future(), timeout_sec=0.2)
    over = Future()
    bench.node.create_timer(0.05, lambda: over.done() or over.set_result(1), clock=STEADY)
    executor.spin_until_future_complete(over)
    assert over.done()


def test_an_error_in_a_callback_is_not_swallowed(bench, executor):
    start(bench, executor)

    def fail():
        raise ZeroDivisionError

    bench.node.create_timer(0.01, fail, clock=STEADY)
    with pytest.raises(ZeroDivisionError):
        executor.spin_until_future_complete(Future(), timeout_sec=300.0)
