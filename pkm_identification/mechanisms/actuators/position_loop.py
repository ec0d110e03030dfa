# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The P controller inside a hydraulic servo: valve current from the difference of two voltages, within a limit."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pkm_identification.document import Node
from pkm_identification.numerics.arrays import FloatArray

from ..file_keys.key import NOT_NEGATIVE, NUMBER, POSITIVE, Key, read_keys
from .quantity import Quantity, Units
from .row import GAIN, LIMIT, SENSOR_GAIN, SENSOR_ZERO

POSITION_LOOP_KEYS = (
    Key(
        "gain",
        "of the drive's own position controller, A/V; without it the current is the command",
        NUMBER,
        default=0.0,
    ),
    Key("current_limit", "largest valve current, A", POSITIVE, required=True),
    Key(
        "sensor",
        "whose voltage `gain` acts on",
        keys=(
            Key("gain", "of the sensor, V/m, with the sign of the controller's", NUMBER, required=True),
            Key("delay", "of the voltage, s", NOT_NEGATIVE, default=0.0),
            Key("zero", "m, where its voltage is zero", NUMBER, default=0.0),
        ),
    ),
)


@dataclass(frozen=True)
class PositionLoop:
    """i = clip(K_r (V_set - K_m (x - x_0)), -I, I).

    Attributes
    ----------
    gain : float
        K_r in A/V; 0: the command is the valve current itself, and a controller outside closes the loop.
    current_limit : float
        A.
    sensor_gain : float
        K_m in V/m (V/rad).
    sensor_delay : float
        s.
    sensor_zero : float
        Coordinate in m (rad) at which the sensor shows 0 V.
    """

    gain: float
    current_limit: float
    sensor_gain: float = 1.0
    sensor_delay: float = 0.0
    sensor_zero: float = 0.0

    @property
    def command_unit(self) -> str:
        return "V" if self.gain else "A"

    def parameters(self, units: Units) -> tuple[Quantity, ...]:
        own = Quantity("current_limit", self.current_limit, "A", "loop.current_limit")
        if not self.gain:
            return (own,)
        return (
            Quantity("gain", self.gain, "A/V", "loop.gain"),
            own,
            Quantity("sensor.gain", self.sensor_gain, f"V/{units.coordinate}", "loop.sensor_gain"),
            Quantity("sensor.delay", self.sensor_delay, "s", "loop.sensor_delay"),
        )

    def signal(self, command: float, position: float) -> float:
        """Valve current in A, of a command and of what the sensor is on."""
        current = self.gain * (command - self.measure(position)) if self.gain else command
        return float(np.clip(current, -self.current_limit, self.current_limit))

    def measure(self, position: float) -> float:
        """Return the sensor's voltage at a position."""
        return self.sensor_gain * (position - self.sensor_zero)

    def command_for(self, current: float, position: float) -> float:
        """Return the command that gives a valve current at rest at a position."""
        return current / self.gain + self.measure(position) if self.gain else current

    def fill(self, row: FloatArray) -> None:
        """Write it into an actuator's row."""
        row[GAIN], row[LIMIT] = self.gain, self.current_limit
        row[SENSOR_GAIN], row[SENSOR_ZERO] = self.sensor_gain, self.sensor_zero


def read_position_loop(node: Node) -> PositionLoop:
    """`gain`, `current_limit` and `sensor` of a hydraulic actuator's section."""
    values = read_keys(node, POSITION_LOOP_KEYS)
    gain, limit, sensor = values["gain"], values["current_limit"], values["sensor"]
    if sensor is None:
        if gain:
            node.take("gain").fail("needs a 'sensor': its voltage is what the gain acts on")
        return PositionLoop(gain, limit)
    place = node.take("sensor")
    if not gain:
        place.fail("belongs to a 'gain' of the actuator's own controller, which is missing here")
    if sensor["gain"] * gain <= 0:
        place.take("gain").fail(
            f"= {sensor['gain']:g}: must have the sign of 'gain' ({gain:g}), or the loop runs away"
        )
    return PositionLoop(gain, limit, sensor["gain"], sensor["delay"], sensor["zero"])
