# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Which numbers of a drive can be estimated, and the drive with others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pkm_identification.errors import SettingsError
from pkm_identification.mechanisms.actuators.base import Actuator
from pkm_identification.mechanisms.actuators.quantity import Quantity
from pkm_identification.mechanisms.actuators.registry import varied
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.suggestion import did_you_mean

# Known of themselves: limits, what is set or printed on a plate, and what the sensor's scale is
KNOWN = (
    "current_limit", "winding.voltage_limit", "sensor.gain", "back_emf", "winding.resistance",
    "winding.inductance", "efficiency", "back_efficiency",
)  # fmt: skip
# Of what is reported over what acts: a rated torque, a torque constant or a piston's area that the log was made with
FORCE_GAIN = "force_gain"
RATIO = "ratio"  # of motor and drive: files have it as lead and gear_ratio


@dataclass(frozen=True)
class DriveNumber:
    """One number of one drive.

    Attributes
    ----------
    drive : int
        From 0.
    name : str
        Drive and key of the machine file, as `length_3.oil_compliance`.
    quantity : Quantity
        As the file has it.
    """

    drive: int
    name: str
    quantity: Quantity


def list_numbers(
    actuators: Sequence[Actuator],
    names: Sequence[str],
    moved: Sequence[bool],
    asked: Sequence[str] = (),
    with_gain: bool = False,
) -> tuple[DriveNumber, ...]:
    """Return the numbers to estimate of drives that move: those asked for by key, else all that are not known.

    Numbers that the file has as 0 are left out: what is not there has no size to begin with. With gains of forces
    each drive has one more.

    Raises
    ------
    SettingsError
        If a key is of none of these drives, or is 0 there.
    """
    every = [
        DriveNumber(i, f"{names[i]}.{quantity.name}", quantity)
        for i, actuator in enumerate(actuators)
        for quantity in (*actuator.parameters, *((Quantity(FORCE_GAIN, 1.0, ""),) if with_gain else ()))
        if moved[i] and quantity.name != RATIO
    ]
    keys = {one.quantity.name for one in every}
    for key in asked:
        if key not in keys:
            raise SettingsError(
                f"--estimate {key}: no drive that moves has it; expected some of {', '.join(sorted(keys))}"
                f"{did_you_mean(key, sorted(keys))}"
            )
        if not any(one.quantity.value for one in every if one.quantity.name == key):
            raise SettingsError(f"--estimate {key}: is 0 in the file: say there about how large it is")
    wanted = [
        one
        for one in every
        if one.quantity.value != 0.0
        and (one.quantity.name in asked if asked else one.quantity.name not in KNOWN)
    ]
    if not wanted:
        raise SettingsError("the drives that move have no number that could be estimated: all are 0 or known")
    return tuple(wanted)


def with_factors(
    actuators: Sequence[Actuator], numbers: Sequence[DriveNumber], factors: Sequence[float] | FloatArray
) -> tuple[Actuator, ...]:
    """Return actuators with their numbers multiplied by factors; gains of forces are none of theirs."""
    changed = list(actuators)
    for number, factor in zip(numbers, factors, strict=True):
        if number.quantity.name == FORCE_GAIN:
            continue
        changed[number.drive] = varied(changed[number.drive], number.quantity, float(factor))
    return tuple(changed)


def find_force_gains(
    numbers: Sequence[DriveNumber], factors: Sequence[float] | FloatArray, count: int
) -> FloatArray:
    """Return what forces of n drives are multiplied by in the log, (n,)."""
    gains = np.ones(count, dtype=np.float64)
    for number, factor in zip(numbers, factors, strict=True):
        if number.quantity.name == FORCE_GAIN:
            gains[number.drive] = factor
    return gains
