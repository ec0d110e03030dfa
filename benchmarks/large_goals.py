# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""`python -m benchmarks.large_goals --waypoints 10000`: what a goal of so many waypoints does to the control loop.

The real controller node in a process of its own holds a machine at rest, whose samples this process publishes; another
process sends the goal. Each command is stamped like the sample it answers: printed is how late commands came before the
goal, from its sending to the beginning of its motion, and the longest that no command came. The latest command of that
time is compared with the latest ones of spans as long before the goal: a computer that does other things delays, too.
What the thread of the control loop worked meanwhile, in processor time, depends less on that.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import sys
import time
from collections.abc import Sequence
from multiprocessing.synchronize import Event
from pathlib import Path
from typing import Any

import numpy as np

from pkm_identification.mechanisms.hexapod.kinematics import strut_lengths
from pkm_identification.mechanisms.hexapod.machine import Machine

BEFORE, MOST = 10.0, 120.0  # s of commands before the goal, and at most until its motion begins
SPACING = 0.01  # s between waypoints
SWING, RATE = 0.01, 0.5  # m and rad/s of the motion along x


def main() -> int:
    """Measure and print; 1 where the goal was refused or no command came."""
    options = _parser().parse_args()
    os.environ["ROS_DOMAIN_ID"] = str(options.domain)
    os.environ.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
    from pkm_identification.ros.processes.node_process import NodeProcess

    machine = Machine.load("uf")
    context = multiprocessing.get_context("spawn")
    ready, send = context.Event(), context.Event()
    told: Any = context.Queue()
    client = context.Process(target=_send, args=(options.waypoints, ready, send, told), daemon=True)
    with NodeProcess(
        "controller", {"machine": "uf", "lost_after": 30.0}, domain=options.domain
    ) as controller:
        controller.wait_active()
        client.start()
        rows, sent, began, refusal = _drive(machine, 1.0 / options.rate, ready, send, told, controller.pid)
        client.terminate()
    if refusal or not len(rows):
        print(refusal or "no command came", file=sys.stderr)
        return 1
    print(
        f"{options.waypoints} waypoints, {options.rate:g} Hz; the motion began {began - sent:.2f} s after the goal"
    )
    print(f"{'':24s} commands  late, ms: median      p99   largest  longest without, ms  worked, s")
    for name, part in (("before", rows[:, 0] < sent), ("until the motion begins", rows[:, 0] >= sent)):
        arrived, late = rows[part, 0], 1e3 * rows[part, 1]
        middle, most = np.quantile(late, [0.5, 0.99])
        gap = 1e3 * np.diff(arrived).max(initial=0.0)
        worked = np.ptp(rows[part, 2])
        print(
            f"{name:24s} {len(late):8d} {middle:17.2f} {most:8.2f} {late.max():9.2f} {gap:20.1f} {worked:10.2f}"
        )
    usual = _largest_in_windows(rows[rows[:, 0] < sent], began - sent)
    latest = rows[rows[:, 0] >= sent, 1].max(initial=0.0)
    print(
        f"the latest command came {1e3 * latest:.1f} ms after its sample; in {len(usual)} spans as long before it "
        f"{1e3 * np.median(usual):.1f} ms (median; {1e3 * usual.min():.1f} to {1e3 * usual.max():.1f}): "
        f"{(latest - np.median(usual)) * options.rate:+.1f} periods"
    )
    return 0


def _largest_in_windows(rows: np.ndarray, width: float) -> np.ndarray:
    """Largest delay in s of commands (arrival, delay) in each span of `width` s: what the computer does by itself."""
    span = ((rows[:, 0] - rows[0, 0]) / width).astype(int)
    whole = range(max(1, span[-1]))
    return np.array([rows[span == k, 1].max(initial=0.0) for k in whole])


