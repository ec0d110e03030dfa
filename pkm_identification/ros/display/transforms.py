# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""TF without tf2_ros: /tf is a topic like any other, where its message type is installed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from builtin_interfaces.msg import Time
from geometry_msgs.msg import Pose, TransformStamped

from ..qos import TF

if TYPE_CHECKING:
    from ..node.pipeline_node import PipelineNode

try:
    from tf2_msgs.msg import TFMessage
except ImportError:
    TFMessage = None


class TransformSender:
    """Sends one transform on /tf; does nothing where tf2_msgs is missing."""

    def __init__(self, node: PipelineNode, frame: str, child: str) -> None:
        self._publisher = None
        if TFMessage is None:
            node.get_logger().info("tf2_msgs is not installed: no TF")
            return
        self._transform = TransformStamped(child_frame_id=child)
        self._transform.header.frame_id = frame
        self._message = TFMessage(transforms=[self._transform])
        self._publisher = node.publisher(TFMessage, "/tf", TF)

    @property
    def heard(self) -> bool:
        """Whether transforms are sent and anyone subscribes to them."""
        return self._publisher is not None and self._publisher.get_subscription_count() > 0

    def send(self, stamp: Time, pose: Pose) -> None:
        """Send a pose (child in frame) as a transform."""
        if self._publisher is None:
            return
        self._transform.header.stamp = stamp
        position, target = pose.position, self._transform.transform.translation
        target.x, target.y, target.z = position.x, position.y, position.z
        self._transform.transform.rotation = pose.orientation
        self._publisher.publish(self._message)
