# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Message classes by the names that bags and the ROS graph use, and what publishers offer of a topic."""

from __future__ import annotations

import re
from importlib import import_module

from rclpy.duration import Duration
from rclpy.node import Node
from rclpy.qos import QoSProfile
from rosbags.interfaces import Qos, QosDurability, QosHistory, QosLiveliness, QosReliability, QosTime

from pkm_identification.errors import LogError

_NAME = re.compile(r"^([a-z][a-z0-9_]*)(?:/msg)?/([A-Z][A-Za-z0-9]*)$")


def message_class(name: str) -> type:
    """Class of a message type such as `sensor_msgs/msg/JointState`.

    Raises
    ------
    LogError
        If the name is no message type or its package is not installed.
    """
    match = _NAME.match(name)
    if match is None:
        raise LogError(f"'{name}' is not the name of a message type")
    package, message = match.groups()
    try:
        return getattr(import_module(f"{package}.msg"), message)
    except (ImportError, AttributeError):
        raise LogError(f"message type '{name}' is not installed") from None


def type_name(message_type: type) -> str:
    """Name of a message class as bags write it."""
    return f"{message_type.__module__.partition('.')[0]}/msg/{message_type.__name__}"


def offered_qos(node: Node, topic: str) -> list[Qos]:
    """Profiles of the publishers a node knows of a topic, each once; DDS tells neither history nor depth."""
    profiles = (recorded_qos(one.qos_profile) for one in node.get_publishers_info_by_topic(topic))
    return list(dict.fromkeys(profiles))


def recorded_qos(profile: QoSProfile) -> Qos:
    """Return a profile of rclpy as rosbag2's metadata has it; the numbers of its policies are those of rmw."""
    return Qos(
        QosHistory(int(profile.history)),
        profile.depth,
        QosReliability(int(profile.reliability)),
        QosDurability(int(profile.durability)),
        _format_time(profile.deadline),
        _format_time(profile.lifespan),
        QosLiveliness(int(profile.liveliness)),
        _format_time(profile.liveliness_lease_duration),
        profile.avoid_ros_namespace_conventions,
    )


def _format_time(duration: Duration) -> QosTime:
    return QosTime(*divmod(duration.nanoseconds, 10**9))
