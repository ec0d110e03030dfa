# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The electric motor of `screw` and `two_inertia`: winding, amplifier, limits, and the gear to the driven coordinate.

    L i' + R i = V - k_E w,  torque = k_T i

The command is a voltage, or a current that the amplifier's own loop follows, i' = 2 pi f (i_cmd - i) as long as the
voltage for it is at hand. Without R and L the current is the command.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pkm_identification.document import Node
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.compiled import kernel

from ..file_keys.key import POSITIVE, Key, read_keys
from .quantity import ROTARY, Quantity, Units
from .row import LIMIT, OWN

TORQUE_CONSTANT, BACK_EMF, RESISTANCE, INDUCTANCE, BANDWIDTH, VOLTAGE, RATIO = range(OWN, OWN + 7)
OWN_OF_TYPE = OWN + 7
_MOTOR_KEYS = (
    Key("torque_constant", "of the motor, N m/A", POSITIVE, required=True),
    Key(
        "back_emf", "of the motor, V s/rad (default: as its torque constant, by energy)", POSITIVE, null=True
    ),
    Key("gear_ratio", "motor turns for each turn of the screw, 1 (default: 1)", POSITIVE, default=1.0),
    Key("current_limit", "peak current, A", POSITIVE, required=True),
    Key(
        "winding",
        "of the motor; without it the current is the command",
        keys=(
            Key("resistance", "of the winding, ohm", POSITIVE, required=True),
            Key("inductance", "of the winding, H", POSITIVE, required=True),
            Key("voltage_limit", "of the amplifier, V", POSITIVE, required=True),
            Key(
                "current_bandwidth",
                "of the amplifier's loop, Hz; without it the voltage is the command",
                POSITIVE,
                null=True,
                absent=0.0,
            ),
        ),
        null=True,
    ),
)


@kernel
def compute_winding_current(row, known, h, signal, speed):
    """Current at the end of an implicit stage of h s (at h = 0 the known one), and its slope by the motor's speed."""
    inductance = row[INDUCTANCE]
    if inductance == 0.0:
        return signal, 0.0
    voltage = signal
    if row[BANDWIDTH] > 0.0:
        share = h * row[BANDWIDTH]
        current = (known + share * signal) / (1.0 + share)
        voltage = inductance * row[BANDWIDTH] * (signal - current) + row[RESISTANCE] * current
        voltage += row[BACK_EMF] * speed
        if abs(voltage) <= row[VOLTAGE]:
            return current, 0.0
        voltage = row[VOLTAGE] if voltage > 0.0 else -row[VOLTAGE]
    stiff = inductance + h * row[RESISTANCE]
    return (inductance * known + h * (voltage - row[BACK_EMF] * speed)) / stiff, -h * row[BACK_EMF] / stiff


@dataclass(frozen=True)
class Winding:
    """Resistance (Ohm), inductance (H), voltage limit (V), bandwidth of the current loop (rad/s; 0: none)."""

    resistance: float
    inductance: float
    voltage_limit: float
    bandwidth: float


