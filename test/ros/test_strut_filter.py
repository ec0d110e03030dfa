"""strut_filter with faults in its input: what is dropped is counted by reason, what goes out is never harmed."""

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticStatus
from ros_bench import Motion, feed, joint_state
from sensor_msgs.msg import JointState

from pkm_identification.msg import StrutStates
from pkm_identification.nodes.strut_filter import StrutFilterNode
from pkm_identification.records.joint_state import STRUT_NAMES
from pkm_identification.ros.clock import seconds
from pkm_identification.signals.causal import CausalStrutFilter, FilterSettings
from pkm_identification.signals.guard import GuardSettings, StreamGuard


class Rig:
    """A strut_filter with a driver in front and a listener behind."""

    def __init__(self, bench, **parameters):
        self.bench = bench
        self.output = bench.collect(StrutStates, "strut_states/filtered")
        self.node = bench.start(StrutFilterNode, **parameters)
        self.driver = bench.publisher(JointState, "strut_states")
        bench.connected("strut_states/filtered")
        self.seen = 0
        take = self.node.take

        def counted(message):
            self.seen += 1
            take(message)

        # bound late: the subscription looks `take` up through this instance
        self.node.take = counted
        self.node.trigger_deactivate()
        self.node.trigger_activate()
        bench.wait(lambda: self.driver.get_subscription_count() == 1, "one subscriber again")

    def feed(self, messages):
        feed(self.bench, self.driver, messages, lambda: self.seen)

    def settle(self, count):
        self.bench.wait(
            lambda: len(self.output) >= count, f"{count} filtered samples, {len(self.output)} came"
        )
        return self.output

    @property
    def counts(self):
        return {**self.node.guard.counts, **self.node.health.counts}


@pytest.fixture
def rig(bench):
    return Rig(bench)


def expected(motion, force=True, machine=None):
    """What the same stages give without ROS."""
    guard = StreamGuard(GuardSettings.of(motion.machine))
    strut_filter = CausalStrutFilter(FilterSettings(guard.settings.period))
    found = []
    for k in range(len(motion.time)):
        stamp = seconds(joint_state(motion.time[k], motion.length[k]).header.stamp)
        for sample in guard.step(stamp, motion.length[k], motion.force[k] if force else None):
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
        np.testing.assert_array_equal(message.length, sample.length)
        np.testing.assert_array_equal(message.rate, sample.rate)
        np.testing.assert_array_equal(message.acceleration, sample.acceleration)
        assert message.force_valid == (sample.force is not None)
        if message.force_valid:
            np.testing.assert_array_equal(message.force, sample.force)
        assert abs(seconds(message.header.stamp) - sample.time) < 1e-9
        assert message.segment == sample.segment


def from_segment(messages, segment, count):
    """The messages of a segment when there are as many as expected, else None."""
    found = [message for message in messages if message.segment == segment]
    return found if len(found) >= count else None


def test_the_node_gives_exactly_what_the_stages_give(rig):
    motion = Motion(300)
    samples = expected(motion)
    rig.feed(motion.messages())
    assert_equal(rig.settle(len(samples)), samples)
    assert rig.output[0].delay == rig.node.filter.delay
    # the stamp is that of the instant described
    assert seconds(rig.output[0].header.stamp) == pytest.approx(
        motion.time[0] + rig.node.filter.delay, abs=1e-9
    )


def test_permuted_and_extra_names_change_nothing(rig):
    motion = Motion(200)
    samples = expected(motion)
    order = [5, 2, 0, 4, 1, 3]
    names = [*(STRUT_NAMES[i] for i in order), "other"]
    messages = [
        joint_state(t, [*x[order], 0.0], [*f[order], 0.0], names)
        for t, x, f in zip(motion.time, motion.length, motion.force)
    ]
    rig.feed(messages[:100] + motion.messages()[100:])
    assert_equal(rig.settle(len(samples)), samples)


def test_nan_and_infinite_samples_are_dropped_and_counted(rig):
    motion = Motion(300)
    messages = motion.messages()
    messages[150].position[2] = float("nan")
    messages[180].effort[4] = float("inf")
    rig.feed(messages)
    rig.settle(len(expected(motion)))
    assert rig.counts["not_finite"] == 2
    assert rig.counts["filled"] == 2
    for message in rig.output:
        numbers = [message.length, message.rate, message.acceleration, message.force]
        assert np.isfinite(numbers).all()


