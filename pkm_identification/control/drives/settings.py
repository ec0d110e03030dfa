"""What the loops of a machine file are for compiled code: settings of each drive, in small steps."""

from __future__ import annotations

import numpy as np

from pkm_identification.errors import SettingsError
from pkm_identification.mechanisms.actuators import Bank
from pkm_identification.mechanisms.actuators.loops import DriveLoops
from pkm_identification.mechanisms.actuators.row import LIMIT
from pkm_identification.mechanisms.model import Actuator
from pkm_identification.numerics.arrays import FloatArray

from . import cascade as place

_WHOLE = 1e-6


def drive_settings(bank: Bank, loops: DriveLoops | None, step: float) -> FloatArray:
    """Settings (n, SETTINGS) of the controllers in the drives; zeros without loops.

    Parameters
    ----------
    bank : Bank
    loops : DriveLoops or None
    step : float
        Small step of the simulation, s.

    Raises
    ------
    SettingsError
        If a period is no multiple of the small step.
    """
    settings = place.empty_settings(len(bank))
    if loops is None:
        return settings
    position, velocity, current = loops.position, loops.velocity, loops.current
    settings[:, place.STEP] = step
    settings[:, place.POSITION_STEPS] = _steps("position", position.period, step)
    settings[:, place.POSITION_GAIN] = position.gain
    settings[:, place.RATE_SHARE] = position.rate_feed_forward
    settings[:, place.RATE_LIMIT] = position.limit
    settings[:, place.CYCLES_LATE] = position.cycles_late
    settings[:, place.RATIO] = [_ratio(actuator) for actuator in bank.actuators]
    if velocity is not None:
        settings[:, place.VELOCITY_STEPS] = _steps("velocity", velocity.period, step)
        settings[:, place.VELOCITY_GAIN] = velocity.gain
        settings[:, place.VELOCITY_INTEGRAL] = velocity.integral
        settings[:, place.VELOCITY_FEED] = velocity.rate_feed_forward
        settings[:, place.ACCELERATION_FEED] = velocity.acceleration_feed_forward
        settings[:, place.CURRENT_LIMIT] = np.minimum(velocity.limit, _current_limits(bank))
    if current is not None:
        settings[:, place.CURRENT_STEPS] = _steps("current", current.period, step)
        settings[:, place.CURRENT_GAIN] = current.gain
        settings[:, place.CURRENT_INTEGRAL] = current.integral
        settings[:, place.VOLTAGE_LIMIT] = np.minimum(current.limit, bank.rows[:, LIMIT])
    return settings


def _ratio(actuator: Actuator) -> float:
    return 1.0 if actuator.motor is None else actuator.motor.ratio


def _current_limits(bank: Bank) -> list[float]:
    """Of what a velocity loop gives out, a current or a force."""
    return [
        limit if actuator.motor is None else actuator.motor.current_limit
        for actuator, limit in zip(bank.actuators, bank.rows[:, LIMIT], strict=True)
    ]


def _steps(name: str, period: float, step: float) -> int:
    count = round(period / step)
    if count < 1 or abs(count * step - period) > _WHOLE * period:
        raise SettingsError(
            f"control.{name}.period: {period:g} s is no multiple of the simulation's small step, {step:g} s"
        )
    return count
