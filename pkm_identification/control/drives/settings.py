# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What the loops of a machine file are for compiled code: settings of each drive, in small steps."""

from __future__ import annotations

from collections.abc import Sequence

from pkm_identification.errors import SettingsError
from pkm_identification.mechanisms.actuators import Bank
from pkm_identification.mechanisms.actuators.loops import DriveLoops
from pkm_identification.mechanisms.actuators.row import LIMIT
from pkm_identification.numerics.arrays import FloatArray

from . import cascade as place

_WHOLE = 1e-6


def drive_settings(bank: Bank, loops: Sequence[DriveLoops], step: float) -> FloatArray:
    """Settings (n, SETTINGS) of the controllers in the drives; zeros without loops.

    Parameters
    ----------
    bank : Bank
    loops : sequence of DriveLoops
        Of each drive, or none.
    step : float
        Small step of the simulation, s.

    Raises
    ------
    SettingsError
        If a period is no multiple of the small step.
    """
    settings = place.empty_settings(len(bank))
    limits = _build_current_limits(bank)
    for i, one in enumerate(loops):
        row, position, velocity, current = settings[i], one.position, one.velocity, one.current
        row[place.STEP] = step
        row[place.POSITION_STEPS] = _count_steps("position", position.period, step)
        row[place.POSITION_GAIN] = position.gain
        row[place.RATE_SHARE] = position.rate_feed_forward
        row[place.RATE_LIMIT] = position.limit
        row[place.CYCLES_LATE] = position.cycles_late
        motor = bank.actuators[i].motor
        row[place.RATIO] = 1.0 if motor is None else motor.ratio
        if velocity is not None:
            row[place.VELOCITY_STEPS] = _count_steps("velocity", velocity.period, step)
            row[place.VELOCITY_GAIN] = velocity.gain
            row[place.VELOCITY_INTEGRAL] = velocity.integral
            row[place.VELOCITY_FEED] = velocity.rate_feed_forward
            row[place.ACCELERATION_FEED] = velocity.acceleration_feed_forward
            row[place.TACHOMETER] = velocity.tachometer
            row[place.CURRENT_LIMIT] = min(velocity.limit, limits[i])
        if current is not None:
            row[place.CURRENT_STEPS] = _count_steps("current", current.period, step)
            row[place.CURRENT_GAIN] = current.gain
            row[place.CURRENT_INTEGRAL] = current.integral
            row[place.VOLTAGE_LIMIT] = min(current.limit, bank.rows[i, LIMIT])
    return settings


def _build_current_limits(bank: Bank) -> list[float]:
    """Return the current limits of what a velocity loop gives out, a current or a force."""
    return [
        limit if actuator.motor is None else actuator.motor.current_limit
        for actuator, limit in zip(bank.actuators, bank.rows[:, LIMIT], strict=True)
    ]


def _count_steps(name: str, period: float, step: float) -> int:
    count = round(period / step)
    if count < 1 or abs(count * step - period) > _WHOLE * period:
        raise SettingsError(
            f"control.{name}.period: {period:g} s is no multiple of the simulation's small step, {step:g} s"
        )
    return count
