# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The machine as RViz and Foxglove markers: base, struts and platform of a hexapod, bodies of any other."""

from __future__ import annotations

import numpy as np
from builtin_interfaces.msg import Time
from geometry_msgs.msg import Point
from visualization_msgs.msg import Marker, MarkerArray

from pkm_identification.machines.contract import Machine
from pkm_identification.machines.outline import create_outline
from pkm_identification.numerics.arrays import FloatArray

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
