# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The drives: what force a command becomes, and the drive constants a simulation falls back on."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from pkm_identification.mechanisms.friction import friction_force
from pkm_identification.mechanisms.hexapod.drive import Drive
from pkm_identification.mechanisms.hexapod.dynamics import strut_forces
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import STRUTS, PlatformMotion
from pkm_identification.numerics.arrays import FloatArray

# A machine file without drive section gets drives that reach this many times the largest holding force with 10 A.
FALLBACK_RESERVE = 20.0
FALLBACK_CURRENT = 10.0  # A


class DriveConstants(Protocol):
    """What turns counts into coordinates (n,) and currents into forces (n,); see `mechanisms.hexapod.drive.Drive`."""

    @property
    def length_at_zero(self) -> FloatArray: ...

    @property
    def counts_per_meter(self) -> float: ...

    @property
    def force_per_ampere(self) -> float: ...

    @property
    def force_limit(self) -> float: ...

    @property
    def counted(self) -> bool:
        """Whether encoders count."""


@dataclass(frozen=True)
class ExactDrives:
    """Drives of which a file states neither encoders nor motors: counts are coordinates, currents are forces.

    Attributes
    ----------
    length_at_zero : ndarray, shape (n,)
        Zero.
    """

    length_at_zero: FloatArray
    counts_per_meter: float = 1.0
    force_per_ampere: float = 1.0
    force_limit: float = np.inf
    counted: bool = False


class Drives:
    """Force-controlled drives with a current limit.

    A command given at one control instant is reached at the next: the current loop interpolates linearly in between (as
    the fine interpolation of a machine tool's drive does), so that force is continuous and a current sampled with the
    encoders is the force at that very instant.
    """

    def __init__(self, drive: DriveConstants) -> None:
        self.force_limit = drive.force_limit
        self.enabled = True
        self.saturated = np.zeros(len(drive.length_at_zero), dtype=bool)
        """Which drives are at their limit."""

    def force(self, command: FloatArray) -> FloatArray:
        """Force (n,) in N (N m) that will be reached for a command (n,)."""
        if not self.enabled:
            self.saturated[:] = False
            return np.zeros(len(self.saturated))
        force = np.minimum(np.maximum(command, -self.force_limit), self.force_limit)
        np.not_equal(force, command, out=self.saturated)
        return force


def completed_drive(machine: Machine, holding_force: FloatArray | None = None) -> Drive:
    """Return the drives of a machine, with those of `fallback_drive` for what its file does not say.

    Parameters
    ----------
    machine : Machine
    holding_force : ndarray, shape (6,), optional
        N at home; computed from the machine unless given.
    """
    drive = machine.drive
    if drive is not None and drive.has_encoder and drive.has_motor:
        return drive
    if holding_force is None:
        still = np.zeros((1, 6))
        pose = machine.home_position[None], machine.home_rotation[None]
        holding_force = strut_forces(machine, PlatformMotion(np.zeros(1), *pose, still, still))[0]
    completed = fallback_drive(holding_force)
    if machine.actuators is not None and machine.rate_limit is not None:
        # actuators of the file push against more than weight: what is reported of them must not be clipped
        fastest = np.full((1, STRUTS), machine.rate_limit)
        moving = friction_force(fastest, machine.friction)[0] + [
            actuator.transfer(1.0 / completed.sample_rate).friction(machine.rate_limit)
            for actuator in machine.actuators
        ]
        limit = max(completed.force_limit, float(np.max(np.abs(holding_force) + np.abs(moving))))
        scale = limit / completed.force_limit
        completed = replace(completed, force_limit=limit, torque_constant=scale * completed.torque_constant)
    if drive is None:
        return completed
    kept = ["sample_rate", "force_delay", "force_gain", "force_offset"]
    kept += ["counts_per_meter", "length_at_zero"] if drive.has_encoder else []
    kept += (
        ["torque_constant", "screw_lead", "gear_ratio", "efficiency", "force_limit", "motor_inertia"]
        if drive.has_motor
        else []
    )
    return replace(completed, **{name: getattr(drive, name) for name in kept})


def fallback_drive(holding_force: FloatArray) -> Drive:
    """Drive constants for a machine file that has none: 1 kHz, 1.25 um encoders, ample force."""
    limit = FALLBACK_RESERVE * max(float(np.abs(holding_force).max()), 10.0)
    lead = 0.005
    return Drive(
        sample_rate=1000.0,
        counts_per_meter=800000.0,
        length_at_zero=np.zeros(STRUTS),
        torque_constant=limit * lead / (2 * np.pi * FALLBACK_CURRENT),
        screw_lead=lead,
        gear_ratio=1.0,
        efficiency=1.0,
        force_limit=limit,
    )
