# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""`python -m benchmarks.at_rest --minutes 30`: a machine that stands still for half an hour, and is loaded meanwhile.

Through the stages as fast as they go, or with --nodes through the nodes over DDS, in real time or --times as fast (of
100 Hz, --rate 100: below it a straggler is too large a part of a second). Static friction holds a
part of gravity, the last digit of a length flickers, each 40th sample comes 50 ms late meanwhile; a payload is put on
in the middle of the rest. Says what was learned at rest, which is nothing: no value, no deviation and no status may
change. The machine then moves on; its payload is to be found, its values as far off as their deviations say.
"""

from __future__ import annotations

import argparse
import contextlib
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from pkm_identification.estimation.identifiability.status import IDENTIFIABLE
from pkm_identification.identification.online.pipeline import OnlinePipeline
from pkm_identification.identification.settings import Settings
from pkm_identification.mechanisms.hexapod.dynamics import strut_forces
from pkm_identification.mechanisms.hexapod.kinematics.inverse import strut_lengths
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.mechanisms.hexapod.parameters.sets import list_hexapod_parameters
from pkm_identification.motion import PlatformMotion
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.simulation.payload import Payload, load_platform
from pkm_identification.simulation.perturbation import perturb_machine
from pkm_identification.simulation.trajectories import Trajectory, trajectory

MOVING, AGAIN = 20.0, 20.0  # s before and after the rest
BRAKING = 0.5  # s in which the motion's own time comes to a stop, or begins again
LATE, EACH = 0.05, 40  # s, and which samples come so late
HELD = np.array([0.5, -0.2, 0.35, -0.45, 0.1, -0.3])  # of Coulomb friction, which static friction holds
PAYLOAD = Payload(2.5, np.array([0.03, -0.02, 0.06]), np.diag([0.012, 0.015, 0.009]))
SETTLED = 2.0  # s after the stop, when the filters have forgotten the motion
FARTHEST = (
    4.0  # deviations that no value may be off; the largest of twenty normal errors is beyond 3.5 once in 100
)
WAITING = 60.0  # s for the last estimate to come over DDS


@dataclass(frozen=True)
class Shown:
    """What an estimator says at one time."""

    count: int
    values: FloatArray
    std: FloatArray
    status: tuple[int | str, ...]


def samples(truth: Machine, rest: float, period: float) -> Iterator[tuple[float, FloatArray, FloatArray]]:
    """Times, lengths and forces as they come: a motion, `rest` s of standing still, the motion with a payload."""
    count = round((MOVING + rest + AGAIN) / period)
    rng = np.random.default_rng(2)
    held = []
    before = (0.0, 1.0)
    rich = trajectory("rich", truth)
    for times in np.array_split(np.arange(count) * period, round(rest)):
        motion, before = _motion(rich, times, before, rest, period)
        carried = MOVING + 0.5 * rest
        force = strut_forces(truth, motion)
        heavy = strut_forces(replace(truth, platform=load_platform(truth.platform, PAYLOAD)), motion)
        force = np.where((times >= carried)[:, None], heavy, force)
        share = np.clip(times - MOVING, 0.0, 1.0) * (times < MOVING + rest)
        force += share[:, None] * HELD * truth.friction.coulomb + rng.standard_normal(force.shape)
        counts = truth.drive.counts_per_meter
        length = strut_lengths(truth, motion.position, motion.rotation)
        length = np.round(length * counts + 0.3 * rng.standard_normal(force.shape)) / counts
        for k, sample in enumerate(zip(times.tolist(), length, force, strict=True)):
            if k % EACH == EACH - 1 and MOVING < sample[0] < MOVING + rest:
                held.append((sample[0] + LATE, sample))
                continue
            while held and held[0][0] <= sample[0]:
                yield held.pop(0)[1]
            yield sample


def _motion(
    path: Trajectory, times: FloatArray, before: tuple[float, float], rest: float, period: float
) -> tuple[PlatformMotion, tuple[float, float]]:
    """The motion at some times, whose own time and its speed were `before` a period earlier; and both at the last."""
    run = np.interp(
        times, [MOVING - BRAKING, MOVING, MOVING + rest, MOVING + rest + BRAKING], [1.0, 0.0, 0.0, 1.0]
    )
    # how fast the motion's own time goes: sines between standing and running
    speed = 0.5 - 0.5 * np.cos(np.pi * run)
    braking = (run > 0.0) & (run < 1.0)
    sign = np.where(times < MOVING + 0.5 * rest, -1.0, 1.0)
    speedup = braking * sign * 0.5 * np.pi / BRAKING * np.sin(np.pi * run)
    mean = 0.5 * (speed + np.concatenate([[before[1]], speed[:-1]]))
    own = before[0] + np.cumsum(mean) * period
    rich = path.motion(own)
    acceleration = rich.acceleration * speed[:, None] ** 2 + rich.twist * speedup[:, None]
    return (
        PlatformMotion(times, rich.position, rich.rotation, rich.twist * speed[:, None], acceleration),
        (float(own[-1]), float(speed[-1])),
    )


class Stages:
    """All stages in this process, as fast as they go."""

    def __init__(self, machine: Machine, period: float) -> None:
        self.pipeline = OnlinePipeline(machine, Settings().resolve(machine, period))
        self.pipeline.warm_up()

    def take(self, time: float, length: FloatArray, force: FloatArray) -> None:
        """One sample of the drives."""
        self.pipeline.step(time, length, force)

    def shown(self) -> Shown:
        """The estimate, and None where there is none yet."""
        estimate = self.pipeline.estimate
        return Shown(estimate.count, estimate.values, estimate.std, estimate.status)

    def payload(self) -> float:
        """Mass in kg that is found on the platform."""
        found = self.pipeline.estimator.payload
        return 0.0 if found is None else found.mass

    def troubles(self) -> list[str]:
        """What the stages complain of."""
        counts = {**self.pipeline.filter_stage.counts, **self.pipeline.estimator.counts}
        return [", ".join(f"{name} {number}" for name, number in counts.items() if number)]


class Nodes:
    """Three nodes as processes of their own, fed over DDS, `times` as fast as the stamps say.

    The stamps of `whole` s end when these are over in real time: none is ahead of the clock.
    """

    def __init__(
        self, machine: Machine, period: float, whole: float, times: float, stack: contextlib.ExitStack
    ) -> None:
        import rclpy
        from sensor_msgs.msg import JointState

        from pkm_identification.ros.processes.monitor import Monitor
        from pkm_identification.ros.processes.node_process import NodeProcess
        from pkm_identification.ros.qos import STREAM

        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="pkm_at_rest_")))
        values = {"machine": machine.name, "sample_rate": 1.0 / period}
        rclpy.init(args=[])
        stack.callback(rclpy.try_shutdown)
        names = ("strut_filter", "kinematics", "estimator")
        for process in [stack.enter_context(NodeProcess(name, values, folder=folder)) for name in names]:
            process.wait_active()
        self.monitor = Monitor()
        node = rclpy.create_node("driver")
        self._output = node.create_publisher(JointState, "strut_states", STREAM)
        self._message = JointState
        while not self._output.get_subscription_count():
            self.monitor.listen(0.1)
        self.monitor.listen(2.0)
        self._begin, self._times = time.time() + 0.5, times
        self._first_stamp = self._begin - whole * (1.0 - 1.0 / times)
        self._over = threading.Event()
        self._listening = threading.Thread(target=self._listen)
        self._listening.start()
        stack.callback(self.close)

    def finish(self) -> None:
        """Wait until the last samples have passed all nodes."""
        from pkm_identification.ros.processes.draining import drain

        self._over.set()
        self._listening.join()
        drain(self.monitor)

    def close(self) -> None:
        """Stop listening."""
        self._over.set()
        self._listening.join()
        self.monitor.close()

    def take(self, at: float, length: FloatArray, force: FloatArray) -> None:
        """One sample of the drives, when its time has come; stragglers at once."""
        wait = self._begin + at / self._times - time.time()
        if wait > 0:
            time.sleep(wait)
        names = [f"strut_{k}" for k in range(1, 7)]
        message = self._message(name=names, position=length.tolist(), effort=force.tolist())
        whole, rest = divmod(round(1e9 * (self._first_stamp + at)), 10**9)
        message.header.stamp.sec, message.header.stamp.nanosec = whole, rest
        self._output.publish(message)

    def shown(self) -> Shown:
        """The newest estimate that came, once there is one."""
        end = time.monotonic() + WAITING
        while self.monitor.estimate is None and time.monotonic() < end:
            time.sleep(0.1)
        message = self.monitor.estimate
        if message is None:
            raise RuntimeError("no estimate came")
        return Shown(message.count, np.array(message.values), np.array(message.std), tuple(message.status))

    def payload(self) -> float:
        """Mass in kg that is found on the platform."""
        return float(self.monitor.value("estimator", "payload_mass") or 0.0)

    def troubles(self) -> list[str]:
        """What was complained of, the last of each task."""
        return [f"{name}: {text}" for name, text in self.monitor.troubles.items()]

    def _listen(self) -> None:
        while not self._over.is_set():
            self.monitor.listen(0.5)


def main() -> int:
    """Run, say, judge."""
    options = _parser().parse_args()
    machine = Machine.load("uf")
    truth = perturb_machine(machine, 1)
    rest, period = 60.0 * options.minutes, 1.0 / options.rate
    whole = MOVING + rest + AGAIN
    # at many times real time the newest estimate comes later than its sample by more of the samples' own time
    settled = SETTLED * max(1.0, options.times)
    looks = [
        MOVING + settled,
        *np.arange(MOVING + settled + 60.0, MOVING + rest, 60.0),
        MOVING + rest - period,
    ]
    seen: list[Shown] = []
    with contextlib.ExitStack() as stack:
        under = (
            Nodes(machine, period, whole, options.times, stack) if options.nodes else Stages(machine, period)
        )
        start, worked = time.perf_counter(), 0.0
        for sample in samples(truth, rest, period):
            while len(seen) < len(looks) and sample[0] > looks[len(seen)]:
                seen.append(under.shown())
                print(
                    f"{looks[len(seen) - 1] - MOVING:7.1f} s at rest: {seen[-1].count} equations, "
                    f"deviations {np.abs(seen[-1].std / seen[0].std - 1.0).max():.1e} from the first, "
                    f"payload {under.payload():.2f} kg",
                    flush=True,
                )
            before = time.thread_time()
            under.take(*sample)
            worked += time.thread_time() - before
        wall = time.perf_counter() - start
        if isinstance(under, Nodes):
            under.finish()
        end, found, troubles = under.shown(), under.payload(), under.troubles()
    print(f"{whole / wall:.1f} times real time", *troubles, sep="\n")
    if not options.nodes:
        print(f"{whole / worked:.1f} times real time in processor time of the stages alone")
    faults = _faults(seen, end, found, list_hexapod_parameters(truth).nominal)
    print(
        "at rest nothing was learned or forgotten; the payload is found" if not faults else "\n".join(faults)
    )
    return int(bool(faults))


def _faults(seen: list[Shown], end: Shown, found: float, true: FloatArray) -> list[str]:
    """What should not be so, a line each."""
    first, faults = seen[0], []
    for k, one in enumerate(seen[1:], 1):
        if one.count != first.count or one.status != first.status:
            faults.append(f"look {k}: {one.count} equations after {first.count}, statuses {one.status}")
        elif not (np.array_equal(one.values, first.values) and np.array_equal(one.std, first.std)):
            faults.append(f"look {k}: values or deviations changed")
    if end.count <= first.count:
        faults.append("nothing was learned after the rest")
    if abs(found - PAYLOAD.mass) > 0.1 * PAYLOAD.mass:
        faults.append(f"a payload of {PAYLOAD.mass:g} kg was put on, {found:.3g} kg was found")
    shown = np.array([one in (0, IDENTIFIABLE) for one in end.status])
    error = np.abs((end.values - true) / end.std)[shown]
    print(
        f"after the rest {end.count} equations, {shown.sum()} parameters shown, "
        f"the farthest {error.max(initial=0.0):.2f} deviations off"
    )
    if not shown.any() or error.max() > FARTHEST:
        faults.append("values are further off than they say, or none is shown")
    return faults


def _parser() -> argparse.ArgumentParser:
    summary, details = (__doc__ or "").split("\n", 1)
    parser = argparse.ArgumentParser(prog="python -m benchmarks.at_rest", description=summary, epilog=details)
    parser.add_argument("--minutes", type=float, default=30.0, help="of rest (default: 30)")
    parser.add_argument("--rate", type=float, default=250.0, help="samples per second (default: 250)")
    parser.add_argument("--nodes", action="store_true", help="through nodes over DDS, in real time")
    parser.add_argument(
        "--times", type=float, default=1.0, help="as fast as real time, with --nodes (default: 1)"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
