# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0


"""Bags written before arrays had names are read by the definition that they carry, or by their layout without one."""

import sqlite3
from contextlib import closing

import numpy as np
import pytest
from rosbags.rosbag2 import StoragePlugin, Writer
from rosbags.typesys import Stores, get_types_from_msg, get_typestore

from pkm_identification.records.bags.reader import read_messages
from pkm_identification.records.bags.recovery import recover_bag
from pkm_identification.records.bags.writer import BagWriter
from pkm_identification.records.interfaces import typestore

STORAGES = {"sqlite3": StoragePlugin.SQLITE3, "mcap": StoragePlugin.MCAP}
STRUTS, PLATFORM, CONTROLLER = (
    f"pkm_identification/msg/{kind}State{end}"
    for kind, end in (("Strut", "s"), ("Platform", ""), ("Controller", ""))
)
# as released before
DEFINITIONS = {
    STRUTS: """
std_msgs/Header header     # stamp: the instant the sample describes
float64[6] length          # m
float64[6] rate            # m/s
float64[6] acceleration    # m/s^2
float64[6] force           # N
bool force_valid
uint32 segment
float64 delay              # s
""",
    PLATFORM: """
uint8 OK=0
uint8 DEGRADED=1
uint8 FAILED=2
std_msgs/Header header
geometry_msgs/Pose pose
geometry_msgs/Twist twist
geometry_msgs/Accel accel
float64[6] strut_force
bool force_valid
uint8 status
uint16 iterations
float64 residual
float64 condition
uint32 segment
float64 delay
""",
    CONTROLLER: """
uint8 WAITING=0
uint8 HOLDING=1
uint8 MOVING=2
uint8 EMERGENCY=3
std_msgs/Header header
uint8 state
string mode
uint32 estimates
float64[6] desired_length
float64[6] error
float64[6] feed_forward
float64[6] feedback
float64[6] command
""",
}
TWO = np.arange(6) + 2.0


def old_store():
    store = get_typestore(Stores.ROS2_KILTED)
    for name, text in DEFINITIONS.items():
        store.register(get_types_from_msg(text, name))
    return store


def old_messages(store):
    types = store.types
    header = types["std_msgs/msg/Header"](types["builtin_interfaces/msg/Time"](sec=3, nanosec=4), "base")

    def vector(*numbers):
        return types["geometry_msgs/msg/Vector3"](*numbers)

    pose = types["geometry_msgs/msg/Pose"](
        types["geometry_msgs/msg/Point"](0.1, 0.2, 0.3),
        types["geometry_msgs/msg/Quaternion"](0.0, 0.0, 0.6, 0.8),
    )
    twist = types["geometry_msgs/msg/Twist"](vector(1.0, 2.0, 3.0), vector(4.0, 5.0, 6.0))
    accel = types["geometry_msgs/msg/Accel"](vector(7.0, 8.0, 9.0), vector(1.5, 2.5, 3.5))
    return {
        STRUTS: types[STRUTS](header, TWO, 2 * TWO, 3 * TWO, 4 * TWO, True, 17, 0.028),
        PLATFORM: types[PLATFORM](header, pose, twist, accel, 5 * TWO, True, 1, 7, 1e-9, 3.25, 18, 0.03),
        CONTROLLER: types[CONTROLLER](header, 2, "pid", 5, TWO, -TWO, 2 * TWO, 3 * TWO, 4 * TWO),
    }


def write_old(path, storage, store):
    with Writer(path, version=9, storage_plugin=storage) as writer:
        for name, message in old_messages(store).items():
            connection = writer.add_connection("/" + name.rpartition("/")[2], name, typestore=store)
            writer.write(connection, 1, bytes(store.serialize_cdr(message, name)))


def read_today(path):
    return {one.type: typestore().deserialize_cdr(one.data, one.type) for one in read_messages(path)}


def assert_converted(found):
    assert set(found) == {STRUTS, PLATFORM, CONTROLLER}
    for message in found.values():
        assert (message.header.stamp.sec, message.header.stamp.nanosec) == (3, 4)
        assert message.header.frame_id == "base"
        assert list(message.names) == []
    struts, platform, controller = found[STRUTS], found[PLATFORM], found[CONTROLLER]
    for name, factor in (("coordinate", 1), ("rate", 2), ("acceleration", 3), ("force", 4)):
        np.testing.assert_array_equal(getattr(struts, name), factor * TWO)
    assert (struts.force_valid, struts.segment, struts.delay) == (True, 17, 0.028)
    assert (platform.pose.position.y, platform.pose.orientation.z) == (0.2, 0.6)
    assert (platform.twist.angular.x, platform.accel.linear.z, platform.accel.angular.y) == (4.0, 9.0, 2.5)
    np.testing.assert_array_equal(platform.force, 5 * TWO)
    assert platform.has_pose
    assert platform.force_valid
    assert (platform.status, platform.iterations, platform.residual, platform.condition) == (1, 7, 1e-9, 3.25)
    assert (platform.segment, platform.delay, len(platform.coordinate)) == (18, 0.03, 0)
    np.testing.assert_array_equal(controller.desired_coordinate, TWO)
    np.testing.assert_array_equal(controller.error, -TWO)
    np.testing.assert_array_equal(controller.command, 4 * TWO)
    assert (controller.state, controller.mode, controller.estimates) == (2, "pid", 5)


@pytest.mark.parametrize("storage", STORAGES)
def test_older_messages_are_read_by_their_recorded_definition(tmp_path, storage):
    write_old(tmp_path / "bag", STORAGES[storage], old_store())
    assert_converted(read_today(tmp_path / "bag"))


def test_older_messages_without_definition_are_known_by_their_layout(tmp_path):
    """As ROS 2 Humble records: SQLite without definitions."""
    write_old(tmp_path / "bag", StoragePlugin.SQLITE3, old_store())
    (file,) = (tmp_path / "bag").glob("*.db3")
    with closing(sqlite3.connect(file)) as database:
        database.execute("DELETE FROM message_definitions")
        database.commit()
    assert_converted(read_today(tmp_path / "bag"))


def test_messages_of_today_stay_as_they_are(tmp_path):
    write_old(tmp_path / "old", StoragePlugin.SQLITE3, old_store())
    messages = list(read_messages(tmp_path / "old"))
    with BagWriter(tmp_path / "new") as writer:
        for one in messages:
            writer.write(one.topic, one.type, one.data, one.stamp)
    assert [one.data for one in read_messages(tmp_path / "new")] == [one.data for one in messages]
    (file,) = (tmp_path / "new").glob("*.db3")
    with closing(sqlite3.connect(file)) as database:
        database.execute("DELETE FROM message_definitions")
        database.commit()
    with_names = next(read_messages(tmp_path / "new", ["/ControllerState"]))
    assert typestore().deserialize_cdr(with_names.data, with_names.type).mode == "pid"


def test_what_an_older_recorder_left_behind_is_recovered_in_todays_layout(tmp_path):
    part = tmp_path / "bag.part"
    part.mkdir()
    write_old(part / "bag", StoragePlugin.SQLITE3, old_store())
    assert_converted(read_today(recover_bag(tmp_path / "bag")))
