# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What publishers offer of a topic, as recordings keep it: `ros2 bag play` offers the same again."""

from __future__ import annotations

from rclpy.duration import Duration
from rclpy.node import Node
from rclpy.qos import QoSProfile
from rosbags.interfaces import Qos, QosDurability, QosHistory, QosLiveliness, QosReliability, QosTime


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
