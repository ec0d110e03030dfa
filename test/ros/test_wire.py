# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Messages as bytes: what rclpy writes is read, what we write rclpy reads, and nothing else is taken for a message."""

import numpy as np
import pytest
from geometry_msgs.msg import PoseStamped
from hypothesis import given, settings
from hypothesis import strategies as st
from rclpy.serialization import deserialize_message, serialize_message
from ros.rigs import STRUTS, motion_messages, strut_message
from sensor_msgs.msg import JointState
from std_msgs.msg import Header

from pkm_identification.machines.capabilities import PlatformPose
from pkm_identification.motion import STRUT_NAMES, DriveSample, TrackedSample
from pkm_identification.msg import ParameterEstimate, PlatformState, StrutStates
from pkm_identification.numerics.rotation import matrix_from_vector
from pkm_identification.records.clocks import seconds_of
from pkm_identification.records.interfaces import typestore
from pkm_identification.ros.clock import COARSE, round_to_stamp, stamp_parts
from pkm_identification.ros.messages.convert import (
    create_strut_stream,
    strut_sample,
    strut_states,
)
from pkm_identification.ros.messages.wire import StreamType, StreamWriter
from pkm_identification.ros.node.hand_over import Handed

FRAMES = st.text(max_size=20).filter(lambda text: "\x00" not in text)
SEEDS = st.integers(0, 2**31)


def strut(seed):
    rng = np.random.default_rng(seed)
    force = rng.normal(size=6) if seed % 2 else None
    length, rate, acceleration = rng.normal(size=(3, 6))
    return DriveSample(float(rng.integers(1, 10**6)) / 64, length, rate, acceleration, force, seed)


def tracked(seed, machine="uf"):
    """Any motion of a machine: of a platform a state that has a pose."""
    messages, tracker = motion_messages(machine)
    rng, count = np.random.default_rng(seed), len(messages.machine.drives)
    state = rng.normal(size=tracker.row.size)
    if messages.machine.capabilities & {PlatformPose}:
        state[3:12] = matrix_from_vector(rng.normal(size=3)).ravel()
    force = rng.normal(size=count) if seed % 2 else None
    status, time = int(rng.integers(2)), float(rng.integers(1, 10**6)) / 64
    return TrackedSample(time, *rng.normal(size=(3, count)), force, seed, state, status, float(rng.random()))


def assert_same(found, expected):
    for name, value in expected._asdict().items():
        np.testing.assert_array_equal(getattr(found, name), value, err_msg=name)


@pytest.mark.slow
@given(SEEDS, FRAMES)
@settings(deadline=None)
def test_what_rclpy_writes_is_read(seed, frame):
    message = strut_message(strut(seed), 0.25)
    message.header.frame_id = frame
    sample, delay = strut_sample(STRUTS, serialize_message(message))
    assert_same(sample, strut(seed))
    assert delay == 0.25


def assert_read_as(message, data):
    # not the bytes themselves: rclpy leaves in the gaps, and behind a message with empty arrays, what was in memory
    assert len(data) <= len(serialize_message(message))
    assert deserialize_message(data, type(message)) == message


@pytest.mark.slow
@given(SEEDS, FRAMES)
@settings(deadline=None)
def test_what_we_write_rclpy_reads(seed, frame):
    message = strut_message(strut(seed), 0.25)
    writer = StreamWriter(STRUTS)
    strut_states(writer, strut(seed + 1), 0.5)
    assert_read_as(message, strut_states(writer, strut(seed), 0.25))


def test_a_message_is_read_as_its_bytes_are():
    message = strut_message(strut(3))
    assert_same(strut_sample(STRUTS, message)[0], strut(3))


def test_arrays_are_as_kernels_are_compiled_for():
    filtered, _ = strut_sample(STRUTS, strut_message(strut(3)))
    messages = motion_messages()[0]
    motion, _ = messages.read(messages.write(tracked(3), 0.25))
    for array in (filtered.coordinate, filtered.force, motion.state, motion.force):
        assert array.flags.aligned
        assert array.flags.writeable
        assert array.flags.c_contiguous


def test_another_byte_order_is_read_too():
    kind, store = "pkm_identification/msg/StrutStates", typestore()
    whole = store.deserialize_cdr(serialize_message(strut_message(strut(3), 0.25)), kind)
    big = bytes(store.serialize_cdr(whole, kind, little_endian=False))
    np.testing.assert_array_equal(deserialize_message(big, StrutStates).coordinate, strut(3).coordinate)
    sample, delay = strut_sample(STRUTS, big)
    assert_same(sample, strut(3))
    assert delay == 0.25


