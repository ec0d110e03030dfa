# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""A force loop around hydraulic drives: valve currents that make the load force follow a wanted one.

The cylinder's equation c_o F' = Q_nl(x_v) - x' - c_h^-1 F, solved for the opening that makes F' = k (F* - F):

    Q_nl(i) = x' + c_h^-1 F + c_o k (F* - F).

The rate is that of the instant at which the valve will have opened: valve and hold are late by T, and k is 1 / (3 T).
With it drives with valves take forces as motors do, and every law of forces is theirs (Machielsen 1983, appendix D, has
the equation; the loop is not in the text).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from pkm_identification.errors import SettingsError
from pkm_identification.mechanisms.actuators.base import Actuator
from pkm_identification.mechanisms.actuators.servo import Servo
from pkm_identification.numerics.arrays import FloatArray

LATE = 3.0  # times valve and hold are late, in which a force error falls to 1 / e
_SLOW = 1.0  # rad/s, at which the valve's phase is its delay


class ForceLoop:
    """Valve currents by wanted forces.

    Parameters
    ----------
    actuators : sequence of Servo
    period : float
        s, between calls.

    Raises
    ------
    SettingsError
        If a drive has no valve.
    """

    def __init__(self, actuators: Sequence[Actuator], period: float) -> None:
        self._servos = [one for one in actuators if isinstance(one, Servo)]
        if len(self._servos) != len(actuators):
            raise SettingsError("a force loop is for drives with valves")
        slow = np.array([1j * _SLOW])
        valve = [-np.angle(one.valve_response(slow)[0]) / _SLOW for one in self._servos]
        self.late = np.array(valve) + 1.5 * period
        """s, (n,), by which an opening is behind its sample: valve, hold and difference of positions."""
        self.rate = 1.0 / (LATE * self.late)
        """1/s, (n,), of the loops."""

    def step(
        self, wanted: FloatArray, load: FloatArray, rate: FloatArray, acceleration: FloatArray
    ) -> FloatArray:
        """Return valve currents in A, (n,).

        Parameters
        ----------
        wanted, load : ndarray, shape (n,)
            Load force that is asked for, and that pressures stand for, N or N m.
        rate, acceleration : ndarray, shape (n,)
            Of the drives, the latter as asked for.
        """
        ahead = rate + self.late * acceleration
        currents = np.zeros(len(self._servos))
        for i, one in enumerate(self._servos):
            gap = wanted[i] - load[i]
            speed = ahead[i] + one.hydraulic_compliance * load[i] + one.oil_compliance * self.rate[i] * gap
            table = one.no_load
            currents[i] = table.opening_for(float(np.clip(speed, table.speed[0], table.speed[-1])))
        return currents


def open_position_loops(actuators: Sequence[Actuator]) -> tuple[Actuator, ...]:
    """Return hydraulic drives without their own position controllers: their command is the valve's current."""
    return tuple(
        replace(one, loop=replace(one.loop, gain=0.0, sensor_delay=0.0)) if isinstance(one, Servo) else one
        for one in actuators
    )
