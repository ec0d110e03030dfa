# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""A machine that differs from its description, as every real one does."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from pkm_identification.errors import SettingsError
from pkm_identification.mechanisms.hexapod.bodies import StrutBody
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.numerics.arrays import FloatArray

LEAST_SHARE = 0.3  # of the fraction: every parameter differs visibly


def perturbed(machine: Machine, seed: int, fraction: float = 0.15) -> Machine:
    """The same machine with other masses, moments of inertia and friction.

    Every parameter is multiplied by its own factor, at least 0.3 and at most 1 times `fraction` away from one.
    Moments of inertia stay those of a possible body: what is multiplied are its second moments of mass along the
    principal axes. Struts that are alike stay alike. Geometry, centres of mass and drives are kept.

    Parameters
    ----------
    machine : Machine
    seed : int
        Same seed, same machine.
    fraction : float
        Largest relative change, 0 to below 1.
    """
    if not 0 <= fraction < 1:
        raise SettingsError(f"fraction = {fraction}: must be at least 0 and below 1")
    rng = np.random.default_rng(seed)

    def factors(count: int) -> FloatArray:
        size = rng.uniform(LEAST_SHARE, 1.0, count) * fraction
        return 1.0 + size * rng.choice([-1.0, 1.0], count)

    document = copy.deepcopy(machine.document)
    document["name"] = f"{machine.name}_perturbed_{seed}"
    platform = document["platform"]
    platform["mass"] = float(machine.platform.mass * factors(1)[0])
    platform["inertia"] = _scaled_inertia(machine.platform.inertia, factors(3))
    if "strut" in document:
        document["strut"] = _scaled_strut(machine, 0, factors(6))
    else:
        seen = {strut: factors(6) for strut in dict.fromkeys(machine.struts)}
        document["struts"] = [
            _scaled_strut(machine, i, seen[strut]) for i, strut in enumerate(machine.struts)
        ]
    friction = machine.friction
    document["friction"] = {
        **document.get("friction", {}),
        **friction.named(
            friction.law.possible(np.array([row * factors(6) for row in friction.coefficients]))
        ),
        "transition_rate": friction.transition_rate,
    }
    joints = machine.joint_friction
    if joints is not None:
        moved = np.array([row * factors(6) for row in joints.coefficients])
        document["friction"]["joints"] = joints.section(moved)
    return Machine.from_document(document, source=document["name"], plausible=False)


def _scaled_inertia(inertia: FloatArray, factors: FloatArray) -> list[float]:
    """Inertia [xx, yy, zz, xy, xz, yz] after its three principal second moments are multiplied."""
    moments, axes = np.linalg.eigh(inertia)
    second = np.maximum(0.5 * moments.sum() - moments, 0.0) * factors
    changed = axes @ np.diag(second.sum() - second) @ axes.T
    return changed[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]].tolist()


def _scaled_strut(machine: Machine, i: int, factors: FloatArray) -> dict[str, Any]:
    strut = machine.struts[i]
    return {
        "body_b": _scaled_body(strut.body_b, factors[:3]),
        "body_e": _scaled_body(strut.body_e, factors[3:]),
    }


def _scaled_body(body: StrutBody, factors: FloatArray) -> dict[str, Any]:
    across = 0.5 * body.axial * factors[1]
    along = max(body.transverse - 0.5 * body.axial, 0.0) * factors[2]
    return {
        "mass": float(body.mass * factors[0]),
        "center_of_mass": body.center_of_mass,
        "inertia": [float(along + across), float(2 * across)],
    }
