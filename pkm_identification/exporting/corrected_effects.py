# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""A machine file that knows what was estimated in addition to the parameters."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from pkm_identification.identification.model_errors.estimated.linearisation import Linearisation
from pkm_identification.identification.model_errors.estimated.registry import OF_PLACE
from pkm_identification.identification.settings import EstimatorSettings
from pkm_identification.mechanisms.actuators import Screw
from pkm_identification.mechanisms.hexapod.dynamics.basis import (
    build_friction_of_basis,
    build_joint_friction_of_basis,
)
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import STRUTS
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.parameter import Kind

from .corrected import know_forces, motor_inertia

# Symbols of parameters.
DELAY, LENGTH, SCALE = "force_delay", "length_offset", "length_scale"
FORCES = (DELAY, "force_gain", "force_offset")


def with_effects_known(
    machine: Machine, estimator: EstimatorSettings, values: FloatArray, *, bodies: bool = False
) -> tuple[Machine, tuple[str, ...]]:
    """Return the machine whose file knows the effects that a file can know, and the parameters of those that it cannot.

    Bodies, viscous and Coulomb friction stay the file's; `mechanisms.hexapod.identified` changes those.

    Parameters
    ----------
    machine : Machine
        That the effects were estimated with.
    estimator : EstimatorSettings
        Its `also` names the effects.
    values : ndarray, shape (P,)
        Estimate of its parameter set, SI units.
    bodies : bool
        Whether bodies are going to take up what belongs to them, so that it is not lost.

    Raises
    ------
    MachineError
        If the file that results is none.
    """
    if not estimator.also:
        return machine, ()
    point = Linearisation.of(estimator, machine, values=values)
    known = point.corrections.machine.loaded
    document = copy.deepcopy(machine.file)
    if not np.array_equal(known.gravity, machine.gravity):
        document["gravity"] = known.gravity.tolist()
    for key in ("base_joints", "platform_joints"):
        places = getattr(known, key)
        if not np.array_equal(places, getattr(machine, key)):
            document["geometry"][key] = places.tolist()
    _know_friction(document, machine, point)
    left = [*_know_forces(document, machine, point), *_know_lengths(document, machine, point)]
    if OF_PLACE in estimator.also and not bodies:
        left += [one.name for one in point.parameters.entries if one.kind is Kind.FIRST_MOMENT]
    for effect in point.effects:
        if effect.name == "efficiency":
            _know_efficiency(document, machine, float(values[effect.places(point.parameters)[0]]))
        elif effect.added is not None:
            left += [entry.name for entry in effect.entries]
        if effect.directions is None:
            continue
        if effect.name == "motor_inertia" and machine.drive is not None and machine.drive.has_motor:
            document["drive"]["motor"]["inertia"] = motor_inertia(
                machine.drive, float(values[effect.places(point.parameters)[0]])
            )
        elif not bodies or effect.name == "motor_inertia":
            left += [entry.name for entry in effect.entries]
    return Machine.from_document(document, source=machine.name), tuple(left)


def _know_efficiency(document: dict[str, Any], machine: Machine, efficiency: float) -> None:
    """What screws lose, as much more or less in both directions of power as was found; none gives more than it gets."""
    sections = document["actuators"] if "actuators" in document else [document["actuator"]]
    for section, screw in zip(sections, machine.actuators or (), strict=False):
        if isinstance(screw, Screw):
            section["efficiency"] = min(efficiency, 1.0)
            section["back_efficiency"] = 1.0 / max(
                1.0 / screw.back_efficiency + screw.efficiency - efficiency, 1.0
            )


def _know_friction(document: dict[str, Any], machine: Machine, point: Linearisation) -> None:
    """The law with its numbers, and the coefficients that the file's law does not have."""
    basis = point.parameters.mapping @ point.values + point.parameters.known
    prepared = point.machine.loaded
    joints = prepared.joint_friction
    if joints is not None and machine.joint_friction is None:
        section = joints.section(build_joint_friction_of_basis(prepared, basis))
        document["friction"] = {**document.get("friction", {}), "joints": section}
    friction = point.corrections.machine.loaded.friction
    if friction.law is machine.friction.law and np.array_equal(
        friction.parameters, machine.friction.parameters
    ):
        return
    coefficients = friction.coefficients.copy()
    new = [k for k, name in enumerate(friction.law.names) if name not in machine.friction.law.names]
    coefficients[new] = build_friction_of_basis(prepared, basis)[new]
    numbers = {
        one.name: max(float(value[0]), one.at_least)
        for one, value in zip(friction.law.parameters, friction.parameters, strict=True)
    }
    document["friction"] = {
        **{key: value for key, value in document.get("friction", {}).items() if key == "joints"},
        "law": friction.law.name,
        **friction.named(friction.law.possible(coefficients)),
        **numbers,
    }


def _know_forces(document: dict[str, Any], machine: Machine, point: Linearisation) -> list[str]:
    """Delay, gains and offsets in addition to those that the file knows already; names of what it cannot know."""
    corrections, drive = point.corrections, machine.drive
    if drive is None:
        return [entry.name for entry in point.entries if entry.symbol in FORCES]
    # one delay can be known: that of most struts
    delays, counts = np.unique(corrections.delay, return_counts=True)
    most = int(np.argmax(counts))
    delay = float(delays[most]) if 2 * counts[most] > STRUTS else 0.0
    know_forces(document["drive"], drive, delay, corrections.gain, corrections.offset)
    late = corrections.delay != delay
    return [
        entry.name
        for entry in point.entries
        if entry.symbol == DELAY and entry.limb is not None and late[entry.limb]
    ]


def _know_lengths(document: dict[str, Any], machine: Machine, point: Linearisation) -> list[str]:
    """Zeros and pitch of the encoders, where the file has encoders; names of what it cannot know."""
    corrections, drive = point.corrections, machine.drive
    lengths = [entry.name for entry in point.entries if entry.symbol in (LENGTH, SCALE)]
    if not lengths:
        return []
    # one pitch can be known: that of all struts
    alike = bool(np.ptp(corrections.scale) == 0.0)
    if drive is None or not drive.has_encoder:
        return lengths
    if np.any(corrections.zero):
        zeros = drive.length_at_zero - corrections.zero / (corrections.scale if alike else 1.0)
        document["drive"]["encoder"]["length_at_zero"] = zeros.tolist()
    if not alike:
        return [entry.name for entry in point.entries if entry.symbol == SCALE]
    document["drive"]["encoder"]["counts_per_meter"] *= float(corrections.scale[0])
    return []
