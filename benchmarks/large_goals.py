# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""`python -m benchmarks.large_goals`: what goals of ten thousand waypoints do to the control loop.

The real controller node in a process of its own holds a machine at rest, whose samples this process publishes; another
process sends goals. Spans with a goal, from its sending to the beginning of its motion, take turns with spans as long
without one. Late is a sample by the time until a command answers it or a sample after it: samples that had to wait
together are all counted. What the goal does is the difference of the two distributions, with an interval that nine of
ten drawings of whole turns keep; what the thread of the control loop worked, in processor time, depends less on what
else the computer does. Controller and this process, which stands for the drives, have a real-time priority where the
system permits it. Takes two minutes for both rates.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import signal
import struct
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np

from pkm_identification.mechanisms.hexapod.kinematics.inverse import strut_lengths
from pkm_identification.mechanisms.hexapod.machine import Machine

from .stream.driver import NANOSECONDS, STAMP

FEWEST = 3  # turns
MOST_WAIT = 60.0  # s for an answer
REST = 0.3  # s between spans
LEAD = 1.0  # s to the first waypoint: the machine rests while a motion begins and is canceled
SPACING = 0.01  # s between waypoints
SWING, RATE = 0.01, 0.5  # m and rad/s of the motion along x
BEGIN = 1000 * NANOSECONDS  # stamp of the first sample
DRAWINGS = 1000


@dataclass(frozen=True)
class Course:
    """What happened, ns of this computer's clock.

    Attributes
    ----------
    sent, answered : ndarray of int64, shape (N,)
        Of each sample; 0 where nothing has answered it.
    worked : ndarray of int64, shape (N,)
        What the thread of the control loop had worked when a sample was sent, ns.
    turns : ndarray of int64, shape (K, 2, 2)
        Begin and end of the spans of each turn, without a goal and with one.
    scheduling : str
        Of the threads of this process, and of the controller's as they ask for the same.
    """

    sent: np.ndarray
    answered: np.ndarray
    worked: np.ndarray
    turns: np.ndarray
    scheduling: str


def main() -> int:
    """Measure and print; 1 where a goal was refused or no command came."""
    options = _parser().parse_args()
    os.environ["ROS_DOMAIN_ID"] = str(options.domain)
    os.environ.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
    from pkm_identification.ros.node.launcher import LAUNCHER

    # whatever ends this process: no node stays behind
    os.environ[LAUNCHER] = str(os.getpid())
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    for rate in options.rate:
        try:
            course = _measure(options, rate)
        except RuntimeError as problem:
            print(f"{rate:g} Hz: {problem}", file=sys.stderr)
            return 1
        print(told(course, rate, options.waypoints), flush=True)
    took = unpacking(options.waypoints)
    print(
        f"a goal unpacked in the thread that spins, as rclpy does it, would take {1e3 * took:.2f} ms of it (processor "
        f"time): {', '.join(f'{took * rate:.2f} periods at {rate:g} Hz' for rate in options.rate)}"
    )
    return 0


def unpacking(count: int, rounds: int = 20) -> float:
    """Processor time in s of unpacking a goal of so many waypoints as `goal_server` keeps control from: the median."""
    from rclpy.serialization import deserialize_message, serialize_message

    from pkm_identification.ros.commands.goal_request import Request, goal_request

    sent = serialize_message(Request(goal=_goal(count, Machine.load("uf"))))
    took = []
    for _ in range(rounds + 1):
        begin = time.thread_time()
        deserialize_message(sent, goal_request(6))
        took.append(time.thread_time() - begin)
    return float(np.median(took[1:]))  # the first one compiles


def _measure(options: argparse.Namespace, rate: float) -> Course:
    """One controller, and as many turns as there is time for.

    Raises
    ------
    RuntimeError
        If a goal was not taken, or nothing answered.
    """
    from pkm_identification.ros.processes.node_process import NodeProcess

    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    client = context.Process(target=_send, args=(options.waypoints, theirs), daemon=True)
    values = {
        "machine": "uf",
        "lost_after": 30.0,
        "sample_rate": rate,
        "thread_priority": options.priority,
    }
    with NodeProcess("controller", values, domain=options.domain) as controller:
        controller.wait_active()
        client.start()
        try:
            return _drive(rate, options.seconds, ours, controller.pid, options.priority)
        finally:
            client.terminate()
            client.join()


