# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""A driver: joint states of a periodic motion at a fixed rate, each sent at the instant it is stamped with.

`python -m benchmarks.stream.driver SAMPLES.npz RATE COUNT SENT.npy [CORE]`: waits until strut_filter and all nodes
behind it are there, sends COUNT samples and writes when each of them was really sent.
"""

from __future__ import annotations

import os
import struct
import sys
import time

import numpy as np
import rclpy
from rclpy.duration import Duration
from rclpy.serialization import serialize_message
from sensor_msgs.msg import JointState

from pkm_identification.ros.qos import STREAM

NANOSECONDS = 10**9
CHAIN = ("strut_states", "strut_states/filtered", "platform_state", "parameter_estimate")
SETTLING = 1.0  # s
LISTENERS = 60.0  # s to wait for everybody
STAMP = 4  # place of the stamp in a serialised message, after the encapsulation


def serialised(names: list[str], coordinate: np.ndarray, force: np.ndarray) -> list[bytearray]:
    """Joint states of coordinates and forces (N, n), ready to be sent once they have a stamp."""
    messages = []
    for x, f in zip(coordinate.tolist(), force.tolist(), strict=True):
        messages.append(bytearray(serialize_message(JointState(name=names, position=x, effort=f))))
    return messages


def main() -> int:
    """Run the driver."""
    samples, rate, count, sent_file = sys.argv[1], float(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
    if len(sys.argv) > 5:
        os.sched_setaffinity(0, {int(sys.argv[5])})
    data = np.load(samples)
    messages = serialised(data["names"].tolist(), data["coordinate"], data["force"])
    rclpy.init()
    node = rclpy.create_node("driver")
    output = node.create_publisher(JointState, "strut_states", STREAM)
    end = time.monotonic() + LISTENERS
    while not all(node.count_subscribers(topic) for topic in CHAIN):
        if time.monotonic() > end:
            print("driver: not all nodes are there", file=sys.stderr)
            return 1
        time.sleep(0.02)
    time.sleep(SETTLING)
    period = round(NANOSECONDS / rate)
    sent = np.empty(count, dtype=np.int64)
    # stamps are the schedule's, as those of a drive that samples by its own clock
    begin = (time.time_ns() // NANOSECONDS + 1) * NANOSECONDS
    print(begin, flush=True)
    for k in range(count):
        stamp = begin + k * period
        wait = stamp - time.time_ns()
        if wait > 0:
            time.sleep(wait / NANOSECONDS)
        message = messages[k % len(messages)]
        struct.pack_into("<iI", message, STAMP, *divmod(stamp, NANOSECONDS))
        sent[k] = time.time_ns()
        output.publish(bytes(message))
    output.wait_for_all_acked(Duration(seconds=5.0))
    np.save(sent_file, sent)
    time.sleep(SETTLING)
    node.destroy_node()
    rclpy.try_shutdown()
    return 0


if __name__ == "__main__":
    sys.exit(main())