@pytest.mark.parametrize(
    ("break_it", "reason", "text"),
    [
        (lambda m: (m.name.pop(), m.position.pop(), m.effort.pop()), "missing_name", "strut_6"),
        (lambda m: m.name.__setitem__(3, "strut_1"), "missing_name", "strut_4"),
        (lambda m: m.position.pop(), "unequal_lengths", "5 positions"),
    ],
    ids=["missing", "twice", "unequal lengths"],
)
def test_a_wrong_name_list_is_an_error_naming_it_and_never_taken_by_place(bench, rig, break_it, reason, text):
    statuses = bench.diagnostics()
    motion = Motion(100)
    messages = motion.messages()
    break_it(messages[50])
    rig.feed(messages)
    rig.settle(len(expected(motion)))
    assert rig.counts[reason] == 1
    assert rig.counts["filled"] == 1
    status = bench.wait(
        lambda: next((s for a in statuses for s in a.status if text in s.message), None),
        f"'{text}' in diagnostics",
    )
    assert status.level == DiagnosticStatus.ERROR


def test_a_duplicate_stamp_is_dropped(rig):
    motion = Motion(200)
    messages = motion.messages()
    rig.feed(messages[:100] + messages[99:])
    assert_equal(rig.settle(len(expected(motion))), expected(motion))
    assert rig.counts["duplicate"] == 1


def test_a_late_sample_is_dropped(rig):
    motion = Motion(200)
    messages = motion.messages()
    rig.feed([*messages[:100], messages[80], *messages[100:]])
    assert_equal(rig.settle(len(expected(motion))), expected(motion))
    assert rig.counts["late"] == 1


def test_a_gap_starts_a_new_segment_with_nothing_derived_across_it(rig):
    motion = Motion(400)
    messages = motion.messages()
    rig.feed(messages[:150] + messages[250:])
    width = len(motion.time) - len(expected(motion))
    rig.settle(300 - 2 * width)
    assert rig.counts["gap"] == 1
    segments = [message.segment for message in rig.output]
    assert segments == sorted(segments)
    assert set(segments) == {0, 1}
    stamps = np.array([seconds(message.header.stamp) for message in rig.output])
    inside = (stamps > motion.time[149]) & (stamps < motion.time[250])
    assert not inside.any()


def test_a_clock_jump_back_resets_once_and_says_so_once(bench, rig):
    statuses = bench.diagnostics()
    motion = Motion(800)
    rig.feed(motion.messages())
    samples = expected(motion)
    rig.settle(len(samples))
    rig.feed(motion.messages())  # the bag loops
    again = bench.wait(lambda: from_segment(rig.output, 1, len(samples)), "samples after the jump")
    assert len(rig.output) == 2 * len(samples)
    assert rig.node.guard.counts["clock_jump"] == 1
    assert rig.node.health.counts["clock_jump"] == 1
    for message in again:
        message.segment = 0
    assert_equal(again, samples)
    status = bench.wait(
        lambda: next((s for a in statuses for s in a.status if "jumped back" in s.message), None), "a warning"
    )
    assert status.level == DiagnosticStatus.WARN


def test_without_efforts_the_motion_still_comes_and_a_warning(bench, rig):
    statuses = bench.diagnostics()
    motion = Motion(200)
    rig.feed([joint_state(t, x) for t, x in zip(motion.time, motion.length)])
    assert_equal(rig.settle(len(expected(motion, force=False))), expected(motion, force=False))
    assert not rig.output[-1].force_valid
    bench.wait(lambda: any("no efforts" in s.message for a in statuses for s in a.status), "the warning")


def test_efforts_that_come_later_are_not_mixed_with_their_absence(rig):
    motion = Motion(300)
    messages = motion.messages()
    for message in messages[:150]:
        message.effort = []
    rig.feed(messages)
    samples = [*expected(Part(motion, slice(150)), force=False), *expected(Part(motion, slice(150, None)))]
    assert_equal(rig.settle(len(samples)), samples)


def test_a_length_in_millimetres_is_an_error_with_a_hint(bench, rig):
    statuses = bench.diagnostics()
    motion = Motion(20)
    rig.feed([joint_state(t, 1000 * x, f) for t, x, f in zip(motion.time, motion.length, motion.force)])
    status = bench.wait(
        lambda: next((s for a in statuses for s in a.status if "mm" in s.message), None), "the hint"
    )
    assert status.level == DiagnosticStatus.ERROR
    assert rig.counts["out_of_limits"] == 20
    assert not rig.output


