# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Joint states to strut samples: names decide, what is incomplete is refused by name."""

import numpy as np
import pytest
from rclpy.serialization import serialize_message
from ros.ros_bench import joint_state
from sensor_msgs.msg import JointState

from pkm_identification.motion import STRUT_NAMES
from pkm_identification.ros.clock import seconds, set_stamp, stamp_of
from pkm_identification.ros.messages import joint_state as module
from pkm_identification.ros.messages.joint_state import (
    BadJointState,
    JointStateReader,
    fill_joint_state,
)

LENGTH = np.array([0.41, 0.42, 0.43, 0.44, 0.45, 0.46])
FORCE = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])


def test_a_plain_message_is_read_as_it_is():
    reading = JointStateReader(STRUT_NAMES).read(joint_state(12.5, LENGTH, FORCE))
    assert reading.time == 12.5
    np.testing.assert_array_equal(reading.coordinate, LENGTH)
    np.testing.assert_array_equal(reading.force, FORCE)


def test_permuted_and_extra_names_give_the_identical_sample():
    order = [3, 0, 5, 1, 4, 2]
    names = ["arm", *(STRUT_NAMES[i] for i in order), "gripper"]
    message = joint_state(1.0, [9.0, *LENGTH[order], 8.0], [7.0, *FORCE[order], 6.0], names)
    reading = JointStateReader(STRUT_NAMES).read(message)
    np.testing.assert_array_equal(reading.coordinate, LENGTH)
    np.testing.assert_array_equal(reading.force, FORCE)


def test_the_order_is_learnt_anew_when_names_change():
    reader = JointStateReader(STRUT_NAMES)
    reader.read(joint_state(1.0, LENGTH))
    reading = reader.read(joint_state(1.1, LENGTH[::-1], names=STRUT_NAMES[::-1]))
    np.testing.assert_array_equal(reading.coordinate, LENGTH)
    np.testing.assert_array_equal(reader.read(joint_state(1.2, LENGTH)).coordinate, LENGTH)


def test_names_of_another_driver_can_be_given():
    names = [f"leg{i}" for i in range(6)]
    reading = JointStateReader(names).read(joint_state(1.0, LENGTH[::-1], names=names[::-1]))
    np.testing.assert_array_equal(reading.coordinate, LENGTH)


@pytest.mark.parametrize(
    ("names", "length", "force", "reason", "text"),
    [
        (STRUT_NAMES[:5], LENGTH[:5], None, "missing_name", "strut_6"),
        ((*STRUT_NAMES, "strut_2"), [*LENGTH, 0.4], None, "repeated_name", "strut_2"),
        (STRUT_NAMES, LENGTH[:5], None, "unequal_lengths", "5 positions"),
        (STRUT_NAMES, LENGTH, FORCE[:3], "unequal_lengths", "3 efforts"),
        ((), (), None, "missing_name", "strut_1"),
    ],
)
def test_incomplete_messages_are_refused_naming_what_is_wrong(names, length, force, reason, text):
    reader = JointStateReader(STRUT_NAMES)
    reader.read(joint_state(1.0, LENGTH, FORCE))
    with pytest.raises(BadJointState, match=text) as caught:
        reader.read(joint_state(1.0, length, force, names))
    assert caught.value.reason == reason
    np.testing.assert_array_equal(reader.read(joint_state(1.1, LENGTH)).coordinate, LENGTH)


def test_stamp_zero_is_refused():
    with pytest.raises(BadJointState, match="stamp 0"):
        JointStateReader(STRUT_NAMES).read(joint_state(0.0, LENGTH))


@pytest.mark.parametrize(("sec", "nanosec"), [(-5, 0), (2**31 - 1, 4_000_000_000)])
def test_impossible_stamps_are_refused(sec, nanosec):
    message = joint_state(1.0, LENGTH)
    message.header.stamp.sec, message.header.stamp.nanosec = sec, nanosec
    with pytest.raises(BadJointState, match="impossible stamp"):
        JointStateReader(STRUT_NAMES).read(message)


