# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""`python -m benchmarks.rclpy_alone [--seconds S]`: what rclpy alone takes of a core for 1000 messages a second.

A process sends joint states of six drives, another takes each and does nothing, or sends it on: what any node in Python
spends before it computes anything, beside which the shares of `benchmarks.jitter` are to be read.
"""

from __future__ import annotations

import argparse
import multiprocessing
import time
from multiprocessing.synchronize import Event

RATE = 1000.0  # messages a second
DEPTH = 1000
WARM_UP = 3.0  # s until discovery is done


def send(stop: Event) -> None:
    """Send joint states at the rate until told to stop."""
    import rclpy
    from sensor_msgs.msg import JointState

    rclpy.init()
    node = rclpy.create_node("driver")
    publisher = node.create_publisher(JointState, "strut_states", DEPTH)
    drives = [f"strut_{i}" for i in range(1, 7)]
    message = JointState(name=drives, position=[0.1] * 6, velocity=[0.0] * 6, effort=[1.0] * 6)
    start, count = time.perf_counter(), 0
    while not stop.is_set():
        count += 1
        time.sleep(max(start + count / RATE - time.perf_counter(), 0.0))
        message.header.stamp = node.get_clock().now().to_msg()
        publisher.publish(message)


def take(sends_on: bool, seconds: float) -> tuple[float, float]:
    """Return the messages a second that a node takes, and its share of a core."""
    import rclpy
    from sensor_msgs.msg import JointState

    rclpy.init()
    node = rclpy.create_node("listener")
    publisher = node.create_publisher(JointState, "passed_on", DEPTH) if sends_on else None
    taken = 0

    def listen(message: JointState) -> None:
        nonlocal taken
        taken += 1
        if publisher is not None:
            publisher.publish(message)

    node.create_subscription(JointState, "strut_states", listen, DEPTH)
    executor = rclpy.executors.SingleThreadedExecutor()
    executor.add_node(node)

    def spin(duration: float) -> None:
        end = time.perf_counter() + duration
        while time.perf_counter() < end:
            executor.spin_once(timeout_sec=0.1)

    spin(WARM_UP)
    before, used, start = taken, time.process_time(), time.perf_counter()
    spin(seconds)
    passed = time.perf_counter() - start
    return (taken - before) / passed, (time.process_time() - used) / passed


def main() -> None:
    """Print a line for a node that takes messages, and for one that sends them on."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.rclpy_alone")
    parser.add_argument("--seconds", type=float, default=20.0)
    options = parser.parse_args()
    context = multiprocessing.get_context("spawn")
    for sends_on in (False, True):
        stop = context.Event()
        driver = context.Process(target=send, args=(stop,))
        driver.start()
        with context.Pool(1) as pool:
            rate, share = pool.apply(take, (sends_on, options.seconds))
        stop.set()
        driver.join()
        does = "sends each on" if sends_on else "takes each"
        print(
            f"a node that {does}: {rate:.0f} messages a second, {100.0 * share:.0f} % of a core", flush=True
        )


if __name__ == "__main__":
    main()