def _drive(rate: float, seconds: float, planner: Connection, controller: int, priority: int) -> Course:
    """Publish samples of a machine at rest at a fixed rate, and have goals sent meanwhile.

    Commands are taken as bytes, with the time at which the middleware had them: listening costs next to nothing, and
    both cores are left to the controller.
    """
    import rclpy
    from rclpy.serialization import serialize_message
    from rclpy.signals import SignalHandlerOptions
    from sensor_msgs.msg import JointState

    from pkm_identification.ros.node.thread_priority import ThreadPriority
    from pkm_identification.ros.qos import COMMANDS, STREAM

    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
    node = rclpy.create_node("driver")
    commands = node.create_subscription(JointState, "strut_commands", lambda _: None, COMMANDS)
    output = node.create_publisher(JointState, "strut_states", STREAM)
    machine = Machine.load("uf")
    home = strut_lengths(machine, machine.home_position[None], machine.home_rotation[None])[0].tolist()
    message = bytearray(serialize_message(JointState(name=list(machine.joint_names), position=home)))
    period = round(NANOSECONDS / rate)
    sent: list[int] = []
    worked: list[int] = []
    arrivals: list[tuple[int, int]] = []  # of a command and of the sample that it answers

    def sample() -> int:
        """Publish the next sample when it is due, and take the commands that have come; the time."""
        wait = first + len(sent) * period - time.time_ns()
        if wait > 0:
            time.sleep(wait / NANOSECONDS)
        worked.append(int(os.pread(spent, 40, 0).split()[0]))
        struct.pack_into("<iI", message, STAMP, *divmod(BEGIN + len(sent) * period, NANOSECONDS))
        sent.append(time.time_ns())
        output.publish(bytes(message))
        with commands.handle:
            while (taken := commands.handle.take_message(JointState, True)) is not None:
                second, rest = struct.unpack_from("<iI", taken[0], STAMP)
                arrivals.append((
                    taken[1]["received_timestamp"], round((second * NANOSECONDS + rest - BEGIN) / period)
                ))  # fmt: skip
        return sent[-1]

    def wait_for_planner() -> Any:
        """Samples until the planner says something."""
        end = sample() + MOST_WAIT * NANOSECONDS
        while not planner.poll():
            if sample() > end:
                raise RuntimeError(f"no answer to the goal in {MOST_WAIT:g} s")
        return planner.recv()

    def rest(nanoseconds: float) -> tuple[int, int]:
        """Samples for a while; the times of its begin and end."""
        begin = now = sample()
        while now < begin + nanoseconds:
            now = sample()
        return begin, now

    threads = ThreadPriority()
    threads.rise(priority)
    scheduling = str(threads)
    spent = os.open(f"/proc/{controller}/task/{controller}/schedstat", os.O_RDONLY)
    first = time.time_ns()
    turns: list[tuple[tuple[int, int], tuple[int, int]]] = []
    width, over = NANOSECONDS, time.monotonic() + MOST_WAIT
    try:
        wait_for_planner()
        while len(turns) < FEWEST or time.monotonic() < over:
            rest(REST * NANOSECONDS)
            if not arrivals:
                raise RuntimeError("no command came")
            before = rest(width)
            planner.send("go")
            begin, end, refusal = wait_for_planner()
            if refusal:
                raise RuntimeError(refusal)
            width = end - begin
            if not turns:
                over = time.monotonic() + seconds - 1e-9 * (before[1] - first)
            # the first goal of all: what it loads and fills is not what others do
            turns.append((before, (begin, end)))
            wait_for_planner()  # it has come to rest
        rest(REST * NANOSECONDS)
    finally:
        threads.fall()
        os.close(spent)
        node.destroy_node()
        rclpy.shutdown()
    return Course(
        np.array(sent),
        _answered(len(sent), arrivals),
        np.array(worked),
        np.array(turns[1:], dtype=np.int64),
        scheduling,
    )


def _answered(count: int, arrivals: Sequence[tuple[int, int]]) -> np.ndarray:
    """When each of so many samples was answered, by a command of it or of a later one; 0 for never."""
    answered = np.zeros(count, dtype=np.int64)
    done = 0
    for arrival, k in arrivals:
        if done <= k < count:
            answered[done : k + 1] = arrival
            done = k + 1
    return answered


def told(course: Course, rate: float, waypoints: int) -> str:
    """What came of it, in words.

    Parameters
    ----------
    course : Course
    rate : float
        Hz.
    waypoints : int
        Of each goal.
    """
    known = course.answered > 0
    sent, late = course.sent[known], 1e-6 * (course.answered - course.sent)[known]
    spans = [
        [late[(sent >= begin) & (sent < end)] for begin, end in course.turns[:, kind]] for kind in (0, 1)
    ]
    inside = [np.searchsorted(course.sent, course.turns[:, kind]) for kind in (0, 1)]
    last = len(course.worked) - 1
    worked = [
        float(np.median(np.diff(course.worked[np.minimum(one, last)], axis=1))) * 1e-9 for one in inside
    ]
    took = 1e-9 * np.diff(course.turns[:, 1], axis=1)
    period = 1e3 / rate
    lines = [
        f"{waypoints} waypoints, {rate:g} Hz, {len(took)} goals; a motion began {np.median(took):.2f} s after its goal "
        f"(median; {took.min():.2f} to {took.max():.2f}); scheduling: {course.scheduling}",
        f"{'late, ms':14s} samples   p50    p99    max   largest of a span: p50    max   worked in a span, s",
    ]
    for name, parts, busy in zip(("without a goal", "with a goal"), spans, worked, strict=True):
        everything, largest = np.concatenate(parts), _largest(parts)
        lines.append(
            f"{name:14s} {len(everything):7d} {np.quantile(everything, 0.5):5.2f} {np.quantile(everything, 0.99):6.2f} "
            f"{everything.max():6.2f} {np.median(largest):23.2f} {largest.max():6.2f} {busy:13.2f}"
        )
    rng = np.random.default_rng(1)
    drawn = rng.integers(len(took), size=(DRAWINGS, len(took)))
    for name, difference in (
        ("half of all samples", lambda which: _share(spans, which, 0.5)),
        ("one in a hundred", lambda which: _share(spans, which, 0.99)),
        (
            "the latest of a span",
            lambda which: float(np.subtract(*(np.median(_largest(spans[k])[which]) for k in (1, 0)))),
        ),
    ):
        value = difference(np.arange(len(took)))
        low, high = np.quantile([difference(which) for which in drawn], [0.05, 0.95])
        lines.append(
            f"by the goal, {name}: {value:+.2f} ms ({low:+.2f} to {high:+.2f}), {value / period:+.2f} periods"
        )
    own = [float(np.mean(np.concatenate(parts) > 2.0 * period)) for parts in spans]
    lines.append(
        f"later than two periods: {100 * own[0]:.2f} % of the samples without a goal, {100 * own[1]:.2f} % with one"
    )
    return "\n".join(lines)