def test_efforts_that_were_never_numbers_count_as_absent():
    reader = JointStateReader(STRUT_NAMES)
    nothing = np.full(6, np.nan)
    assert reader.read(joint_state(1.0, LENGTH, nothing)).force is None
    np.testing.assert_array_equal(reader.read(joint_state(1.1, LENGTH, FORCE)).force, FORCE)
    # now they exist: not a number is a fault for input validation to count
    assert np.isnan(reader.read(joint_state(1.2, LENGTH, nothing)).force).all()


def test_a_reader_wants_different_names():
    with pytest.raises(ValueError, match="different joint names"):
        JointStateReader(["a", "b", "c", "d", "e", "e"])


def test_filling_a_message_is_the_reverse_of_reading_it():
    message = joint_state(1.0, np.zeros(6))
    fill_joint_state(message, 1_700_000_000.123456, LENGTH, FORCE)
    reading = JointStateReader(STRUT_NAMES).read(message)
    assert reading.time == 1_700_000_000.123456
    np.testing.assert_array_equal(reading.coordinate, LENGTH)
    np.testing.assert_array_equal(reading.force, FORCE)


def test_times_survive_stamps_bit_for_bit():
    rng = np.random.default_rng(1)
    for time in [0.0, 0.9999999999, 1e-9, *rng.uniform(0, 2e9, 1000), *rng.uniform(0, 10, 1000).round(9)]:
        assert seconds(stamp_of(time)) == pytest.approx(time, abs=6e-10, rel=0)
        assert seconds(stamp_of(seconds(stamp_of(time)))) == seconds(stamp_of(time))
    for time in rng.uniform(1e9, 2e9, 1000):
        assert seconds(stamp_of(time)) == time


@pytest.mark.parametrize("time", [float("nan"), float("inf"), -(2.0**31), 2.0**31])
def test_times_that_fit_no_stamp_are_refused(time):
    with pytest.raises(ValueError, match="does not fit"):
        stamp_of(time)


@pytest.mark.parametrize("frame", ["", "base", "a_link"])
@pytest.mark.parametrize("velocity", [[], [0.1, 0.2, 0.3]])
@pytest.mark.parametrize("effort", [[], [7.0, 8.0, 9.0]])
@pytest.mark.parametrize("names", [("a", "b", "c"), ("elbow_1", "c", "b", "a")])
def test_bytes_are_read_as_the_message_that_they_are(frame, velocity, effort, names, monkeypatch):
    made = [len(names) - 3 + k for k in range(3)]
    message = JointState(name=list(names), position=[1.5, 2.5, 3.5, 4.5][: len(names)])
    message.header.frame_id = frame
    message.velocity = [*velocity, 0.4][: len(names)] if velocity else []
    message.effort = [*effort, 6.0][: len(names)] if effort else []
    reader, other = JointStateReader(["a", "b", "c"]), JointStateReader(["a", "b", "c"])
    for k, allowed in enumerate((True, False, False), start=1):
        set_stamp(message.header.stamp, 1000.25 + k)
        message.position[made[0]] = 10.0 * k
        data = serialize_message(message)
        with monkeypatch.context() as patched:
            if not allowed:  # the layout was learned from the first
                patched.setattr(module, "deserialize_message", None)
            found = reader.read(data)
        wanted = other.read(message)
        assert found.time == wanted.time == 1000.25 + k
        np.testing.assert_array_equal(found.coordinate, wanted.coordinate)
        assert (found.force is None) == (wanted.force is None) == (not effort)
        if effort:
            np.testing.assert_array_equal(found.force, wanted.force)


def test_bytes_in_another_order_or_cut_short_are_not_taken_for_those_before():
    reader = JointStateReader(STRUT_NAMES)
    data = serialize_message(joint_state(1.0, LENGTH, FORCE))
    reader.read(data)
    turned = serialize_message(joint_state(1.1, LENGTH[::-1], FORCE[::-1], STRUT_NAMES[::-1]))
    np.testing.assert_array_equal(reader.read(turned).force, FORCE)
    np.testing.assert_array_equal(reader.read(data).force, FORCE)
    for bad in (data[:-30], data[:30], b"", bytes(len(data))):
        with pytest.raises(BadJointState):
            reader.read(bad)
    with pytest.raises(BadJointState) as problem:
        reader.read(serialize_message(joint_state(0.0, LENGTH, FORCE)))
    assert problem.value.reason == "zero_stamp"
