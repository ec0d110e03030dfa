# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Nodes with something in front and a listener behind, and what the same stages give without ROS."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from core.machines.exact_logs import rich_motion
from geometry_msgs.msg import PoseStamped
from ros.ros_bench import feed, joint_state
from sensor_msgs.msg import JointState
from visualization_msgs.msg import MarkerArray

from pkm_identification.identification.online.pipeline import OnlinePipeline, build_stream_settings
from pkm_identification.identification.online.tracker_stage import TrackerStage
from pkm_identification.identification.settings import Settings
from pkm_identification.machines.capabilities import PlatformPose, has
from pkm_identification.machines.contract import FAILED, OTHER_MODE
from pkm_identification.machines.load import load_machine
from pkm_identification.mechanisms.hexapod.kinematics.tracker import PlatformSample, split_row
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import STRUT_NAMES, DriveSample
from pkm_identification.msg import ParameterEstimate, PlatformState, StrutStates
from pkm_identification.nodes.estimator import EstimatorNode
from pkm_identification.nodes.kinematics import KinematicsNode
from pkm_identification.nodes.strut_filter import StrutFilterNode
from pkm_identification.ros.clock import seconds, set_stamp
from pkm_identification.ros.messages.convert import create_strut_stream, fill_pose
from pkm_identification.ros.messages.machine_motion import MotionMessages
from pkm_identification.ros.qos import LATCHED, MARKERS, POSE
from pkm_identification.signals.causal import CausalFilter
from pkm_identification.signals.input_validation import InputValidator
from pkm_identification.simulation.simulator import simulate

# Segments are numbered from the first stamp of the node's life, in ms; `Motion` starts at 1000 s.
FIRST_SEGMENT = 1_000_000
STRUTS = create_strut_stream(STRUT_NAMES)
SIMULATED = 4.0  # s


class FilterRig:
    """A strut_filter with a driver in front and a listener behind."""

    def __init__(self, bench, **parameters):
        self.bench = bench
        self.output = bench.collect(StrutStates, "strut_states/filtered")
        self.node = bench.start(StrutFilterNode, **parameters)
        self.driver = bench.publisher(JointState, "strut_states")
        bench.connected("strut_states/filtered")

    def feed(self, messages):
        feed(self.bench, self.driver, messages, lambda: self.node.taken)

    def settle(self, count):
        self.bench.wait(
            lambda: len(self.output) >= count, f"{count} filtered samples, {len(self.output)} came"
        )
        return self.output

    @property
    def counts(self):
        return {**self.node.stage.counts, **self.node.health.counts}


def expected(motion, force=True):
    """What the same stages give without ROS."""
    settings = build_stream_settings(motion.machine, period=1e-3)
    validation, strut_filter = InputValidator(settings.validation), CausalFilter(settings.filter)
    found = []
    for k in range(len(motion.time)):
        stamp = seconds(joint_state(motion.time[k], motion.length[k]).header.stamp)
        for sample in validation.step(stamp, motion.length[k], motion.force[k] if force else None):
            filtered = strut_filter.step(sample)
            if filtered is not None:
                found.append(filtered)
    return found


class Part:
    """Some samples of a motion."""

    def __init__(self, motion, rows):
        self.machine = motion.machine
        self.time, self.length, self.force = motion.time[rows], motion.length[rows], motion.force[rows]


def assert_equal(messages, samples):
    assert len(messages) == len(samples)
    for message, sample in zip(messages, samples):
        np.testing.assert_array_equal(message.coordinate, sample.coordinate)
        np.testing.assert_array_equal(message.rate, sample.rate)
        np.testing.assert_array_equal(message.acceleration, sample.acceleration)
        assert message.force_valid == (sample.force is not None)
        if message.force_valid:
            np.testing.assert_array_equal(message.force, sample.force)
        assert abs(seconds(message.header.stamp) - sample.time) < 1e-9
        assert message.segment == FIRST_SEGMENT + sample.segment


def from_segment(messages, segment, count):
    """The messages of a segment, counted from the first, when there are as many as expected, else None."""
    found = [message for message in messages if message.segment == FIRST_SEGMENT + segment]
    return found if len(found) >= count else None


def strut_samples(motion):
    """The motion's lengths with numerical rates, as the filter gives them."""
    rate = np.gradient(motion.length, 1e-3, axis=0)
    acceleration = np.gradient(rate, 1e-3, axis=0)
    return [
        DriveSample(float(t), x, v, a, f, 3)
        for t, x, v, a, f in zip(motion.time, motion.length, rate, acceleration, motion.force)
    ]


def strut_message(sample, delay=0.028, names=STRUT_NAMES):
    """A filtered strut sample in a message, field by field."""
    message = StrutStates(
        names=list(names),
        force=[0.0] * len(names),
        coordinate=sample.coordinate.tolist(),
        rate=sample.rate.tolist(),
        acceleration=sample.acceleration.tolist(),
    )
    set_stamp(message.header.stamp, sample.time)
    if sample.force is not None:
        message.force, message.force_valid = sample.force.tolist(), True
    message.segment, message.delay = sample.segment, delay
    return message


