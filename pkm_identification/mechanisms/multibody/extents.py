# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""How large bodies of a mechanism are: what an error of a place or of a moment is small compared with."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.parameter import Kind

from ..rigid_bodies import BODY_KINDS, BODY_PARAMETERS
from .mechanism import Mechanism
from .numbers.arithmetic import FLOAT64

_POWERS = {Kind.MASS: 0, Kind.FIRST_MOMENT: 1, Kind.INERTIA: 2}  # of a body's size, times its mass


def compute_body_sizes(mechanism: Mechanism) -> tuple[FloatArray, FloatArray]:
    """Return masses (B,) in kg and extents (B,) in m, those that are 0 replaced by the smallest of the others."""
    values = np.asarray(mechanism.parameters, dtype=float)
    return _replace_zeros(values[:, 0]), _replace_zeros(compute_body_extents(mechanism))


def compute_inertial_sizes(mechanism: Mechanism, columns: NDArray[np.int64]) -> FloatArray:
    """Return m, m r or m r^2, shape (P,), of the bodies that these columns of the mechanism's regressor belong to.

    A body without mass in the file counts as the lightest of the others, one without extent as the smallest.
    """
    mass, extent = compute_body_sizes(mechanism)
    body, index = np.divmod(columns, len(BODY_PARAMETERS))
    power = np.array([_POWERS[BODY_KINDS[k]] for k in index])
    return np.asarray(mass[body] * extent[body] ** power)


def compute_body_extents(mechanism: Mechanism) -> FloatArray:
    """Return how large each body is, shape (B,), m.

    Half the largest distance between its joints, its drives' points and its centre of mass, or its largest
    radius of gyration about that centre, whichever is larger. No radius counts for more than the largest of these
    distances in the machine: a file's moment of inertia may be wrong by orders of magnitude.
    """
    description = mechanism.description
    points: dict[str, list[FloatArray]] = {body.name: [] for body in description.bodies}
    pairs = [(joint.bodies, joint.place) for joint in description.joints]
    pairs += [(d.measure.bodies, d.measure.points) for d in description.drives if d.measure.kind == "length"]
    for names, places in pairs:
        for name, position in zip(names, places, strict=True):
            if name in points:
                points[name].append(np.asarray(FLOAT64.array(position), dtype=float))
    spreads, radii = [], []
    for body, row in zip(description.bodies, np.asarray(mechanism.parameters, dtype=float), strict=True):
        own, gyration = points[body.name], 0.0
        if row[0] > 0.0:
            center = row[1:4] / row[0]
            own = [*own, center]
            about = row[4:7] - row[0] * (center @ center - center**2)
            gyration = float(np.sqrt(max(float(np.max(about)), 0.0) / row[0]))
        across = np.array(own).reshape(-1, 3)
        apart = np.linalg.norm(across[:, None] - across[None], axis=2)
        spreads.append(float(np.max(apart, initial=0.0)))
        radii.append(gyration)
    return np.maximum(0.5 * np.array(spreads), np.minimum(radii, max(spreads) or np.inf))


def _replace_zeros(values: FloatArray) -> FloatArray:
    """Return values, those that are 0 replaced by the smallest of the others; all 0 where there are none."""
    positive = values[values > 0.0]
    return np.where(values > 0.0, values, np.min(positive) if len(positive) else 0.0)
