# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Inertia along the drives that the parameter set does not leave free."""

from __future__ import annotations

import numpy as np

from pkm_identification.machines.contract import Machine
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.parameter_set import ParameterSet

from .effect import Columns, Effect, name_drives, typical_force
from .friction import FAST, rates_of
from .situation import Situation

NAME = "motor_inertia"
SYMBOL = "inertia"  # of the basis' entries along the drives
SHARE = 0.1  # of a typical force
SETTLES = 0.1  # s in which a drive is fast, to say what acceleration is large


def of_basis(directions: FloatArray) -> Columns:
    """Return columns of directions (B, q) in the basis."""

    def columns(situation: Situation) -> FloatArray:
        rows = situation.rows
        return rows.thin_in_band(rows.machine.compute_regressor(rows.thin_motion, directions))

    return columns


def effects(machine: Machine, parameters: ParameterSet) -> list[Effect]:
    """Return the inertia of each drive, where the basis has one of every drive and the set none."""
    own = {entry.limb: k for k, entry in enumerate(machine.basis) if entry.symbol == SYMBOL}
    rows = [own[i] for i in range(len(machine.drives)) if i in own]
    if len(rows) < len(machine.drives) or np.any(parameters.mapping[rows]):
        return []
    directions = np.eye(len(machine.basis))[:, rows]
    units = tuple("kg" if drive.unit == "m" else "kg m^2" for drive in machine.drives)
    return [
        Effect(
            name=NAME,
            family="motor",
            unit=units[0] if len(set(units)) == 1 else "",
            columns=of_basis(directions),
            scale=SHARE * typical_force(machine) * SETTLES / (FAST * rates_of(machine)),
            correction="Set the inertia of the drive in the machine file, or estimate it with --also {name}",
            members=name_drives(NAME, machine),
            common=NAME if len(set(units)) == 1 else "",
            linear=True,
            directions=directions,
            # a drive with less than no inertia is none
            positive=not np.any(machine.basis.nominal[rows]),
            units=units if len(set(units)) > 1 else (),
        )
    ]
