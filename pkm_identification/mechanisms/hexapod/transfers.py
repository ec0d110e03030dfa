# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What lies between measured and acting forces of a machine's drives, by its file."""

from __future__ import annotations

import math
from dataclasses import replace

from ..actuators.transfer import Transfer
from .machine import Machine


def command_period(machine: Machine) -> float | None:
    """Seconds for which a drive's command is held: the period of the innermost loop, else of the machine's controller.

    None where the file says nothing of either.
    """
    if machine.control is not None:
        return machine.control.command_period
    return None if machine.drive is None else machine.drive.control_period


def transfers_of(machine: Machine, period: float) -> tuple[Transfer, ...] | None:
    """Of each drive, for logs with a sample period in s; None where forces are those that act."""
    if machine.actuators is None:
        return None
    longest = command_period(machine) or math.inf
    # what commands are held for makes the swing, whatever samples see of it
    held = longest if math.isfinite(longest) else period
    transfers = tuple(
        replace(actuator.transfer(held), held=longest).at(period) for actuator in machine.actuators
    )
    return transfers if any(transfer.acts for transfer in transfers) else None
