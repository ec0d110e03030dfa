# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""A picture of the machine in its home pose."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from mpl_toolkits.mplot3d.art3d import Poly3DCollection

from pkm_identification.machines.capabilities import BodiesFile, HexapodFile, has, require
from pkm_identification.machines.contract import Machine
from pkm_identification.mechanisms.hexapod.machine import Machine as Description
from pkm_identification.mechanisms.multibody.kinematics import body_poses
from pkm_identification.mechanisms.multibody.mechanism import Mechanism
from pkm_identification.mechanisms.multibody.numbers.arithmetic import FLOAT64
from pkm_identification.numerics.arrays import FloatArray

from .space import show_box
from .style import (
    ESTIMATE,
    NOMINAL,
    STRUT_COLORS,
    apply_style,
)

NUMBER = {
    "fontsize": 9,
    "fontweight": "bold",
    "ha": "center",
    "va": "center",
    "bbox": {"boxstyle": "circle,pad=0.15", "facecolor": "white", "edgecolor": "none", "alpha": 0.85},
}
SMALLEST = 1e-9  # m
AXES = (("x", "#CC3333"), ("y", "#339933"), ("z", "#3355CC"))


def machine_figure(machine: Machine) -> Figure:
    """Return a picture of the machine at home, in the frame of its base or ground."""
    if has(machine, HexapodFile):
        return draw_hexapod_figure(machine.description)
    return draw_mechanism_figure(require(machine, BodiesFile, "picture").mechanism)


@apply_style
def draw_hexapod_figure(machine: Description) -> Figure:
    """Base, struts and platform at home, in the base frame."""
    tips = machine.home_position + machine.platform_joints @ machine.home_rotation.T
    figure = Figure(figsize=(6.4, 4.8))
    figure.subplots_adjust(left=0.0, right=0.93, bottom=0.03, top=0.97)
    panel = figure.add_subplot(projection="3d")
    plates = []
    for corners, color, name in ((machine.base_joints, NOMINAL, "base"), (tips, ESTIMATE, "platform")):
        ring = corners[_order_around_centre(corners)]
        panel.add_collection3d(
            Poly3DCollection([ring], facecolor=color, alpha=0.16, edgecolor=color, linewidth=1.2)
        )
        plates.append(Patch(facecolor=color, edgecolor=color, alpha=0.5, label=name))
    for i, (foot, tip, color) in enumerate(zip(machine.base_joints, tips, STRUT_COLORS, strict=True)):
        ends = np.stack([foot, tip], axis=1)
        panel.plot(*ends, color=color, linewidth=3, solid_capstyle="round")
        panel.scatter(*ends, color=color, s=18, depthshade=False)
        # off the middle, where struts seen from the side cross
        panel.text(*(0.65 * foot + 0.35 * tip), str(i + 1), color=color, **NUMBER)
    size = 0.35 * machine.length_scale
    for origin, rotation in ((np.zeros(3), np.eye(3)), (machine.home_position, machine.home_rotation)):
        for direction, (name, color) in zip(rotation.T, AXES, strict=True):
            end = origin + size * direction
            panel.plot(*np.stack([origin, end], axis=1), color=color, linewidth=1.5)
            panel.text(*end, name, color=color, fontsize=8)
    everything = np.vstack([machine.base_joints, tips])
    low, high = everything.min(axis=0), everything.max(axis=0)
    show_box(panel, low, high, zoom=1.12)
    figure.suptitle(f"{machine.name} in its home pose", x=0.02, ha="left")
    # below the title: beside the plates there is a strut in the way in one machine or another
    figure.legend(handles=plates, loc="upper left", bbox_to_anchor=(0.0, 0.94), ncols=2, fontsize=9)
    return figure


def _order_around_centre(points: FloatArray) -> np.ndarray:
    """Order of the points around their centre, so that they make a simple polygon."""
    centred = points - points.mean(axis=0)
    # the plane that fits them best
    _, _, axes = np.linalg.svd(centred)
    flat = centred @ axes[:2].T
    return np.argsort(np.arctan2(flat[:, 1], flat[:, 0]))


@apply_style
def draw_mechanism_figure(mechanism: Mechanism) -> Figure:
    """Bodies, joints and centres of mass at home, in the ground frame."""
    points = find_joint_positions(mechanism)
    figure = Figure(figsize=(6.4, 4.8))
    figure.subplots_adjust(left=0.0, right=0.93, bottom=0.03, top=0.92)
    panel = figure.add_subplot(projection="3d")
    rotation, position = body_poses(mechanism, mechanism.home)
    shown: list[FloatArray] = []
    for b, body in enumerate(mechanism.description.bodies):
        color = STRUT_COLORS[b % len(STRUT_COLORS)]
        mass, *first = mechanism.parameters[b, :4]
        ends = points[body.name]
        middle = position[0, b] + rotation[0, b] @ (np.array(first) / mass) if mass > 0 else ends.mean(axis=0)
        for end in ends:
            panel.plot(*np.stack([middle, end], axis=1), color=color, linewidth=2.5, solid_capstyle="round")
        panel.scatter(*middle, color=color, s=22, depthshade=False)
        panel.text(*middle, f"  {body.name}", color=color, fontsize=8)
        shown += [middle, *ends]
    ground = points["ground"]
    panel.scatter(*ground.T, color=NOMINAL, marker="^", s=30, depthshade=False)
    everything = np.vstack([*shown, ground])
    low, high = everything.min(axis=0), everything.max(axis=0)
    # a planar mechanism has no depth of its own
    margin = np.maximum(0.1 * np.max(high - low) - 0.5 * (high - low), 0.0) + SMALLEST
    low, high = low - margin, high + margin
    show_box(panel, low, high, zoom=1.05)
    figure.suptitle(f"{mechanism.name} at home", x=0.02, ha="left")
    return figure


def find_joint_positions(mechanism: Mechanism) -> dict[str, FloatArray]:
    """Points of the joints of every body and of the ground at home, (k, 3), m, ground frame."""
    rotation, position = body_poses(mechanism, mechanism.home)
    bodies = [body.name for body in mechanism.description.bodies]
    places: dict[str, list[FloatArray]] = {name: [] for name in ("ground", *bodies)}
    for joint in mechanism.description.joints:
        for body, place in zip(joint.bodies, joint.place, strict=True):
            point = FLOAT64.array(place)
            if body != "ground":
                b = bodies.index(body)
                point = position[0, b] + rotation[0, b] @ point
            places[body].append(point)
    return {name: np.array(points).reshape(-1, 3) for name, points in places.items()}