def strut_messages(samples, names=STRUT_NAMES):
    return [strut_message(sample, names=names) for sample in samples]


@lru_cache(maxsize=8)
def motion_messages(machine="uf"):
    """Messages `platform_state` of a machine, and a tracker of it."""
    one = load_machine(machine)
    tracker = TrackerStage(one).tracker
    return MotionMessages(one, tracker), tracker


class KinematicsRig:
    def __init__(self, bench, **parameters):
        self.bench = bench
        self.states = bench.collect(PlatformState, "platform_state")
        self.poses = bench.collect(PoseStamped, "platform_pose", POSE)
        self.markers = bench.collect(MarkerArray, "markers", MARKERS)
        self.node = bench.start(KinematicsNode, **parameters)
        self.source = bench.publisher(StrutStates, "strut_states/filtered")
        posed = has(self.node.machine, PlatformPose)
        for topic in ("platform_state", "markers", *(["platform_pose"] if posed else [])):
            bench.connected(topic)

    def feed(self, samples):
        names = [drive.joint for drive in self.node.machine.drives]
        feed(self.bench, self.source, strut_messages(samples, names), lambda: len(self.states))


@lru_cache(maxsize=4)
def simulate_rich(machine):
    """Log of a simulated rich motion of any machine."""
    log = simulate(load_machine(machine), "rich", SIMULATED)
    return log.log() if hasattr(log, "log") else log


@lru_cache(maxsize=4)
def simulated(trajectory):
    """Log of a simulated motion of the uf."""
    return simulate(Machine.load("uf"), trajectory, SIMULATED).log()


def add_pose(sample, tracker):
    """Return the last sample of a tracker with the platform's pose; at rest where it has failed."""
    position, rotation, twist, acceleration = split_row(sample.state)
    if sample.status in (FAILED, OTHER_MODE):
        twist, acceleration = np.zeros(6), np.zeros(6)
    one = tracker.platform
    return PlatformSample(
        sample.time, position, rotation, twist, acceleration, sample.force, sample.segment, min(sample.status, FAILED),
        one.iterations, one.residual, one.condition, one.message, one.jumped,
    )  # fmt: skip


@lru_cache(maxsize=4)
def platform_samples(trajectory="rich"):
    """Platform samples of a simulated motion, as the stages before the estimator give them, from 100 s on."""
    log = simulated(trajectory)
    pipeline = OnlinePipeline(Machine.load("uf"))
    found = []
    for time, length, force in zip(log.time, log.length, log.force):
        for filtered in pipeline.filter_stage.step(time + 100.0, length, force):
            found.append(add_pose(pipeline.tracker_stage.step(filtered), pipeline.tracker_stage.tracker))
    return found


def platform_message(sample, delay=0.028):
    """A platform sample in a message, field by field."""
    message = PlatformState(
        names=list(STRUT_NAMES),
        force=[0.0] * 6,
        has_pose=True,
        status=sample.status,
        iterations=sample.iterations,
        segment=sample.segment,
    )
    set_stamp(message.header.stamp, sample.time)
    fill_pose(message.pose, sample.position, sample.rotation)
    for motion, six in ((message.twist, sample.twist), (message.accel, sample.acceleration)):
        for part, three in ((motion.linear, six[:3]), (motion.angular, six[3:])):
            part.x, part.y, part.z = three.tolist()
    if sample.force is not None:
        message.force, message.force_valid = sample.force.tolist(), True
    message.residual, message.condition, message.delay = sample.residual, sample.condition, delay
    return message


def platform_messages(samples):
    return [platform_message(sample) for sample in samples]


def tracked_samples(samples):
    """The tracked samples that the estimator node reads in the messages of platform samples."""
    messages, _ = motion_messages()
    return [messages.read(message)[0] for message in platform_messages(samples)]


def build_pipeline(machine):
    """The stages of a machine's nodes at 1 kHz, in one process."""
    one = load_machine(machine)
    return OnlinePipeline(one, build_stream_settings(one, Settings.of(causal=True), 1e-3))


@lru_cache(maxsize=4)
def motion_samples(machine):
    """Tracked samples of a simulated rich motion of any machine, as the stages before the estimator give them."""
    log = simulate_rich(machine)
    pipeline = build_pipeline(machine)
    found = []
    for time, length, force in zip(log.time, log.length, log.force, strict=True):
        for filtered in pipeline.filter_stage.step(time + 100.0, length, force):
            found.append(pipeline.tracker_stage.step(filtered))
    return found


