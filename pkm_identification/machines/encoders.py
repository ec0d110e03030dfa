# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Encoders of a machine's drives that yield: on the motor, on the load or on both, and which of them logs show."""

from __future__ import annotations

from pkm_identification.errors import SettingsError
from pkm_identification.mechanisms.actuators.two_inertia import by_encoder

from .contract import Machine


def are_on_motors(machine: Machine) -> bool:
    """Return whether coordinates in logs are those of encoders on the motors."""
    drives = machine.actuators or ()
    taken = any(one.has_both_encoders and one.log_on_motor for one in drives)
    return taken or (bool(drives) and all(one.log_on_motor for one in drives))


def has_both_encoders(machine: Machine) -> bool:
    """Return whether there are drives with an encoder on either side."""
    return any(one.has_both_encoders for one in machine.actuators or ())


def find_encoder_side(machine: Machine) -> str:
    """Return on which side of the drives logs' encoders are, 'load' or 'motor'; empty where drives have one each."""
    if not has_both_encoders(machine):
        return ""
    return "motor" if are_on_motors(machine) else "load"


def with_encoder(machine: Machine, side: str) -> Machine:
    """Return a machine as its logs show it by one of two encoders of each drive, on the 'motor' or on the 'load'.

    Raises
    ------
    SettingsError
        If its drives have one encoder each.
    """
    if not has_both_encoders(machine):
        raise SettingsError(f"encoder {side}: drives of machine '{machine.name}' have one encoder each")
    return machine.with_actuators(tuple(by_encoder(one, side) for one in machine.actuators or ()))
