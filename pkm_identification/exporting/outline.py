# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Bodies as lines between the places of their joints: what viewers draw of a mechanism."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from pkm_identification.mechanisms.multibody.description.parts import compute_central_moments
from pkm_identification.mechanisms.multibody.description.records import GROUND
from pkm_identification.mechanisms.multibody.kinematics import body_poses
from pkm_identification.mechanisms.multibody.mechanism import Mechanism
from pkm_identification.mechanisms.multibody.numbers.arithmetic import FLOAT64
from pkm_identification.numerics.arrays import FloatArray


class Outline:
    """Lines of every body through its joints, and of drives between their ends.

    A body of one joint alone has a line from there to its centre of mass.

    Parameters
    ----------
    mechanism : Mechanism
        In float64.

    Attributes
    ----------
    owners : tuple of str
        Body or drive of each line.
    points : ndarray, shape (L, 2, 3)
        Ends of the lines, each in its body's frame, m.
    """

    def __init__(self, mechanism: Mechanism) -> None:
        self._mechanism = mechanism
        description = mechanism.description
        numbers = {body.name: i for i, body in enumerate(description.bodies)}
        places: dict[str, list[FloatArray]] = {name: [] for name in (GROUND, *numbers)}
        for joint in description.joints:
            for name, place in zip(joint.bodies, joint.place, strict=True):
                places[name].append(FLOAT64.array(place))
        along = [drive.measure for drive in description.drives if drive.measure.kind == "length"]
        lines: list[tuple[str, tuple[str, str], tuple[FloatArray, FloatArray]]] = []
        for measure in along:
            first, second = (FLOAT64.array(point) for point in measure.points)
            lines.append((measure.name, (measure.bodies[0], measure.bodies[1]), (first, second)))
        for body in description.bodies:
            mass, first, _ = compute_central_moments(body)
            if len(places[body.name]) == 1 and mass > 0:
                places[body.name].append(first / mass)
        for name, points in places.items():
            ring = [*points, points[0]] if len(points) > 2 else points
            lines.extend((name, (name, name), pair) for pair in pairwise(ring))
        self.owners = tuple(owner for owner, _, _ in lines)
        # of the ground the last pose, which is put behind those of the bodies
        self._bodies = np.array([[numbers.get(end, len(numbers)) for end in ends] for _, ends, _ in lines])
        self.points = np.array([pair for _, _, pair in lines]).reshape(-1, 2, 3)
        self._bodies = self._bodies.reshape(-1, 2)

    def place(self, configuration: FloatArray) -> FloatArray:
        """Return the ends (L, 2, 3) of all lines at a configuration (Q,), in the ground's frame, m."""
        rotation, position = (part[0] for part in body_poses(self._mechanism, configuration))
        rotation = np.concatenate([rotation, np.eye(3)[None]])
        position = np.concatenate([position, np.zeros((1, 3))])
        turned = np.einsum("lexy,ley->lex", rotation[self._bodies], self.points)
        return position[self._bodies] + turned
