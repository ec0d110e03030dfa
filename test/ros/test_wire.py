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
from ros.rigs import platform_message, strut_message
from sensor_msgs.msg import JointState
from std_msgs.msg import Header

from pkm_identification.mechanisms.hexapod.kinematics.tracker import PlatformSample
from pkm_identification.motion import StrutSample
from pkm_identification.msg import ParameterEstimate, PlatformState, StrutStates
from pkm_identification.numerics.rotation import matrix_from_vector
from pkm_identification.ros.messages.convert import (
    PLATFORM_STATE,
    STRUT_STATES,
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
    return StrutSample(float(rng.integers(1, 10**6)) / 64, length, rate, acceleration, force, seed)


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
    sample, delay = strut_sample(serialize_message(message))
    assert_same(sample, strut(seed))
    assert delay == 0.25
    message = platform_message(platform(seed), 0.25)
    message.header.frame_id = frame
    sample, delay = platform_sample(serialize_message(message))
    assert_same(sample, platform(seed))
    assert delay == 0.25


def assert_read_as(message, data):
    # not the bytes themselves: rclpy leaves in the gaps what was in memory before
    assert len(data) == len(serialize_message(message))
    assert deserialize_message(data, type(message)) == message


@pytest.mark.slow
@given(SEEDS, FRAMES)
@settings(deadline=None)
def test_what_we_write_rclpy_reads(seed, frame):
    message = platform_message(platform(seed), 0.25)
    message.header.frame_id = frame
    writer = StreamWriter(PLATFORM_STATE, frame)
    platform_state(writer, platform(seed + 1), 0.5)  # leaves nothing behind
    assert_read_as(message, platform_state(writer, platform(seed), 0.25))
    message = strut_message(strut(seed), 0.25)
    writer = StreamWriter(STRUT_STATES)
    strut_states(writer, strut(seed + 1), 0.5)
    assert_read_as(message, strut_states(writer, strut(seed), 0.25))


def test_a_message_is_read_as_its_bytes_are():
    message = strut_message(strut(3))
    assert_same(strut_sample(message)[0], strut(3))


def test_arrays_are_as_kernels_are_compiled_for():
    filtered, _ = strut_sample(strut_message(strut(3)))
    state, _ = platform_sample(platform_message(platform(3)))
    for array in (filtered.length, filtered.force, state.position, state.force):
        assert array.flags.aligned
        assert array.flags.writeable
        assert array.flags.c_contiguous


def test_another_byte_order_is_read_too():
    little = serialize_message(strut_message(strut(3), 0.25))
    numbers = np.frombuffer(little, STRUT_STATES.layout, 1, len(little) - STRUT_STATES.layout.itemsize)
    big = bytearray(len(little))
    big[:4] = b"\x00\x00\x00\x00"
    big[4:20] = np.frombuffer(little, "<u4", 4, 4).astype(">u4").tobytes()
    big[12:16] = (1).to_bytes(4, "big")
    big[16:] = little[16:20] + numbers.astype(STRUT_STATES.layout.newbyteorder(">")).tobytes()
    message = deserialize_message(bytes(big), StrutStates)
    np.testing.assert_array_equal(message.length, strut(3).length)
    sample, delay = strut_sample(bytes(big))
    assert_same(sample, strut(3))
    assert delay == 0.25


@pytest.mark.parametrize("length", [0, 3, 11, 16, 100, 227])
def test_what_was_cut_off_is_refused(length):
    data = bytes(serialize_message(strut_message(strut(3))))
    assert len(data) == 228
    with pytest.raises(ValueError, match=f"{length} bytes that are no StrutStates"):
        strut_sample(data[:length])


def test_a_name_longer_than_the_message_is_refused():
    data = bytearray(serialize_message(platform_message(platform(3))))
    data[12:16] = b"\xff\xff\xff\xff"
    with pytest.raises(ValueError, match="no PlatformState"):
        platform_sample(bytes(data))


def test_messages_inside_are_arrays_of_their_numbers():
    assert StreamType(PoseStamped).layout["pose"].shape == (7,)


@pytest.mark.parametrize("kind", [JointState, ParameterEstimate, Header])
def test_only_messages_that_are_a_header_and_numbers_are_streamed(kind):
    with pytest.raises(TypeError):
        StreamType(kind)


def test_an_impossible_time_is_refused():
    with pytest.raises(ValueError, match="does not fit into a stamp"):
        StreamWriter(StreamType(PlatformState)).message(2.0**31)
