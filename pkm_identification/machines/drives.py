# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Drives of machine files: as the contract has them, what yields behind them, and which go to places by themselves."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from pkm_identification.mechanisms.actuators.base import Actuator
from pkm_identification.mechanisms.multibody.numbers.arithmetic import FLOAT64
from pkm_identification.numerics.arrays import FloatArray

from .contract import FORCE_ROOM, RATE_ROOM, Drive, Machine

_SIZE = {"m": 0.1, "rad": 1.0}  # a large change of a drive without limits: of the largest body, or rad
_STROKE = 0.1  # of the way between a drive's limits: a large change


def read_drive(drive: Any, body: float, valve: str) -> Drive:
    """Return the contract's drive of a description's, where the largest body is so large, m."""
    unit = drive.measure.unit
    low, high = FLOAT64.array(list(drive.limits)) if drive.limits else (-np.inf, np.inf)
    stroke = float(high - low)
    size = _STROKE * stroke if np.isfinite(stroke) else _SIZE[unit] * (body if unit == "m" else 1.0)
    return Drive(
        drive.name, drive.name, unit, drive.force, float(low), float(high), size=size, reported=drive.reported,
        valve=valve, rated_rate=drive.rate_limit, rated_force=drive.force_limit,
        following_error=drive.following_error, force_jump=drive.force_jump,
        rate_limit=RATE_ROOM * drive.rate_limit, force_limit=FORCE_ROOM * drive.force_limit,
    )  # fmt: skip


def find_place_drives(control: Any, actuators: Iterable[Actuator] | None) -> str:
    """Return why drives take no forces, in words; empty where they take them.

    Parameters
    ----------
    control : object or None
        Of the machine's file.
    actuators : iterable of Actuator or None
    """
    if control is not None:
        return "its file's 'control' commands the drives"
    for actuator in actuators or ():
        if actuator.has_valve or actuator.holds_position:
            return f"its '{actuator.type}' drives take lengths"
    return ""


def find_valve(actuators: Sequence[Actuator] | None, drive: int) -> str:
    """Return the type of a drive's actuator whose current opens a valve, and is no force; empty of others."""
    actuator = None if actuators is None else actuators[drive]
    return actuator.type if actuator is not None and actuator.has_valve else ""


_PERIOD = 1e-3  # s: compliance is the same at any


def find_compliance(machine: Machine) -> FloatArray:
    """Return what each drive deflects by (n,), m/N or rad/(N m); 0 of a rigid one."""
    transfers = machine.build_transfers(_PERIOD) or ()
    return np.array([one.compliance for one in transfers] or [0.0] * len(machine.drives))


def compute_friction_inside(machine: Machine, rate: FloatArray) -> FloatArray:
    """Return friction inside the drives (N, n), which a file takes off their forces, at rates (N, n)."""
    inside = np.zeros_like(rate)
    for k, actuator in enumerate(machine.actuators or ()):
        inside[:, k] = actuator.friction.at(rate[:, k])
    return inside


def find_coefficients_inside(machine: Machine) -> FloatArray:
    """Return the same as coefficients of the drives' friction in the basis (B,), 0 elsewhere."""
    found = np.zeros(len(machine.basis))
    for k, actuator in enumerate(machine.actuators or ()):
        inside = {"viscous": actuator.friction.viscous, "coulomb": actuator.friction.coulomb}
        for row, name in zip(machine.friction_rows[:, k], machine.friction[k].law.names, strict=False):
            found[row] = inside.get(name, 0.0)
    return found