@dataclass(frozen=True)
class Motor:
    """A motor and its gear.

    Attributes
    ----------
    torque_constant, back_emf : float
        N m/A and V s/rad.
    current_limit : float
        A.
    ratio : float
        Motor angle per driven coordinate, rad/m (rad/rad): 2 pi gear_ratio / lead.
    winding : Winding or None
        None: the current is the command.
    """

    torque_constant: float
    ratio: float
    current_limit: float = np.inf
    back_emf: float | None = None
    winding: Winding | None = None

    @property
    def emf(self) -> float:
        """k_E; that of energy conservation, k_T, unless the file says otherwise."""
        return self.torque_constant if self.back_emf is None else self.back_emf

    @property
    def by_voltage(self) -> bool:
        """Whether the command is the winding's voltage."""
        return self.winding is not None and self.winding.bandwidth == 0.0

    @property
    def command_unit(self) -> str:
        return "V" if self.by_voltage else "A"

    @property
    def state_names(self) -> tuple[str, ...]:
        return () if self.winding is None else ("current",)

    @property
    def signal_limit(self) -> float:
        """Of the command: V or A."""
        return self.winding.voltage_limit if self.by_voltage and self.winding else self.current_limit

    @property
    def lag(self) -> float:
        """s, with which the current follows the command."""
        if self.winding is None:
            return 0.0
        bandwidth = self.winding.bandwidth
        return 1.0 / bandwidth if bandwidth else self.winding.inductance / self.winding.resistance

    def signal(self, command: float) -> float:
        limit = self.signal_limit
        return float(min(max(command, -limit), limit))

    def current_rate(self, current: float, signal: float, speed: float) -> float:
        """i' in A/s at a motor speed in rad/s."""
        winding = self.winding
        if winding is None:
            return 0.0
        drop = winding.resistance * current + self.emf * speed
        voltage = signal
        if winding.bandwidth:
            wanted = winding.inductance * winding.bandwidth * (signal - current) + drop
            voltage = float(np.clip(wanted, -winding.voltage_limit, winding.voltage_limit))
        return (voltage - drop) / winding.inductance

    def command_for(self, current: float) -> float:
        """Return the command that holds a current at rest."""
        return self.winding.resistance * current if self.by_voltage and self.winding else current

    @property
    def parameters(self) -> tuple[Quantity, ...]:
        quantities = [
            Quantity("torque_constant", self.torque_constant, "N m/A", "motor.torque_constant"),
            Quantity("current_limit", self.current_limit, "A", "motor.current_limit"),
            Quantity("ratio", self.ratio, "rad per coordinate", "motor.ratio"),
        ]
        if self.winding is not None:
            quantities += [
                Quantity("back_emf", self.emf, "V s/rad", "motor.back_emf"),
                Quantity("winding.resistance", self.winding.resistance, "Ohm", "motor.winding.resistance"),
                Quantity("winding.inductance", self.winding.inductance, "H", "motor.winding.inductance"),
                Quantity(
                    "winding.voltage_limit", self.winding.voltage_limit, "V", "motor.winding.voltage_limit"
                ),
            ]
        return tuple(quantities)

    def fill(self, row: FloatArray) -> None:
        """Write it into an actuator's row."""
        row[LIMIT] = self.signal_limit
        row[TORQUE_CONSTANT], row[BACK_EMF], row[RATIO] = self.torque_constant, self.emf, self.ratio
        if self.winding is not None:
            row[RESISTANCE], row[INDUCTANCE] = self.winding.resistance, self.winding.inductance
            row[BANDWIDTH], row[VOLTAGE] = self.winding.bandwidth, self.winding.voltage_limit


def list_motor_keys(turning: bool) -> tuple[Key, ...]:
    """Return the keys of a motor and its gear, for a drive along a length or one that turns."""
    lead = Key(
        "lead", "of the screw, m a turn; none of a drive that turns", POSITIVE, not turning, default=2 * np.pi
    )
    return (*_MOTOR_KEYS, lead)


def read_motor(node: Node, units: Units) -> Motor:
    """Return the motor's keys of an actuator's section."""
    values = read_keys(node, list_motor_keys(units == ROTARY))
    constant, emf, winding = (values[name] for name in ("torque_constant", "back_emf", "winding"))
    if emf is not None and emf < constant * (1 - 1e-9):
        node.take("back_emf").fail(
            f"= {emf:g}: below torque_constant ({constant:g}): the motor would give more power than it takes "
            "(in SI units and for a direct current both are one number)"
        )
    if emf is not None and winding is None:
        node.take("back_emf").fail(
            "acts on a 'winding' (resistance, inductance, voltage_limit), which is missing in this file"
        )
    if winding is not None:
        winding = Winding(bandwidth=2 * np.pi * winding.pop("current_bandwidth"), **winding)
    ratio = 2 * np.pi * values["gear_ratio"] / values["lead"]
    return Motor(constant, ratio, values["current_limit"], emf, winding)