def _drive(
    machine: Machine, period: float, ready: Event, send: Event, told: Any, controller: int
) -> tuple[np.ndarray, float, float, str]:
    """Publish samples of a machine at rest, until the motion begins, and say when that was.

    Of each command in s (N, 3): its arrival, its delay, and what the thread of the control loop has worked by then.
    """
    import rclpy
    from sensor_msgs.msg import JointState

    from pkm_identification.ros.qos import COMMANDS, STREAM

    rclpy.init()
    node = rclpy.create_node("driver")
    published: dict[tuple[int, int], float] = {}
    rows: list[tuple[float, float, float]] = []
    spent = Path(f"/proc/{controller}/task/{controller}/schedstat")

    def take(message: JointState) -> None:
        now, stamp = time.monotonic(), message.header.stamp
        at = published.pop((stamp.sec, stamp.nanosec), None)
        if at is not None:
            rows.append((now, now - at, 1e-9 * int(spent.read_text(encoding="utf-8").split()[0])))

    node.create_subscription(JointState, "strut_commands", take, COMMANDS)
    output = node.create_publisher(JointState, "strut_states", STREAM)
    home = strut_lengths(machine, machine.home_position[None], machine.home_rotation[None])[0].tolist()
    message = JointState(name=list(machine.joint_names), position=home)
    stamp, due, begin, answer = 10**12, time.monotonic(), 0.0, None
    while answer is None and (not begin or time.monotonic() < begin + BEFORE + MOST):
        rclpy.spin_once(node, timeout_sec=0.0)
        now = time.monotonic()
        if now < due:
            continue
        due += period
        stamp += round(1e9 * period)
        message.header.stamp.sec, message.header.stamp.nanosec = divmod(stamp, 10**9)
        published[divmod(stamp, 10**9)] = now
        output.publish(message)
        if not begin and rows and ready.is_set():
            begin = now
            rows.clear()
        if begin and now > begin + BEFORE:
            send.set()
            answer = None if told.empty() else told.get()
    node.destroy_node()
    rclpy.shutdown()
    sent, began, refusal = answer or (0.0, 0.0, "no answer to the goal")
    return np.array([row for row in rows if not began or row[0] <= began]), sent, began, refusal


def _send(count: int, ready: Event, send: Event, told: Any) -> None:
    """Send a goal when asked to; tell when that was, and when its motion began."""
    import rclpy
    from geometry_msgs.msg import Transform
    from rclpy.action import ActionClient
    from trajectory_msgs.msg import MultiDOFJointTrajectory, MultiDOFJointTrajectoryPoint

    from pkm_identification.action import ExecuteTrajectory
    from pkm_identification.numerics.rotation import quaternion_from_matrix

    machine = Machine.load("uf")
    x, y, z = machine.home_position.tolist()
    turn: Sequence[float] = quaternion_from_matrix(machine.home_rotation).tolist()
    points = []
    for k in range(1, count + 1):
        place = Transform()
        way = SWING * (1.0 - np.cos(RATE * SPACING * k))
        place.translation.x, place.translation.y, place.translation.z = x + float(way), y, z
        place.rotation.x, place.rotation.y, place.rotation.z, place.rotation.w = turn
        point = MultiDOFJointTrajectoryPoint(transforms=[place])
        point.time_from_start.sec, point.time_from_start.nanosec = divmod(round(1e9 * SPACING * k), 10**9)
        points.append(point)
    goal = ExecuteTrajectory.Goal(trajectory=MultiDOFJointTrajectory(points=points))
    rclpy.init()
    node = rclpy.create_node("planner")
    client = ActionClient(node, ExecuteTrajectory, "execute_trajectory")
    client.wait_for_server()
    ready.set()
    send.wait()
    sent, began = time.monotonic(), []
    asked = client.send_goal_async(goal, lambda _: began.append(time.monotonic()))
    rclpy.spin_until_future_complete(node, asked)
    handle = asked.result()
    result = handle.get_result_async() if handle is not None and handle.accepted else None
    while result is not None and not began and not result.done():
        rclpy.spin_once(node, timeout_sec=0.1)
    if began:
        told.put((sent, began[0], ""))
    else:
        told.put((sent, 0.0, "refused" if result is None else result.result().result.error_string))


def _parser() -> argparse.ArgumentParser:
    summary, details = (__doc__ or "").split("\n", 1)
    parser = argparse.ArgumentParser(
        prog=f"python -m benchmarks.{Path(__file__).stem}", description=summary, epilog=details
    )
    parser.add_argument("--waypoints", type=int, default=10_000)
    parser.add_argument("--rate", type=float, default=1000.0, help="samples per second (default: 1000)")
    parser.add_argument("--domain", type=int, default=int(os.environ.get("ROS_DOMAIN_ID", "0")))
    return parser


if __name__ == "__main__":
    sys.exit(main())