def test_a_spike_is_dropped(rig):
    motion = Motion(200)
    messages = motion.messages()
    messages[120].position[1] += 0.05
    rig.feed(messages)
    rig.settle(len(expected(motion)))
    assert rig.counts["spike"] == 1
    assert np.abs([message.rate for message in rig.output]).max() < 1.0


def at_rate(motion, rate):
    time = motion.time[0] + np.arange(len(motion.time)) / rate
    return [joint_state(t, x, f) for t, x, f in zip(time, motion.length, motion.force)]


def test_a_rate_off_by_a_tenth_is_a_warning(bench, rig):
    statuses = bench.diagnostics()
    motion = Motion(600)
    rig.feed(at_rate(motion, 900.0))
    status = bench.wait(
        lambda: next((s for a in statuses for s in a.status if "expected 1000 Hz" in s.message), None),
        "a warning",
    )
    assert status.level == DiagnosticStatus.WARN
    assert "900" in status.message
    assert rig.output


def test_a_rate_off_by_a_third_is_an_error_and_nothing_is_passed_on(bench, rig):
    statuses = bench.diagnostics()
    motion = Motion(600)
    rig.feed(at_rate(motion, 1500.0))
    status = bench.wait(
        lambda: next((s for a in statuses for s in a.status if "expected 1000 Hz" in s.message), None),
        "an error",
    )
    assert status.level == DiagnosticStatus.ERROR
    # a quarter of a second is what it takes to know the rate
    passed = [seconds(message.header.stamp) - motion.time[0] for message in rig.output]
    assert max(passed) < 0.25
    assert rig.counts["wrong_rate"] > 100


def test_stamp_zero_is_an_error(bench, rig):
    statuses = bench.diagnostics()
    rig.feed([joint_state(0.0, Motion(1).length[0])])
    bench.wait(lambda: any("stamp 0" in s.message for a in statuses for s in a.status), "the error")
    assert rig.counts["zero_stamp"] == 1


def test_reset_while_streaming_answers_and_then_equals_a_fresh_node(bench, rig):
    motion = Motion(600)
    messages = motion.messages()
    rig.feed(messages[:300])
    assert bench.trigger("/strut_filter/reset").success
    rig.feed(messages[300:])
    samples = expected(Part(motion, slice(300, None)))
    after = bench.wait(lambda: from_segment(rig.output, 1, len(samples)), "samples after the reset")
    for message in after:
        message.segment = 0
    assert_equal(after, samples)


def test_two_publishers_are_pointed_out_by_name(bench, rig):
    statuses = bench.diagnostics()
    other = bench.node.create_publisher(JointState, "strut_states", 10)
    rig.feed(Motion(50).messages())
    bench.wait(
        lambda: any(
            "2 publishers on 'strut_states': /bench, /bench" in s.message for a in statuses for s in a.status
        ),
        "the warning",
    )
    bench.node.destroy_publisher(other)


def test_silence_is_a_warning(bench, rig):
    statuses = bench.diagnostics()
    bench.wait(lambda: any("no samples" in s.message for a in statuses for s in a.status), "the warning")


def test_life_cycle_transitions_silence_and_revive_the_node(bench, rig):
    motion = Motion(200)
    rig.node.trigger_deactivate()
    bench.wait(lambda: rig.driver.get_subscription_count() == 0, "no subscriber while inactive")
    rig.node.trigger_cleanup()
    rig.node.trigger_configure()
    rig.node.trigger_activate()
    bench.wait(lambda: rig.driver.get_subscription_count() == 1, "the subscriber again")
    bench.connected("strut_states/filtered")
    rig.feed(motion.messages())
    assert_equal(rig.settle(len(expected(motion))), expected(motion))


@pytest.mark.parametrize(
    ("parameters", "text"),
    [
        ({"machine": "nosuch"}, "machine 'nosuch': not a built-in machine"),
        ({"cutoff": 600.0}, "cutoff is 600.0 Hz, must lie between 0 and 500.0 Hz"),
        ({"joint_names": ["a", "b"]}, "6 different joint names"),
    ],
)
def test_configuration_refuses_what_cannot_work_with_one_line(bench, parameters, text):
    with pytest.raises(Exception, match=text.replace("(", r"\(")) as caught:
        bench.start(StrutFilterNode, **parameters)
    assert "\n" not in str(caught.value)
