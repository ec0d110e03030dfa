# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""A machine that differs from its description, as every real one does."""

from __future__ import annotations

import copy
from dataclasses import replace
from fractions import Fraction
from functools import singledispatch
from typing import Any

import numpy as np

from pkm_identification.errors import SettingsError
from pkm_identification.mechanisms.hexapod.bodies import StrutBody
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.mechanisms.multibody.description.parts import compute_central_moments
from pkm_identification.mechanisms.multibody.description.records import Body
from pkm_identification.mechanisms.multibody.mechanism import Mechanism
from pkm_identification.mechanisms.multibody.structure.bodies import is_possible
from pkm_identification.mechanisms.rigid_bodies import parallel_axes
from pkm_identification.numerics.arrays import FloatArray

from .physics.load import build_physics

LEAST_SHARE = 0.3  # of the fraction: every parameter differs visibly


class Factors:
    """Draws factors, each at least 0.3 and at most 1 times `fraction` away from one.

    Raises
    ------
    SettingsError
        If the fraction is not at least 0 and below 1.
    """

    def __init__(self, seed: int, fraction: float) -> None:
        if not 0 <= fraction < 1:
            raise SettingsError(f"fraction = {fraction}: must be at least 0 and below 1")
        self._random, self._fraction = np.random.default_rng(seed), fraction

    def __call__(self, count: int) -> FloatArray:
        size = self._random.uniform(LEAST_SHARE, 1.0, count) * self._fraction
        return 1.0 + size * self._random.choice([-1.0, 1.0], count)


@singledispatch
def perturb_machine(machine: Any, seed: int, fraction: float = 0.15) -> Any:
    """Return the same machine with other masses, moments of inertia and friction.

    Every parameter is multiplied by its own factor, at least 0.3 and at most 1 times `fraction` away from one.
    Moments of inertia stay those of a possible body: what is multiplied are its second moments of mass along the
    principal axes. Struts that are alike stay alike. Geometry, centres of mass and drives are kept.

    Parameters
    ----------
    machine : Machine or Mechanism, or a machine of the contract
    seed : int
        Same seed, same machine.
    fraction : float
        Largest relative change, 0 to below 1.
    """
    return perturb_machine(build_physics(machine).description, seed, fraction)


@perturb_machine.register
def _(machine: Machine, seed: int, fraction: float = 0.15) -> Machine:
    factors = Factors(seed, fraction)
    document = copy.deepcopy(machine.document)
    document["name"] = f"{machine.name}_perturbed_{seed}"
    platform = document["platform"]
    platform["mass"] = float(machine.platform.mass * factors(1)[0])
    inertia = _scale_tensor(machine.platform.inertia, factors(3))
    platform["inertia"] = inertia[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]].tolist()
    if "strut" in document:
        document["strut"] = _scale_strut(machine, 0, factors(6))
    else:
        seen = {strut: factors(6) for strut in dict.fromkeys(machine.struts)}
        document["struts"] = [_scale_strut(machine, i, seen[strut]) for i, strut in enumerate(machine.struts)]
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


@perturb_machine.register
def _(machine: Mechanism, seed: int, fraction: float = 0.15) -> Mechanism:
    factors, own = Factors(seed, fraction), machine.description
    bodies = tuple(_perturb_body(body, factors) for body in own.bodies)
    joints = own.joints
    for name in ("viscous", "coulomb"):
        drawn = factors(len(joints))
        joints = tuple(
            replace(joint, **{name: getattr(joint, name) * Fraction(float(factor))})
            for joint, factor in zip(joints, drawn, strict=True)
        )
    friction, drives = own.friction, len(own.drives)
    moved = friction.law.possible(np.array([row * factors(drives) for row in friction.coefficients]))
    changed = friction.changed(**dict(zip(friction.law.names, moved, strict=True)))
    name = f"{own.name}_perturbed_{seed}"
    return Mechanism.of(replace(own, name=name, bodies=bodies, joints=joints, friction=changed))


def _perturb_body(body: Body, factors: Factors) -> Body:
    mass, first, inertia = compute_central_moments(body)
    drawn = factors(4)
    possible = is_possible(inertia) and not body.planar
    # of a body that turns about one axis the file may give the moment about that axis alone
    inertia = _scale_tensor(inertia, drawn[1:]) if possible else drawn[1] * inertia
    first = drawn[0] * first
    mass = drawn[0] * mass
    about = inertia + parallel_axes(mass, first / mass) if mass > 0 else inertia
    parameters = (mass, *first, *about[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]])
    kept = [
        Fraction(float(number)) if given != 0 else given
        for number, given in zip(parameters, body.parameters, strict=True)
    ]
    return replace(body, parameters=tuple(kept))


def _scale_tensor(inertia: FloatArray, factors: FloatArray) -> FloatArray:
    """Return an inertia (3, 3) after its three principal second moments are multiplied."""
    moments, axes = np.linalg.eigh(inertia)
    second = np.maximum(0.5 * moments.sum() - moments, 0.0) * factors
    return axes @ np.diag(second.sum() - second) @ axes.T


def _scale_strut(machine: Machine, i: int, factors: FloatArray) -> dict[str, Any]:
    strut = machine.struts[i]
    return {
        "body_b": _scale_body(strut.body_b, factors[:3]),
        "body_e": _scale_body(strut.body_e, factors[3:]),
    }


def _scale_body(body: StrutBody, factors: FloatArray) -> dict[str, Any]:
    across = 0.5 * body.axial * factors[1]
    along = max(body.transverse - 0.5 * body.axial, 0.0) * factors[2]
    return {
        "mass": float(body.mass * factors[0]),
        "center_of_mass": body.center_of_mass,
        "inertia": [float(along + across), float(2 * across)],
    }
