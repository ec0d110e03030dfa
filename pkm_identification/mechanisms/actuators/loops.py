# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The loops inside a drive, each with its own period, as the section `control` of a machine file gives them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from pkm_identification.document import Node

from ..file_keys.key import NOT_NEGATIVE, NUMBER, POSITIVE, Form, Key, choice
from .base import Actuator

MOST_CYCLES_LATE = 8
SPEED_SENSORS = ("encoder", "tachometer")
_WHOLE = 1e-6  # of a period: nearer than this to a multiple it is one


def _read_cycles_late(node: Node) -> int:
    late = node.not_negative()
    if late != int(late) or late > MOST_CYCLES_LATE:
        node.fail(f"= {node.value}: must be a whole number of periods, at most {MOST_CYCLES_LATE}")
    return int(late)


_GAIN = Key("gain", "A s/rad; V/A of the current loop", POSITIVE, required=True)
_OF_EACH = (
    Key("period", "s, a multiple of that of the loop inside", POSITIVE, required=True),
    Key("limit", "of what the loop gives out", POSITIVE, null=True, absent=np.inf),
)
_INTEGRAL = Key("integral", "gain of the integral: of `gain`, a second", NOT_NEGATIVE, default=0.0)
_RATE = Key("rate_feed_forward", "1; A s/rad of the velocity loop", NOT_NEGATIVE, default=0.0)
POSITION = Key(
    "position",
    "proportional",
    keys=(
        Key("gain", "1/s, of the motor's angle where there is a motor", NUMBER, required=True),
        *_OF_EACH,
        _RATE,
        Key(
            "cycles_late",
            f"periods a command takes to the drive, at most {MOST_CYCLES_LATE}",
            Form(
                "whole number",
                {"type": "integer", "minimum": 0, "maximum": MOST_CYCLES_LATE},
                _read_cycles_late,
            ),
            default=0,
        ),
    ),
)
VELOCITY = Key(
    "velocity",
    "proportional and integral",
    keys=(
        _GAIN,
        _INTEGRAL,
        *_OF_EACH,
        _RATE,
        Key("acceleration_feed_forward", "A s^2/rad", NOT_NEGATIVE, default=0.0),
        Key(
            "speed_sensor",
            "what the loop gets (default: encoder, its difference)",
            choice(SPEED_SENSORS),
            default=SPEED_SENSORS[0],
        ),
    ),
)
CURRENT = Key("current", "proportional and integral", keys=(_GAIN, _INTEGRAL, *_OF_EACH))


@dataclass(frozen=True)
class PositionControl:
    """k_v in 1/s (of a lone position loop: command per coordinate), limit of what it gives out, its period in s.

    `rate_feed_forward` is the share of the wanted rate that is added; `cycles_late` how many of its periods its command
    takes to the drive.
    """

    gain: float
    period: float
    limit: float = np.inf
    rate_feed_forward: float = 0.0
    cycles_late: int = 0


@dataclass(frozen=True)
class VelocityControl:
    """k_p in A s/rad, k_i in A/rad, feed-forward of rate (A s/rad) and acceleration (A s^2/rad), limit, period in s.

    `tachometer` tells whether the loop gets the true rate; else it gets the encoder's difference over its period.
    """

    gain: float
    integral: float
    period: float
    limit: float = np.inf
    rate_feed_forward: float = 0.0
    acceleration_feed_forward: float = 0.0
    tachometer: bool = False


@dataclass(frozen=True)
class CurrentControl:
    """k_p in V/A, k_i in V/(A s), limit in V, period in s."""

    gain: float
    integral: float
    period: float
    limit: float = np.inf


@dataclass(frozen=True)
class DriveLoops:
    """The loops of one drive; an inner one may be missing where the actuator has its own.

    Angles are the motor's where the drive has one, else the driven coordinate (then N for A, m for rad).
    """

    position: PositionControl
    velocity: VelocityControl | None = None
    current: CurrentControl | None = None


def read_drive_loops(node: Node, actuators: dict[int, Actuator]) -> DriveLoops:
    """Return the loops of a section.

    Parameters
    ----------
    node : Node
    actuators : dict of int to Actuator
        Of the drives they are for, by number from 0.

    Raises
    ------
    MachineError
        If a value is impossible, periods are no multiples, or an actuator cannot take what the loops give.
    """
    position = PositionControl(**replace(POSITION, required=True).read(node))
    velocity, current = VELOCITY.read(node), CURRENT.read(node)
    node.close()
    if position.gain == 0.0:
        node.take("position").take("gain").fail("= 0: such a loop does nothing")
    if velocity is not None:
        tachometer = velocity.pop("speed_sensor") == "tachometer"
        velocity = VelocityControl(**velocity, tachometer=tachometer)
    current = current and CurrentControl(**current)
    if velocity is not None:
        _read_multiple(node, "position", position.period, "velocity", velocity.period)
    if current is not None:
        if velocity is None:
            node.take("current").fail("needs a 'velocity' loop around it")
        else:
            _read_multiple(node, "velocity", velocity.period, "current", current.period)
    for i, actuator in actuators.items():
        unit = actuator.command_unit
        if velocity is None and unit != "A":
            node.fail(
                f"has a position loop alone, whose command is a valve current in A; drive {i + 1} takes {unit}"
            )
        if current is not None and unit != "V":
            node.take("current").fail(f"gives a voltage; drive {i + 1} takes {unit}")
        if velocity is not None and current is None and unit == "V":
            node.take("velocity").fail(
                f"gives a current; drive {i + 1} takes V: add 'current' or a current_bandwidth"
            )
        if velocity is not None and actuator.has_valve:
            node.take("velocity").fail(
                f"is for drives with a motor or a force as command; drive {i + 1} has a valve"
            )
        if velocity is None and actuator.motor is not None:
            node.fail(
                f"has no 'velocity' loop, and drive {i + 1} has a motor, which a position loop alone cannot hold"
            )
    return DriveLoops(position, velocity, current)


def _read_multiple(node: Node, outer: str, long: float, inner: str, short: float) -> None:
    ratio = long / short
    if not np.isfinite(ratio) or ratio < 1 - _WHOLE or abs(ratio - round(ratio)) > _WHOLE * ratio:
        node.take(outer).fail(
            f"has period {long:g} s, which is no multiple of the {inner} loop's {short:g} s: each outer loop must "
            "run every n-th time of the one inside"
        )
