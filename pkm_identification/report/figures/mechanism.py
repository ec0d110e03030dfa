# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""A picture of a mechanism at home: every body as lines between its joints and its centre of mass."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from pkm_identification.mechanisms.multibody.kinematics import body_poses
from pkm_identification.mechanisms.multibody.mechanism import Mechanism
from pkm_identification.mechanisms.multibody.numbers.arithmetic import FLOAT64
from pkm_identification.numerics.arrays import FloatArray

from .space import show_box
from .style import NOMINAL, STRUT_COLORS, styled

SMALLEST = 1e-9


@styled
def mechanism_figure(mechanism: Mechanism) -> Figure:
    """Bodies, joints and centres of mass at home, in the ground frame."""
    points = joint_places(mechanism)
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


def joint_places(mechanism: Mechanism) -> dict[str, FloatArray]:
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
