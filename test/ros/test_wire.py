# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Messages as bytes: what rclpy writes is read, what we write rclpy reads, and nothing else is taken for a message."""

import numpy as np
import pytest
from geometry_msgs.msg import PoseStamped
from hypothesis import given, settings
from hypothesis import strategies as st
from rclpy.serialization import deserialize_message, serialize_message
from ros.rigs import STATES, STRUTS, platform_message, strut_message
from sensor_msgs.msg import JointState
from std_msgs.msg import Header

from pkm_identification.mechanisms.hexapod.kinematics.tracker import PlatformSample
from pkm_identification.motion import STRUT_NAMES, DriveSample
from pkm_identification.msg import ParameterEstimate, StrutStates
from pkm_identification.numerics.rotation import matrix_from_vector
from pkm_identification.records.interfaces import typestore
from pkm_identification.ros.messages.convert import (
    create_strut_stream,
    platform_sample,
    platform_state,
    strut_sample,
    strut_states,
)
from pkm_identification.ros.messages.wire import StreamType, StreamWriter

FRAMES = st.text(max_size=20).filter(lambda text: "\x00" not in text)
SEEDS = st.integers(0, 2**31)


def strut(seed):
    rng = np.random.default_rng(seed)
    force = rng.normal(size=6) if seed % 2 else None
    length, rate, acceleration = rng.normal(size=(3, 6))
    return DriveSample(float(rng.integers(1, 10**6)) / 64, length, rate, acceleration, force, seed)


def platform(seed):
    rng = np.random.default_rng(seed)
    return PlatformSample(
        time=float(rng.integers(1, 10**6)) / 64,
        position=rng.normal(size=3),
        rotation=matrix_from_vector(rng.normal(size=3)),
        twist=rng.normal(size=6),
        acceleration=rng.normal(size=6),
        force=rng.normal(size=6) if seed % 2 else None,
        segment=seed,
        status=int(rng.integers(3)),
        iterations=int(rng.integers(2**16)),
        residual=float(rng.random()),
        condition=float(rng.random()),
    )


def assert_same(found, expected):
    for name, value in expected._asdict().items():
        if name == "rotation":
            # by way of a quaternion, both times
            np.testing.assert_allclose(found.rotation, value, atol=1e-15)
        else:
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
    message = platform_message(platform(seed), 0.25)
    message.header.frame_id = frame
    sample, delay = platform_sample(STATES, serialize_message(message))
    assert_same(sample, platform(seed))
    assert delay == 0.25


def assert_read_as(message, data):
    # not the bytes themselves: rclpy leaves in the gaps, and behind a message with empty arrays, what was in memory
    assert len(data) <= len(serialize_message(message))
    assert deserialize_message(data, type(message)) == message


@pytest.mark.slow
@given(SEEDS, FRAMES)
@settings(deadline=None)
def test_what_we_write_rclpy_reads(seed, frame):
    message = platform_message(platform(seed), 0.25)
    message.header.frame_id = frame
    writer = StreamWriter(STATES, frame)
    platform_state(writer, platform(seed + 1), 0.5)  # leaves nothing behind
    assert_read_as(message, platform_state(writer, platform(seed), 0.25))
    message = strut_message(strut(seed), 0.25)
    writer = StreamWriter(STRUTS)
    strut_states(writer, strut(seed + 1), 0.5)
    assert_read_as(message, strut_states(writer, strut(seed), 0.25))


def test_a_message_is_read_as_its_bytes_are():
    message = strut_message(strut(3))
    assert_same(strut_sample(STRUTS, message)[0], strut(3))


def test_arrays_are_as_kernels_are_compiled_for():
    filtered, _ = strut_sample(STRUTS, strut_message(strut(3)))
    state, _ = platform_sample(STATES, platform_message(platform(3)))
    for array in (filtered.coordinate, filtered.force, state.position, state.force):
        assert array.flags.aligned
        assert array.flags.writeable
        assert array.flags.c_contiguous


def test_another_byte_order_is_read_too():
    kind, store = "pkm_identification/msg/StrutStates", typestore()
    whole = store.deserialize_cdr(serialize_message(strut_message(strut(3), 0.25)), kind)
    big = bytes(store.serialize_cdr(whole, kind, little_endian=False))
    np.testing.assert_array_equal(deserialize_message(big, StrutStates).coordinate, strut(3).length)
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
    data = bytearray(serialize_message(platform_message(platform(3))))
    data[12:16] = b"\xff\xff\xff\xff"
    with pytest.raises(ValueError, match="no PlatformState"):
        platform_sample(STATES, bytes(data))


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


def test_messages_inside_are_arrays_of_their_numbers():
    assert StreamType(PoseStamped).layout["pose"].shape == (7,)


@pytest.mark.parametrize("kind", [JointState, ParameterEstimate, Header])
def test_only_messages_that_are_a_header_and_numbers_are_streamed(kind):
    with pytest.raises(TypeError):
        StreamType(kind)


def test_an_impossible_time_is_refused():
    with pytest.raises(ValueError, match="does not fit into a stamp"):
        StreamWriter(STATES).message(2.0**31)
