# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Recordings of ROS 1, written by rosbags: the log is that of the same messages in ROS 2."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from rosbags.rosbag1 import Writer
from rosbags.typesys import Stores, get_typestore

from pkm_identification.errors import LogError
from pkm_identification.motion import DriveLog
from pkm_identification.records.foreign import LogLayout
from pkm_identification.records.log import read_log, write_log

JOINTS = ("leg_a", "leg_b", "leg_c", "leg_d", "leg_e", "leg_f")
JOINT_STATE = "sensor_msgs/msg/JointState"


@pytest.fixture(scope="module")
def truth() -> DriveLog:
    rng = np.random.default_rng(2)
    return DriveLog(100 + np.arange(60) / 250, rng.uniform(0.35, 0.45, (60, 6)), rng.normal(0, 300, (60, 6)))


@pytest.fixture(scope="module", params=["none", "bz2", "lz4"])
def bag(request, tmp_path_factory, truth) -> Path:
    """As robot_state_publisher's neighbours in ROS 1 record it, compressed or not, beside another topic."""
    types = get_typestore(Stores.ROS1_NOETIC)
    path = tmp_path_factory.mktemp("ros1") / "run.bag"
    writer = Writer(path)
    if request.param != "none":
        writer.set_compression(Writer.CompressionFormat[request.param.upper()])
    header, stamp = types.types["std_msgs/msg/Header"], types.types["builtin_interfaces/msg/Time"]
    with writer:
        states = writer.add_connection("/joint_states", JOINT_STATE, typestore=types)
        text = writer.add_connection("/note", "std_msgs/msg/String", typestore=types)
        for row, time in enumerate(truth.time):
            now = round(time * 1e9)
            message = types.types[JOINT_STATE](
                header=header(row, stamp(now // 10**9, now % 10**9), "base"),
                name=[*reversed(JOINTS), "gripper"],
                position=np.append(1e3 * truth.length[row, ::-1], 3.0),
                velocity=np.zeros(0),
                effort=np.append(truth.force[row, ::-1], 0.0),
            )
            writer.write(states, now, types.serialize_ros1(message, JOINT_STATE))
            note = types.types["std_msgs/msg/String"]("x")
            writer.write(text, now, types.serialize_ros1(note, "std_msgs/msg/String"))
    return path


def test_a_bag_of_ros_1_with_foreign_joint_names_in_millimetres(bag, tmp_path, truth):
    layout = LogLayout.of(None, "mm", ",".join(JOINTS), None)
    log = read_log(bag, None, "/joint_states", layout)
    faults = log.faults
    np.testing.assert_array_equal(log.time, np.round(truth.time, 9))
    np.testing.assert_allclose(log.length, truth.length, rtol=1e-14)
    np.testing.assert_array_equal(log.force, truth.force)
    assert faults == {}
    (tmp_path / "RUN.BAG").symlink_to(bag)
    np.testing.assert_array_equal(
        read_log(tmp_path / "RUN.BAG", None, "/joint_states", layout).length, log.length
    )


def test_what_such_a_bag_has_not_is_one_line(bag, tmp_path, truth):
    with pytest.raises(LogError, match=r"no topic has the joints strut_1.*name strut_1 is missing"):
        read_log(bag)
    with pytest.raises(LogError, match="name strut_1 is missing; there are: leg_f"):
        read_log(bag, None, "/joint_states")
    broken = tmp_path / "broken.bag"
    broken.write_bytes(bag.read_bytes()[: bag.stat().st_size // 2])
    with pytest.raises(LogError, match="damaged or truncated recording") as caught:
        read_log(broken, None, "/joint_states")
    assert "\n" not in str(caught.value)
    with pytest.raises(LogError, match="recordings of ROS 1 are read, not written"):
        write_log(tmp_path / "out.bag", truth)