class EstimatorRig:
    """An estimator of a machine behind who publishes its motion."""

    def __init__(self, bench, machine="uf", **parameters):
        self.bench, self.machine = bench, machine
        self.estimates = bench.collect(ParameterEstimate, "parameter_estimate", LATCHED)
        self.node = bench.start(EstimatorNode, machine=machine, **parameters)
        self.source = bench.publisher(PlatformState, "platform_state")
        bench.connected("parameter_estimate")

    def samples(self):
        """Samples of a rich motion, which `feed` takes; of the uf with a pose, written field by field."""
        return platform_samples() if self.machine == "uf" else motion_samples(self.machine)

    def feed(self, samples):
        if self.machine == "uf":
            messages = platform_messages(samples)
        else:
            writer, _ = motion_messages(self.machine)
            messages = [writer.write(sample, 0.028) for sample in samples]
        feed(self.bench, self.source, messages, lambda: self.node.taken)

    def learn(self, samples):
        """Return the estimate of the samples without ROS."""
        pipeline = build_pipeline(self.machine)
        for sample in tracked_samples(samples) if self.machine == "uf" else samples:
            pipeline.estimator.step(sample)
        return pipeline.estimator.estimate


class ChainRig:
    """strut_filter, kinematics and estimator behind a driver."""

    def __init__(
        self,
        bench,
        use_sim_time=False,
        sample_rate=0.0,
        machine="uf",
        topic="strut_states",
        shown=None,
        **estimator,
    ):
        """Begin with parameters of the estimator, and with those of what kinematics shows, in `shown`."""
        self.bench, self.machine = bench, machine
        estimator |= {"sample_rate": sample_rate, "machine": machine}
        remapped = ["--ros-args", "-r", f"strut_states:={topic}"]
        self.states = bench.collect(PlatformState, "platform_state")
        self.estimates = bench.collect(ParameterEstimate, "parameter_estimate", LATCHED)
        self.filter = bench.start(
            StrutFilterNode,
            cli_args=remapped,
            use_sim_time=use_sim_time,
            machine=machine,
            sample_rate=sample_rate,
        )
        self.kinematics = bench.start(
            KinematicsNode, machine=machine, use_sim_time=use_sim_time, **(shown or {})
        )
        self.estimator = bench.start(EstimatorNode, use_sim_time=use_sim_time, **estimator)
        self.driver = bench.publisher(JointState, topic)
        bench.connected("strut_states/filtered")
        bench.connected("platform_state", subscribers=2)
        bench.connected("parameter_estimate")

    def rich(self):
        """Joint states of four seconds of a simulated rich motion, from 100 s on."""
        log = simulate_rich(self.machine)
        names = list_joint_names(self.machine)
        rows = zip(log.time, log.length, log.force, strict=True)
        return [joint_state(t + 100.0, x, f, names) for t, x, f in rows]

    def feed(self, messages):
        """Publish no faster than all three nodes take; returns when the last has gone through."""
        for start in range(0, len(messages), 100):
            part = messages[start : start + 100]
            goal = self.filter.taken + len(part)
            for message in part:
                self.driver.publish(message)
            self.bench.wait(lambda goal=goal: self.filter.taken >= goal, "strut_filter to take the samples")
            self.bench.wait(self._drained, "kinematics and estimator to take the samples")

    def _drained(self):
        return len(self.states) >= self.estimator.taken >= self.kinematics.taken >= self.filter.passed


class StreamRig(ChainRig):
    """The same behind a driver of 250 Hz, fast: for faults that take seconds of a motion to show."""

    RATE = 250.0

    def __init__(self, bench, sample_rate=RATE, **estimator):
        super().__init__(bench, sample_rate=sample_rate, **estimator)
        self.statuses = bench.diagnostics()

    def _drained(self):
        return self.estimator.taken >= self.kinematics.taken >= self.filter.passed

    def motion(self, begin, seconds, change=lambda time, length, force: None):
        """Joint states of a rich motion from a stamp on; `change` may alter lengths and forces in place."""
        return rich_messages(self.machine, begin, seconds, change=change)


def rich_messages(machine, begin, seconds, rate=StreamRig.RATE, change=lambda time, length, force: None):
    """Joint states of a rich motion from a stamp on; `change` may alter coordinates and forces in place."""
    time, length, force = motion_of(machine, seconds, rate)
    length, force = length.copy(), force.copy()
    change(time, length, force)
    names = list_joint_names(machine)
    return [joint_state(begin + t, x, f, names) for t, x, f in zip(time, length, force, strict=True)]


def list_joint_names(machine):
    """What drivers call the drives of a machine."""
    return [drive.joint for drive in load_machine(machine).drives]


@lru_cache(maxsize=8)
def motion_of(name, seconds, rate):
    """Times, coordinates and forces of a rich motion of a machine."""
    return rich_motion(load_machine(name), seconds, rate)


def status_with(bench, statuses, *texts, **values):
    """The first status of the diagnostics that says all this and has these values, waited for.

    Diagnostics are sent once a second, and may be in the middle of what is fed: a count is then not yet the last one.
    """
    return bench.wait(
        lambda: next(
            (
                s
                for a in statuses
                for s in a.status
                if all(t in s.message for t in texts) and values.items() <= values_of(s).items()
            ),
            None,
        ),
        f"{' and '.join(map(repr, texts))} in the diagnostics, {values}",
    )


def values_of(status):
    """The numbers of a status by name, as text."""
    return {entry.key: entry.value for entry in status.values}