def _largest(parts: Sequence[np.ndarray]) -> np.ndarray:
    return np.array([part.max(initial=0.0) for part in parts])


def _share(spans: Sequence[Sequence[np.ndarray]], which: np.ndarray, share: float) -> float:
    """By how much a quantile of the spans with a goal lies above that of those without."""
    without, with_ = (np.quantile(np.concatenate([parts[k] for k in which]), share) for parts in spans)
    return float(with_ - without)


def _send(count: int, driver: Connection) -> None:
    """Send a goal whenever asked to; tell when that was and when its motion began, and when it has come to rest."""
    import rclpy
    from rclpy.action import ActionClient
    from rclpy.signals import SignalHandlerOptions

    from pkm_identification.action import ExecuteTrajectory
    from pkm_identification.ros.node.launcher import end_with_launcher

    end_with_launcher()
    goal = _goal(count, Machine.load("uf"))
    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
    node = rclpy.create_node("planner")
    client = ActionClient(node, ExecuteTrajectory, "execute_trajectory")
    client.wait_for_server()
    driver.send("ready")
    while driver.recv():
        began: list[int] = []
        sent = time.time_ns()
        asked = client.send_goal_async(goal, lambda _, began=began: began.append(time.time_ns()))
        rclpy.spin_until_future_complete(node, asked)
        handle = asked.result()
        if handle is None or not handle.accepted:
            driver.send((sent, 0, "the goal was not accepted"))
            return
        result = handle.get_result_async()
        while not began and not result.done():
            rclpy.spin_once(node, timeout_sec=0.1)
        if not began:
            driver.send((sent, 0, result.result().result.error_string))
            return
        driver.send((sent, began[0], ""))
        handle.cancel_goal_async()
        rclpy.spin_until_future_complete(node, result)
        driver.send("at rest")


def _goal(count: int, machine: Machine) -> Any:
    """So many waypoints of a motion along x that begins where the machine rests."""
    from geometry_msgs.msg import Transform
    from trajectory_msgs.msg import MultiDOFJointTrajectory, MultiDOFJointTrajectoryPoint

    from pkm_identification.action import ExecuteTrajectory
    from pkm_identification.numerics.rotation import build_quaternion_from_matrix

    x, y, z = machine.home_position.tolist()
    turn: Sequence[float] = build_quaternion_from_matrix(machine.home_rotation).tolist()
    points = []
    for k in range(count):
        place = Transform()
        way = SWING * (1.0 - np.cos(RATE * SPACING * k))
        place.translation.x, place.translation.y, place.translation.z = x + float(way), y, z
        place.rotation.x, place.rotation.y, place.rotation.z, place.rotation.w = turn
        point = MultiDOFJointTrajectoryPoint(transforms=[place])
        at = round(NANOSECONDS * (LEAD + SPACING * k))
        point.time_from_start.sec, point.time_from_start.nanosec = divmod(at, NANOSECONDS)
        points.append(point)
    return ExecuteTrajectory.Goal(trajectory=MultiDOFJointTrajectory(points=points))


def _parser() -> argparse.ArgumentParser:
    summary, details = (__doc__ or "").split("\n", 1)
    parser = argparse.ArgumentParser(
        prog=f"python -m benchmarks.{Path(__file__).stem}", description=summary, epilog=details
    )
    parser.add_argument("--waypoints", type=int, default=10_000)
    parser.add_argument(
        "--rate",
        type=float,
        nargs="+",
        default=[1000.0, 250.0],
        help="samples per second (default: 1000 and 250)",
    )
    parser.add_argument(
        "--priority",
        type=int,
        default=50,
        help="real-time priority of controller and drives, where it is permitted; 0: none (default: 50)",
    )
    parser.add_argument("--seconds", type=float, default=50.0, help="of turns at each rate (default: 50)")
    parser.add_argument("--domain", type=int, default=int(os.environ.get("ROS_DOMAIN_ID", "0")))
    return parser


if __name__ == "__main__":
    sys.exit(main())
