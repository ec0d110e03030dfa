# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Physical scales of a mechanism's parameters: what a deviation is small beside where a value is near zero.

They are m, m r and m r^2 of the body a parameter is called by, with the mass and the size that the file gives it, and a
share of a drive's typical force; never what would make all of the force, which a log that hardly moves a body makes as
large as one likes.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from pkm_identification.estimation.equations import Equations
from pkm_identification.mechanisms.multibody.extents import body_extents
from pkm_identification.mechanisms.multibody.mechanism import Mechanism
from pkm_identification.mechanisms.rigid_bodies import BODY_KINDS, BODY_PARAMETERS
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.parameter import Kind
from pkm_identification.parameters.parameter_set import ParameterSet

FRICTION_SHARE = 0.1  # of a drive's typical force: friction below a tenth of it is small
_POWERS = {Kind.MASS: 0, Kind.FIRST_MOMENT: 1, Kind.INERTIA: 2}  # of a body's size, times its mass


def with_inertial_sizes(
    parameters: ParameterSet, mechanism: Mechanism, columns: NDArray[np.int64]
) -> ParameterSet:
    """Return a set, which begins with these columns of the mechanism's regressor, with their physical scales."""
    entries = list(parameters.entries)
    for k, size in enumerate(inertial_sizes(mechanism, columns)):
        entries[k] = replace(entries[k], size=float(size))
    return replace(parameters, entries=tuple(entries))


def inertial_sizes(mechanism: Mechanism, columns: NDArray[np.int64]) -> FloatArray:
    """Return m, m r or m r^2, shape (P,), of the bodies that these columns of the mechanism's regressor belong to.

    A body without mass in the file counts as the lightest of the others, one without extent as the smallest.
    """
    values = np.asarray(mechanism.parameters, dtype=float)
    mass = _at_least_smallest(values[:, 0])
    extent = _at_least_smallest(body_extents(mechanism))
    body, place = np.divmod(columns, len(BODY_PARAMETERS))
    power = np.array([_POWERS[BODY_KINDS[k]] for k in place])
    return np.asarray(mass[body] * extent[body] ** power)


def with_friction_sizes(parameters: ParameterSet, equations: Equations) -> ParameterSet:
    """Return the set with physical scales of its drives' friction.

    A coefficient's is its value in the file, or the one that makes FRICTION_SHARE of its drive's rms force at the
    drive's rms rate.
    """
    force = np.sqrt(np.mean(equations.force**2, axis=0))
    entries = list(parameters.entries)
    for k, entry in enumerate(entries):
        if entry.kind.friction and entry.limb is not None:
            felt = np.sqrt(np.mean(equations.regressor[:, entry.limb, k] ** 2))
            share = FRICTION_SHARE * force[entry.limb] / felt if felt > 0.0 else 0.0
            entries[k] = replace(entry, size=max(abs(entry.nominal), float(share)))
    return replace(parameters, entries=tuple(entries))


def _at_least_smallest(values: FloatArray) -> FloatArray:
    """Return values, those that are 0 replaced by the smallest of the others; all 0 where there are none."""
    positive = values[values > 0.0]
    return np.where(values > 0.0, values, np.min(positive) if len(positive) else 0.0)
