# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Dynamics of a mechanism in its driven coordinates: forces, regressor, mass matrix, energy, forward dynamics.

M(s) s'' + h(s, s') = force - friction, from the bodies' Newton-Euler equations and virtual power. Works in the
mechanism's arithmetic; friction is in float64 alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from pkm_identification.errors import SettingsError

from ..friction import friction_force
from .joint_friction import compute_passive_forces
from .kernels.dynamics import (
    PARAMETERS,
    TreeMotion,
    driven_forces,
    fill_energy,
    fill_mass,
    fill_regressor,
)
from .kinematics import MechanismMotion, moving, require_regular
from .mechanism import Mechanism
from .numbers.arithmetic import FLOAT64


def forces(
    mechanism: Mechanism,
    motion: MechanismMotion,
    friction: bool = True,
    wrench: Mapping[str, Any] | None = None,
) -> Any:
    """Driven forces a motion needs.

    Parameters
    ----------
    mechanism : Mechanism
    motion : MechanismMotion
    friction : bool
        Whether friction of drives and passive joints is part of it.
    wrench : mapping of str to ndarray, shape (6,) or (N, 6), optional
        Force in N and moment in N m on a body, by its name, at its frame's origin in ground axes.

    Returns
    -------
    ndarray, shape (N, n)
        N or N m.

    Raises
    ------
    MotionRefused
        If a configuration is singular: names the row.
    SettingsError
        If a wrench acts on a body that is not there, or friction is asked for in another arithmetic than float64.
    """
    count, drives = len(motion), mechanism.degrees_of_freedom
    zeros = mechanism.arithmetic.zeros
    tau, pivot = zeros(count, drives), zeros(count)
    acting = friction and _has_friction(mechanism)
    passive = compute_passive_forces(mechanism, motion) if acting else zeros(1, mechanism.tree.velocities)
    if not count:
        return tau
    mechanism.arithmetic.compile(driven_forces)(
        mechanism.model,
        mechanism.task_rows("drives"),
        drives,
        mechanism.parameters,
        loads(mechanism, wrench),
        passive,
        TreeMotion(motion.configuration, motion.velocity, motion.acceleration),
        tau,
        pivot,
    )
    require_regular(motion.configuration, pivot, "drives")
    tau = tau + drive_inertia(mechanism) * motion.drive_acceleration
    return tau + friction_force(motion.drive_rate, mechanism.description.friction) if acting else tau


def loads(mechanism: Mechanism, wrench: Mapping[str, Any] | None) -> Any:
    """External wrenches on all bodies, shape (1 or N, B, 6)."""
    names = [body.name for body in mechanism.description.bodies]
    given = {} if wrench is None else dict(wrench)
    unknown = [name for name in given if name not in names]
    if unknown:
        raise SettingsError(f"wrench on '{unknown[0]}': bodies are {', '.join(names)}")
    count = max((len(np.atleast_2d(value)) for value in given.values()), default=1)
    load = mechanism.arithmetic.zeros(count, len(names), 6)
    for name, value in given.items():
        load[:, names.index(name)] = np.atleast_2d(value)
    return load


def regressor(mechanism: Mechanism, motion: MechanismMotion) -> Any:
    """Driven forces per unit of every body's ten parameters, shape (N, n, 10 B); raises as `forces`.

    Body after body, each in the order of `mechanisms.rigid_bodies.BODY_PARAMETERS`. Friction and the drives' inertia
    are not in it.
    """
    count, drives = len(motion), mechanism.degrees_of_freedom
    zeros = mechanism.arithmetic.zeros
    result = zeros(count, drives, PARAMETERS * len(mechanism.description.bodies))
    pivot = zeros(count)
    if count:
        mechanism.arithmetic.compile(fill_regressor)(
            mechanism.model,
            mechanism.task_rows("drives"),
            drives,
            motion.configuration,
            motion.velocity,
            motion.acceleration,
            result,
            pivot,
        )
        require_regular(motion.configuration, pivot, "drives")
    return result


def mass_matrix(mechanism: Mechanism, configuration: Any) -> Any:
    """Return mass matrices (N, n, n) in driven coordinates, the drives' inertia included; raises as `forces`."""
    q = np.atleast_2d(configuration)
    drives = mechanism.degrees_of_freedom
    zeros = mechanism.arithmetic.zeros
    mass, pivot = zeros(len(q), drives, drives), zeros(len(q))
    if len(q):
        mechanism.arithmetic.compile(fill_mass)(
            mechanism.model, mechanism.task_rows("drives"), drives, mechanism.parameters, q, mass, pivot
        )
        require_regular(q, pivot, "drives")
    own = drive_inertia(mechanism)
    for i in range(drives):
        mass[:, i, i] = mass[:, i, i] + own[i]
    return mass


def tree_mass_matrix(mechanism: Mechanism, configuration: Any) -> Any:
    """Mass matrices (N, V, V) of the open tree in its own velocities: of an arm, the one in joint coordinates."""
    q = np.atleast_2d(configuration)
    velocities = mechanism.tree.velocities
    zeros = mechanism.arithmetic.zeros
    mass = zeros(len(q), velocities, velocities)
    mechanism.arithmetic.compile(fill_mass)(
        mechanism.model, np.zeros(0, dtype=np.int64), velocities, mechanism.parameters, q, mass, zeros(len(q))
    )
    return mass


def open_tree_forces(mechanism: Mechanism, configuration: Any, velocity: Any, acceleration: Any) -> Any:
    """Return forces (N, V) along the velocities of the open tree that a motion of it needs, loops cut."""
    q = np.atleast_2d(configuration)
    zeros = mechanism.arithmetic.zeros
    velocities = mechanism.tree.velocities
    tau = zeros(len(q), velocities)
    mechanism.arithmetic.compile(driven_forces)(
        mechanism.model,
        np.zeros(0, dtype=np.int64),
        velocities,
        mechanism.parameters,
        loads(mechanism, None),
        zeros(1, velocities),
        TreeMotion(q, np.atleast_2d(velocity), np.atleast_2d(acceleration)),
        tau,
        zeros(len(q)),
    )
    return tau


def bias(mechanism: Mechanism, motion: MechanismMotion) -> Any:
    """What a motion needs besides acceleration in driven coordinates, (N, n): gravity, Coriolis, centripetal terms."""
    still = mechanism.arithmetic.zeros(len(motion), mechanism.degrees_of_freedom)
    coasting = moving(mechanism, motion.configuration, motion.drive_rate, still)
    return forces(mechanism, coasting, friction=False)


def forward_dynamics(
    mechanism: Mechanism,
    configuration: Any,
    rate: Any,
    force: Any,
    friction: bool = True,
    wrench: Mapping[str, Any] | None = None,
) -> MechanismMotion:
    """Return the motion that driven forces (N, n) make of configurations (N, Q) with drive rates (N, n).

    Friction, where it acts, is that of the stated rates. In float64.

    Raises
    ------
    MotionRefused
        If a configuration is singular.
    SettingsError
        If the arithmetic is not float64.
    """
    if mechanism.arithmetic != FLOAT64:
        raise SettingsError("forward dynamics works in float64")
    coasting = moving(
        mechanism, configuration, rate, np.zeros_like(np.atleast_2d(np.asarray(rate, dtype=float)))
    )
    needed = forces(mechanism, coasting, friction=friction, wrench=wrench)
    mass = mass_matrix(mechanism, coasting.configuration)
    acceleration = np.linalg.solve(mass, (np.atleast_2d(force) - needed)[..., None])[..., 0]
    return moving(mechanism, coasting.configuration, rate, acceleration)


def energy(mechanism: Mechanism, motion: MechanismMotion) -> tuple[Any, Any]:
    """Kinetic and potential energy (N,) in J of bodies and drives' inertia; heights from the ground's origin."""
    zeros = mechanism.arithmetic.zeros
    kinetic, potential = zeros(len(motion)), zeros(len(motion))
    if len(motion):
        mechanism.arithmetic.compile(fill_energy)(
            mechanism.model,
            mechanism.parameters,
            motion.configuration,
            motion.velocity,
            kinetic,
            potential,
        )
    turning = drive_inertia(mechanism) * motion.drive_rate**2
    return kinetic + turning.sum(axis=1) / 2, potential


def drive_inertia(mechanism: Mechanism) -> Any:
    """Return mass or moment of inertia (n,) along each driven coordinate that resists like a turning motor's."""
    return mechanism.arithmetic.array([drive.inertia for drive in mechanism.description.drives])


def _has_friction(mechanism: Mechanism) -> bool:
    if not mechanism.description.friction.acts and mechanism.passive_friction is None:
        return False
    if mechanism.arithmetic != FLOAT64:
        raise SettingsError("friction is computed in float64 only; do not include it in another arithmetic")
    return True
