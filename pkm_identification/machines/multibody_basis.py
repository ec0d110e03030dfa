# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Every parameter of a mechanism: its bodies', its drives' friction and inertia, friction of its passive joints."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from pkm_identification.mechanisms.friction import Friction
from pkm_identification.mechanisms.multibody.dynamics import drive_inertia
from pkm_identification.mechanisms.multibody.joint_friction import list_joint_friction_names
from pkm_identification.mechanisms.multibody.mechanism import Mechanism
from pkm_identification.mechanisms.multibody.numbers.arithmetic import FLOAT64
from pkm_identification.mechanisms.multibody.parameters import build_rigid_basis
from pkm_identification.parameters.parameter import Basis, Kind, Parameter

from .contract import Drive

_ALONG = {"m": ("kg", Kind.MASS), "rad": ("kg m^2", Kind.INERTIA)}  # unit and kind of a drive's inertia


def build_basis(mechanism: Mechanism, drives: Sequence[Drive], shared: Friction) -> Basis:
    """Return the basis of a mechanism whose drives have this friction, in the order that `Multibody` slices."""
    bodies, friction = build_rigid_basis(mechanism), _list_friction(drives, shared)
    inertia, joints = _list_drive_inertia(mechanism, drives), _list_joint_friction(mechanism)
    return Basis((*bodies, *friction, *inertia, *joints))


def _list_friction(drives: Sequence[Drive], shared: Friction) -> Iterator[Parameter]:
    """Yield the coefficients of the drives' law, one after the other, each of all drives."""
    for coefficient, row in zip(shared.law.coefficients, shared.coefficients, strict=True):
        for i, (drive, value) in enumerate(zip(drives, row, strict=True)):
            viscous = coefficient.kind is Kind.VISCOUS
            unit = f"{drive.force_unit} s/{drive.unit}" if viscous else drive.force_unit
            yield Parameter(
                f"{coefficient.name}_{drive.name}", unit, coefficient.kind, drive.name, float(value), 1.0,
                coefficient.name, i,
            )  # fmt: skip


def _list_drive_inertia(mechanism: Mechanism, drives: Sequence[Drive]) -> Iterator[Parameter]:
    """Yield what each drive carries along itself."""
    behind = [one.inertia_behind for one in mechanism.description.actuators or ()]
    inertia = np.asarray(drive_inertia(mechanism), dtype=float) + (behind or 0.0)
    for i, (drive, value) in enumerate(zip(drives, inertia, strict=True)):
        unit, kind = _ALONG[drive.unit]
        yield Parameter(f"inertia_{drive.name}", unit, kind, drive.name, float(value), 1.0, "inertia", i)


def _list_joint_friction(mechanism: Mechanism) -> Iterator[Parameter]:
    """Yield Coulomb and then viscous friction of passive joints."""
    passive = mechanism.passive_friction
    if passive is None:
        return
    joints = {joint.name: joint for joint in mechanism.description.joints}
    names = iter(list_joint_friction_names(mechanism))
    for kind, symbol in ((Kind.COULOMB, "coulomb"), (Kind.VISCOUS, "viscous")):
        for joint in passive.names:
            one = joints[joint]
            force, coordinate = ("N", "m") if one.type == "prismatic" else ("N m", "rad")
            unit = force if kind is Kind.COULOMB else f"{force} s/{coordinate}"
            value = float(FLOAT64.array([one.coulomb if kind is Kind.COULOMB else one.viscous])[0])
            yield Parameter(next(names), unit, kind, joint, value, 1.0, f"joint_{symbol}")
