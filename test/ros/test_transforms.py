# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""TF without tf2_ros: what is sent where tf2_msgs is installed, and silence where it is not."""

from types import SimpleNamespace

import numpy as np
from geometry_msgs.msg import Pose

from pkm_identification.numerics.rotation import matrix_from_vector
from pkm_identification.ros import platform_display
from pkm_identification.ros.clock import stamp_of
from pkm_identification.ros.messages.convert import fill_pose


class Node:
    """The part of a node that the sender uses."""

    def __init__(self):
        self.published = []
        self.topics = []
        self.lines = []

    def publisher(self, _, topic, qos):
        self.topics.append(topic)
        return SimpleNamespace(publish=self.published.append, get_subscription_count=lambda: 1)

    def get_logger(self):
        return SimpleNamespace(info=self.lines.append)


def pose():
    message = Pose()
    fill_pose(message, np.array([0.1, -0.2, 0.3]), matrix_from_vector(np.array([0.1, 0.2, 0.3])))
    return message


def test_the_pose_is_sent_as_a_transform(monkeypatch):
    # stands for tf2_msgs/TFMessage, a list of transforms
    monkeypatch.setattr(
        platform_display, "TFMessage", lambda transforms: SimpleNamespace(transforms=transforms)
    )
    node = Node()
    sender = platform_display.TransformSender(node, "base", "platform")
    sender.send(stamp_of(12.5), pose())
    assert node.topics == ["/tf"]
    (transform,) = node.published[0].transforms
    assert (transform.header.frame_id, transform.child_frame_id) == ("base", "platform")
    assert (transform.header.stamp.sec, transform.header.stamp.nanosec) == (12, 500_000_000)
    place = transform.transform.translation
    assert (place.x, place.y, place.z) == (0.1, -0.2, 0.3)
    assert transform.transform.rotation == pose().orientation


def test_without_tf2_msgs_it_says_so_once_and_sends_nothing(monkeypatch):
    monkeypatch.setattr(platform_display, "TFMessage", None)
    node = Node()
    sender = platform_display.TransformSender(node, "base", "platform")
    sender.send(stamp_of(1.0), pose())
    sender.send(stamp_of(2.0), pose())
    assert node.lines == ["tf2_msgs is not installed: no TF"]
    assert not node.published
    assert not node.topics
