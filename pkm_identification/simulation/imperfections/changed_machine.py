# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Descriptions of machines with something about them changed, in one way for each kind of machine."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import singledispatch
from typing import Any

import numpy as np

from pkm_identification.document import frozen
from pkm_identification.errors import SettingsError
from pkm_identification.mechanisms.friction import Friction
from pkm_identification.mechanisms.hexapod.joint_friction import JointFriction
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.mechanisms.multibody.mechanism import Mechanism
from pkm_identification.mechanisms.multibody.numbers.arithmetic import FLOAT64
from pkm_identification.numerics.arrays import FloatArray

from ..actuators import completed_drive


def _rebuild(mechanism: Mechanism, **changed: Any) -> Mechanism:
    return Mechanism.of(replace(mechanism.description, **changed))


@singledispatch
def friction_of(machine: Any) -> Friction:
    """Return the friction of the drives."""
    raise TypeError(machine)


@friction_of.register
def _(machine: Machine) -> Friction:
    return machine.friction


@friction_of.register
def _(machine: Mechanism) -> Friction:
    return machine.description.friction


@singledispatch
def has_friction(machine: Any) -> bool:
    """Return whether drives or joints have friction."""
    raise TypeError(machine)


@has_friction.register
def _(machine: Machine) -> bool:
    return machine.rubs


@has_friction.register
def _(machine: Mechanism) -> bool:
    return machine.description.friction.acts or machine.passive_friction is not None


@singledispatch
def with_friction(machine: Any, friction: Friction) -> Any:
    """Return the machine with other friction of its drives."""
    raise TypeError(machine)


@with_friction.register
def _(machine: Machine, friction: Friction) -> Machine:
    return replace(machine, friction=friction)


@with_friction.register
def _(machine: Mechanism, friction: Friction) -> Mechanism:
    return _rebuild(machine, friction=friction)


@singledispatch
def with_more_joint_friction(machine: Any, coulomb: float, viscous: float = 0.0) -> Any:
    """Return the machine with more friction in all passive joints, N m (N of those that slide) and per rad/s."""
    raise TypeError(machine)


@with_more_joint_friction.register
def _(machine: Machine, coulomb: float, viscous: float = 0.0) -> Machine:
    more = JointFriction.alike(coulomb, viscous)
    if (known := machine.joint_friction) is not None:
        more = replace(known, coefficients=frozen(known.coefficients + more.coefficients))
    return replace(machine, joint_friction=more)


@with_more_joint_friction.register
def _(machine: Mechanism, coulomb: float, viscous: float = 0.0) -> Mechanism:
    driven = {name for drive in machine.description.drives for name in drive.measure.joints}
    joints = tuple(
        joint
        if joint.name in driven or joint.type == "fixed"
        else replace(
            joint, coulomb=joint.coulomb + Fraction(coulomb), viscous=joint.viscous + Fraction(viscous)
        )
        for joint in machine.description.joints
    )
    return _rebuild(machine, joints=joints)


@singledispatch
def with_turned_gravity(machine: Any, rotation: FloatArray) -> Any:
    """Return the machine with gravity turned by a rotation (3, 3)."""
    raise TypeError(machine)


@with_turned_gravity.register
def _(machine: Machine, rotation: FloatArray) -> Machine:
    return replace(machine, gravity=rotation @ machine.gravity)


@with_turned_gravity.register
def _(machine: Mechanism, rotation: FloatArray) -> Mechanism:
    gravity = rotation @ FLOAT64.array(machine.description.gravity)
    return _rebuild(machine, gravity=tuple(Fraction(float(part)) for part in gravity))


@singledispatch
def with_more_drive_inertia(machine: Any, inertia: float) -> Any:
    """Return the machine with more inertia along each drive, kg or kg m^2; raises SettingsError where it has less."""
    raise TypeError(machine)


@with_more_drive_inertia.register
def _(machine: Machine, inertia: float) -> Machine:
    drive = completed_drive(machine)
    at_motor = drive.motor_inertia + inertia / (2 * np.pi * drive.gear_ratio / drive.screw_lead) ** 2
    if at_motor < 0:
        raise SettingsError(f"'{inertia:g}' kg: the machine has only {machine.motor_mass:g} kg to lose")
    return replace(machine, drive=replace(drive, motor_inertia=float(at_motor)))


@with_more_drive_inertia.register
def _(machine: Mechanism, inertia: float) -> Mechanism:
    drives = tuple(
        replace(drive, inertia=drive.inertia + Fraction(inertia)) for drive in machine.description.drives
    )
    sizes = FLOAT64.array([drive.inertia for drive in drives])
    least = int(np.argmin(sizes))
    if sizes[least] < 0:
        has = sizes[least] - inertia
        raise SettingsError(f"'{inertia:g}': drive '{drives[least].name}' has only {has:g} to lose")
    return _rebuild(machine, drives=drives)