@pytest.mark.parametrize("length", [0, 3, 11, 16, 100, 331])
def test_what_was_cut_off_is_refused(length):
    data = bytes(serialize_message(strut_message(strut(3))))
    assert len(data) >= 332  # rclpy may leave something behind it
    with pytest.raises(ValueError, match=f"{length} bytes that are no StrutStates"):
        strut_sample(STRUTS, data[:length])


def test_a_name_longer_than_the_message_is_refused():
    messages = motion_messages()[0]
    data = bytearray(messages.write(tracked(3), 0.25))
    data[12:16] = b"\xff\xff\xff\xff"
    with pytest.raises(ValueError, match="no PlatformState"):
        messages.read(bytes(data))


def test_drives_without_names_are_those_of_the_machine_and_others_are_refused():
    message = strut_message(strut(3))
    message.names = []
    assert_same(strut_sample(STRUTS, message)[0], strut(3))
    message.names = list(STRUT_NAMES[::-1])
    with pytest.raises(ValueError, match=r"StrutStates of \[strut_6, .*expected \[strut_1"):
        strut_sample(STRUTS, message)
    message.names, message.rate = [], [0.0] * 5
    with pytest.raises(ValueError, match="5 numbers in 'rate', expected 6"):
        strut_sample(STRUTS, message)


@pytest.mark.parametrize("count", [1, 2, 3, 7])
def test_any_number_of_drives_of_any_name_is_streamed(count):
    names = [f"q{'x' * i}" for i in range(count)]
    kind = create_strut_stream(names)
    rows = np.random.default_rng(count).normal(size=(4, count))
    sample = DriveSample(2.5, *rows, 7)
    data = strut_states(StreamWriter(kind, "f" * count), sample, 0.25)
    message = deserialize_message(data, StrutStates)
    assert message.names == names
    np.testing.assert_array_equal(message.coordinate, rows[0])
    for one in (data, serialize_message(message)):
        assert_same(strut_sample(kind, one)[0], sample)


@pytest.mark.parametrize("machine", ["uf", "mast", "four-bar"])
@pytest.mark.parametrize("seed", [2, 3])
def test_motion_of_any_machine_comes_back_as_it_went(machine, seed):
    messages, _ = motion_messages(machine)
    messages.write(tracked(seed + 1, machine), 0.5)  # leaves nothing behind
    data = messages.write(tracked(seed, machine), 0.25)
    message = deserialize_message(data, PlatformState)
    assert message.has_pose == (machine == "uf")
    assert message.names == [drive.joint for drive in messages.machine.drives]
    for one in (
        data,
        serialize_message(message),
        Handed(tracked(seed, machine), tracked(seed, machine).time, 0.25),
    ):
        sample, delay = messages.read(one)
        assert_same(sample, tracked(seed, machine))
        assert delay == 0.25


def test_who_measures_poses_sends_them_alone():
    """The struts' motion is that of the pose; a machine that names none wants a state."""
    messages, tracker = motion_messages()
    home = messages.machine.home
    tracker.reset()
    tracker.step(home + 1e-3 * np.arange(6), 1e-2 * np.arange(6), np.ones(6))
    sample = TrackedSample(
        1.0, home + 1e-3 * np.arange(6), 1e-2 * np.arange(6), np.ones(6), None, 3, tracker.row, 0, 0.0
    )
    message = deserialize_message(messages.write(sample, 0.25), PlatformState)
    for name in ("names", "coordinate", "rate", "acceleration", "state"):
        setattr(message, name, [])
    found, _ = messages.read(message)
    for one, own in zip([*found[1:4], found.state], [*sample[1:4], sample.state], strict=True):
        np.testing.assert_allclose(one, own, rtol=0, atol=1e-9)
    message.has_pose = False
    with pytest.raises(ValueError, match="neither state nor pose"):
        messages.read(message)


def test_messages_inside_are_arrays_of_their_numbers():
    assert StreamType(PoseStamped).layout["pose"].shape == (7,)


@pytest.mark.parametrize("kind", [JointState, ParameterEstimate, Header])
def test_only_messages_that_are_a_header_and_numbers_are_streamed(kind):
    with pytest.raises(TypeError):
        StreamType(kind)


def test_an_impossible_time_is_refused():
    with pytest.raises(ValueError, match="into a stamp"):
        StreamWriter(STRUTS).message(2.0**31)


@settings(max_examples=500, deadline=None)
@given(st.floats(0.0, 2.0**31 - 1.0, exclude_max=True) | st.floats(0.5 * COARSE, 2.0 * COARSE))
def test_a_time_that_is_handed_over_is_that_of_a_stamp(time):
    assert round_to_stamp(time) == seconds_of(*stamp_parts(time))
