# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""The machine as RViz and Foxglove markers: base, struts and platform of a hexapod, bodies of any other."""

from __future__ import annotations

from typing import Any

import numpy as np
from builtin_interfaces.msg import Time
from geometry_msgs.msg import Point
from visualization_msgs.msg import Marker, MarkerArray

from pkm_identification.exporting.outline import Outline
from pkm_identification.machines.capabilities import HexapodFile, has
from pkm_identification.mechanisms.hexapod.kinematics.tracker import split_row
from pkm_identification.mechanisms.hexapod.machine import Machine as HexapodDescription
from pkm_identification.mechanisms.multibody.description.records import GROUND
from pkm_identification.mechanisms.multibody.mechanism import Mechanism
from pkm_identification.numerics.arrays import FloatArray

# Widths as parts of the machine's size.
STRUT_WIDTH = 0.06
OUTLINE_WIDTH = 0.03
COLOURS = {"base": (0.45, 0.45, 0.50), "struts": (0.85, 0.55, 0.15), "platform": (0.20, 0.50, 0.80)}
ALERT = (0.85, 0.15, 0.15)


def create_markers(machine: Any, frame: str) -> HexapodMarkers | OutlineMarkers:
    """Return the markers of a machine of the contract."""
    if has(machine, HexapodFile):
        return HexapodMarkers(machine.description, frame)
    return OutlineMarkers(machine.mechanism, machine.size, frame)


class HexapodMarkers:
    """Keeps one marker array and moves its points.

    Parameters
    ----------
    machine : HexapodDescription
    frame : str
        Name of the base frame.
    """

    def __init__(self, machine: HexapodDescription, frame: str) -> None:
        self._machine = machine
        size = machine.length_scale
        self._base = [_point(place) for place in machine.base_joints]
        self.base = _build_marker("base", 0, frame, Marker.LINE_STRIP, OUTLINE_WIDTH * size)
        self.struts = _build_marker("struts", 1, frame, Marker.LINE_LIST, STRUT_WIDTH * size)
        self.platform = _build_marker("platform", 2, frame, Marker.LINE_STRIP, OUTLINE_WIDTH * size)
        self._base_outline = _build_outline(machine.base_joints)
        self._platform_outline = _build_outline(machine.platform_joints)
        self.base.points = [self._base[i] for i in self._base_outline]
        self.message = MarkerArray(markers=[self.base, self.struts, self.platform])

    def place(self, stamp: Time, state: FloatArray, alert: bool) -> MarkerArray:
        """Return the array for a state (S,); `alert` colours the platform."""
        position, rotation, *_ = split_row(state)
        tips = [_point(tip) for tip in position + self._machine.platform_joints @ rotation.T]
        self.struts.points = [point for pair in zip(self._base, tips, strict=True) for point in pair]
        self.platform.points = [tips[i] for i in self._platform_outline]
        _paint(self.platform, ALERT if alert else COLOURS["platform"])
        for marker in self.message.markers:
            marker.header.stamp = stamp
        return self.message


class OutlineMarkers:
    """The bodies of a mechanism as lines: one marker for the ground and one for all that moves.

    Parameters
    ----------
    mechanism : Mechanism
    size : float
        Of the largest body, m.
    frame : str
        Name of the ground's frame.
    """

    def __init__(self, mechanism: Mechanism, size: float, frame: str) -> None:
        self._outline, self._coordinates = Outline(mechanism), mechanism.tree.coordinates
        self._fixed = np.array([owner == GROUND for owner in self._outline.owners], dtype=bool)
        self.base = _build_marker("base", 0, frame, Marker.LINE_LIST, OUTLINE_WIDTH * 0.5 * size)
        self.bodies = _build_marker("platform", 1, frame, Marker.LINE_LIST, OUTLINE_WIDTH * 0.5 * size)
        self.bodies.ns = "bodies"
        self.message = MarkerArray(markers=[self.base, self.bodies])

    def place(self, stamp: Time, state: FloatArray, alert: bool) -> MarkerArray:
        """Return the array for a state (S,); `alert` colours the bodies."""
        lines = self._outline.place(state[: self._coordinates])
        for marker, chosen in ((self.base, self._fixed), (self.bodies, ~self._fixed)):
            marker.points = [_point(end) for end in lines[chosen].reshape(-1, 3)]
            marker.header.stamp = stamp
        _paint(self.bodies, ALERT if alert else COLOURS["platform"])
        return self.message


def _build_outline(joints: FloatArray) -> list[int]:
    """Return the joints around their centre, the first again at the end."""
    centred = joints - joints.mean(axis=0)
    # the plane's two axes, whatever its direction in space
    axes = np.linalg.svd(centred)[2][:2]
    order = np.argsort(np.arctan2(centred @ axes[1], centred @ axes[0]))
    return [*order.tolist(), int(order[0])]


def _build_marker(name: str, number: int, frame: str, kind: int, width: float) -> Marker:
    marker = Marker(ns=name, id=number, type=kind, action=Marker.ADD)
    marker.header.frame_id = frame
    marker.scale.x = width
    marker.pose.orientation.w = 1.0
    _paint(marker, COLOURS[name])
    return marker


def _paint(marker: Marker, colour: tuple[float, float, float]) -> None:
    marker.color.r, marker.color.g, marker.color.b = colour
    marker.color.a = 1.0


def _point(place: FloatArray) -> Point:
    x, y, z = place.tolist()
    return Point(x=x, y=y, z=z)
