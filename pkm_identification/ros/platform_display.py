# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""A machine for people and their programs: pose and TF of its platform, joints of the tree, markers.

TF goes without tf2_ros: /tf is a topic like any other, where its message type is installed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from builtin_interfaces.msg import Time
from geometry_msgs.msg import Point, Pose, PoseStamped, TransformStamped
from sensor_msgs.msg import JointState
from visualization_msgs.msg import Marker, MarkerArray

from pkm_identification.exporting.display import DisplayTree, create_tree
from pkm_identification.machines.capabilities import PlatformPose, has
from pkm_identification.machines.contract import DEGRADED, Machine
from pkm_identification.machines.outline import create_outline
from pkm_identification.motion import TrackedSample
from pkm_identification.numerics.arrays import FloatArray

from .clock import stamp_of
from .messages.convert import fill_pose
from .messages.machine_motion import MotionMessages
from .parameters.declarations import LiveParameter, ParameterSpec
from .qos import JOINTS, MARKERS, POSE, TF
from .throttle import Throttle

try:
    from tf2_msgs.msg import TFMessage
except ImportError:
    TFMessage = None

if TYPE_CHECKING:
    from .node.pipeline_node import PipelineNode

# Widths as parts of the machine's size, and colours.
WIDTHS = {"base": 0.015, "drives": 0.03, "bodies": 0.015}
COLOURS = {"base": (0.45, 0.45, 0.50), "drives": (0.85, 0.55, 0.15), "bodies": (0.20, 0.50, 0.80)}
ALERT = (0.85, 0.15, 0.15)


class MachineMarkers:
    """Keeps one marker array and moves its points: lines of the ground, of drives between their ends, of bodies.

    Parameters
    ----------
    machine : Machine
    frame : str
        Name of the base's or ground's frame.
    """

    def __init__(self, machine: Machine, frame: str) -> None:
        outline = self._outline = create_outline(machine)
        moving = ~(outline.fixed | outline.driven)
        self._parts = [
            (_build_marker(name, number, frame, machine.size), chosen)
            for number, (name, chosen) in enumerate(
                (("base", outline.fixed), ("drives", outline.driven), ("bodies", moving))
            )
            if np.any(chosen)
        ]
        self.message = MarkerArray(markers=[marker for marker, _ in self._parts])

    def place(self, stamp: Time, state: FloatArray, alert: bool) -> MarkerArray:
        """Return the array for a state (S,); `alert` colours the bodies."""
        lines = self._outline.place(state)
        for marker, chosen in self._parts:
            marker.points = [_point(end) for end in lines[chosen].reshape(-1, 3)]
            marker.header.stamp = stamp
            if marker.ns == "bodies":
                _paint(marker, ALERT if alert else COLOURS["bodies"])
        return self.message


def _build_marker(name: str, number: int, frame: str, size: float) -> Marker:
    marker = Marker(ns=name, id=number, type=Marker.LINE_LIST, action=Marker.ADD)
    marker.header.frame_id = frame
    marker.scale.x = WIDTHS[name] * size
    marker.pose.orientation.w = 1.0
    _paint(marker, COLOURS[name])
    return marker


def _paint(marker: Marker, colour: tuple[float, float, float]) -> None:
    marker.color.r, marker.color.g, marker.color.b = colour
    marker.color.a = 1.0


def _point(position: FloatArray) -> Point:
    x, y, z = position.tolist()
    return Point(x=x, y=y, z=z)


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


DISPLAY_PARAMETERS = (
    ParameterSpec("base_frame", "base", "frame the pose is given in"),
    ParameterSpec("platform_frame", "platform", "frame of the platform"),
    LiveParameter("pose_rate", 100.0, "rate of platform_pose, TF and joint_states", "Hz", 0.1, 1e4),
    LiveParameter("marker_rate", 20.0, "rate of markers; 0 for none", "Hz", 0, 1e3),
    ParameterSpec("publish_tf", True, "send TF base to platform where tf2_msgs is installed"),
    ParameterSpec(
        "publish_joint_states",
        False,
        "joint_states of the tree that view.launch.py gives a robot_state_publisher, loops open; set publish_tf to "
        "false then, and keep it off where the driver's own joint_states are",
    ),
)  # fmt: skip


class PlatformDisplay:
    """Publishes `platform_pose`, TF, `joint_states` and `markers` of some of the samples it is shown.

    Parameters
    ----------
    node : PipelineNode
    machine : Machine
    messages : MotionMessages
        Of the machine.
    values : mapping
        Of `DISPLAY_PARAMETERS`.
    """

    def __init__(
        self, node: PipelineNode, machine: Machine, messages: MotionMessages, values: Mapping[str, Any]
    ) -> None:
        frame, child = values["base_frame"], values["platform_frame"]
        self._messages, self._posed = messages, has(machine, PlatformPose)
        self.transforms: TransformSender | None = None
        if self._posed:
            self._pose = PoseStamped()
            self._pose.header.frame_id = frame
            self._poses = node.publisher(PoseStamped, "platform_pose", POSE)
            if values["publish_tf"]:
                self.transforms = TransformSender(node, frame, child)
        self._tree: DisplayTree | None = None
        if values["publish_joint_states"]:
            self._tree = create_tree(machine, "parameter 'publish_joint_states'")
            self._joints = JointState(name=list(self._tree.names))
            self._joint_states = node.publisher(JointState, "joint_states", JOINTS)
        self._markers = MachineMarkers(machine, frame)
        self._marker_arrays = node.publisher(MarkerArray, "markers", MARKERS)
        self.set_rates(values["pose_rate"], values["marker_rate"])

    def set_rates(self, pose: float, marker: float) -> None:
        """New rates in Hz."""
        self._pose_turn, self._marker_turn = Throttle(pose), Throttle(marker)

    def show(self, sample: TrackedSample) -> None:
        """Show a sample that is not FAILED to whoever listens."""
        pose, marker = self._pose_turn.due(sample.time), self._marker_turn.due(sample.time)
        if not (pose or marker):
            return
        stamp = stamp_of(sample.time)
        if pose and self._posed:
            self._show_pose(sample, stamp)
        if pose and self._tree is not None and _is_heard(self._joint_states):
            self._joints.header.stamp = stamp
            self._joints.position = self._tree.compute(sample.state).tolist()
            self._joint_states.publish(self._joints)
        if marker and _is_heard(self._marker_arrays):
            self._marker_arrays.publish(self._markers.place(stamp, sample.state, sample.status == DEGRADED))

    def _show_pose(self, sample: TrackedSample, stamp: Time) -> None:
        heard = _is_heard(self._poses)
        sender = self.transforms if self.transforms is not None and self.transforms.heard else None
        position = self._messages.pose_of(sample) if heard or sender is not None else None
        if position is None:
            return
        self._pose.header.stamp = stamp
        fill_pose(self._pose.pose, *position)
        if heard:
            self._poses.publish(self._pose)
        if sender is not None:
            sender.send(stamp, self._pose.pose)


def _is_heard(publisher: Any) -> bool:
    """Return whether anyone subscribes: to make a message costs ten times as much as to ask."""
    return bool(publisher.get_subscription_count() > 0)
