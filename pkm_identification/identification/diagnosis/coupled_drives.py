# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Motors that turn with the sum or the difference of two joints, in a file that gives each joint a drive of its own.

Wrists are built so: motor 6 turns when joint 5 does. Either the log has the motors, whose last angle is no joint's; or
it has the joints, and friction of the motor acts on the sum of their rates, and at both of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from pkm_identification.machines.contract import Machine
from pkm_identification.mechanisms.friction import friction_columns
from pkm_identification.numerics.arrays import FloatArray

from ..full_model.equations import FullEquations
from ..model_errors.log_rows import DriveMotion, LogRows
from .findings import Cause

NAME = "coupled_drives"


@dataclass(frozen=True)
class CoupledMotor:
    """The motor of a drive that turns by its own joint's angle and `sign` times that of another drive."""

    drive: int
    other: int
    sign: float


def list_coupled_motors(machine: Machine) -> Iterator[CoupledMotor]:
    """Yield how the motors of turning drives next to each other may be coupled, the later ones first."""
    turning = [k for k, drive in enumerate(machine.drives) if drive.unit == "rad"]
    for before, after in pairwise(turning):
        for drive, other in ((after, before), (before, after)):
            yield from (CoupledMotor(drive, other, sign) for sign in (1.0, -1.0))


def describe_coupled_motor(machine: Machine, motor: CoupledMotor, logged: str) -> Cause:
    """Return a motor as a cause, with the line that states it; `logged` is "motors" or "joints"."""
    own, other = machine.drives[motor.drive].name, machine.drives[motor.other].name
    stated = machine.document.get("drives") or {}
    joints = [
        stated[name].get("joint", name) if isinstance(stated, Mapping) and name in stated else name
        for name in (other, own)
    ]
    line = f"{own}: {{sum: {{{joints[0]}: {motor.sign:g}, {joints[1]}: 1}}}}"
    motors = (
        "" if logged == "motors" else "Log angles and torques of the motors, in place of the joints', and s"
    )
    correction = f"{motors or 'S'}tate in the file's drives: {line}"
    detail = f"the motor of {own} turns with {other}; the log has the {logged}"
    return Cause(NAME, motor.sign, 0.0, "", 0.0, correction, NAME, detail)


def couple_bodies(full: FullEquations, motor: CoupledMotor) -> FloatArray:
    """Return the columns (K, m, T) where the log has the motors: what bodies need there, friction as it is."""
    machine, columns = full.machine, full.columns.copy()
    unit, rows = np.eye(full.basis), machine.rows_of_bodies
    of_bodies = np.flatnonzero(np.any([np.any(one, axis=1) for one in rows], axis=0))
    made = [_compute_bodies(one, machine, motor, unit[:, of_bodies]) for one in full.rows]
    columns[:, :, of_bodies] = np.concatenate(made)
    return columns


def _compute_bodies(rows: LogRows, machine: Machine, motor: CoupledMotor, mapping: FloatArray) -> FloatArray:
    joints = DriveMotion(*(one.copy() for one in rows.thin_drives))
    for values in joints:
        values[:, motor.drive] -= motor.sign * values[:, motor.other]
    regressor = machine.compute_regressor(rows.thin_motion_of(machine, joints), mapping)
    regressor[:, motor.other] -= motor.sign * regressor[:, motor.drive]  # power of both is the same
    return rows.thin_in_band(regressor)


def couple_friction(full: FullEquations, motor: CoupledMotor) -> FloatArray:
    """Return the columns (K, m, T) where the log has the joints: friction of the motor acts on the sum of rates."""
    machine, columns = full.machine, full.columns.copy()
    law = machine.friction[motor.drive]
    entries = machine.friction_rows[: len(law.law.coefficients), motor.drive]
    made = []
    for rows in full.rows:
        rate = rows.motion.rate
        terms = friction_columns(rate[:, motor.drive] + motor.sign * rate[:, motor.other], law).T
        felt = np.zeros((*rate.shape, terms.shape[1]))
        felt[:, motor.drive], felt[:, motor.other] = terms, motor.sign * terms
        made.append(rows.in_band(felt))
    columns[:, :, entries] = np.concatenate(made)
    return columns
