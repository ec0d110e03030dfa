# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The loops inside a drive, each with its own period, as the section `control` of a machine file gives them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pkm_identification.document import Node

from .base import Actuator

MOST_CYCLES_LATE = 8
SPEED_SENSORS = ("encoder", "tachometer")
_WHOLE = 1e-6  # of a period: nearer than this to a multiple it is one


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
    position = _read_position_loop(node.take("position"))
    velocity = _read_velocity_loop(node) if node.has("velocity") else None
    current = _read_current_loop(node) if node.has("current") else None
    for optional in ("velocity", "current"):
        node.take(optional, None)
    node.close()
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


def _limit(node: Node) -> float:
    limit = node.take("limit", None).positive_or_none()
    return np.inf if limit is None else limit


def _read_position_loop(node: Node) -> PositionControl:
    gain_node = node.take("gain")
    if gain_node.number() == 0.0:
        gain_node.fail("= 0: such a loop does nothing")
    late = node.take("cycles_late", 0)
    if late.not_negative() != int(late.number()) or late.number() > MOST_CYCLES_LATE:
        late.fail(f"= {late.value}: must be a whole number of periods, at most {MOST_CYCLES_LATE}")
    loop = PositionControl(
        gain_node.number(),
        node.take("period").positive(),
        _limit(node),
        node.take("rate_feed_forward", 0.0).not_negative(),
        int(late.number()),
    )
    node.close()
    return loop


def _read_velocity_loop(root: Node) -> VelocityControl:
    node = root.take("velocity")
    loop = VelocityControl(
        node.take("gain").positive(),
        node.take("integral", 0.0).not_negative(),
        node.take("period").positive(),
        _limit(node),
        node.take("rate_feed_forward", 0.0).not_negative(),
        node.take("acceleration_feed_forward", 0.0).not_negative(),
        node.take("speed_sensor", SPEED_SENSORS[0]).choice(SPEED_SENSORS) == "tachometer",
    )
    node.close()
    return loop


def _read_current_loop(root: Node) -> CurrentControl:
    node = root.take("current")
    loop = CurrentControl(
        node.take("gain").positive(),
        node.take("integral", 0.0).not_negative(),
        node.take("period").positive(),
        _limit(node),
    )
    node.close()
    return loop


def _read_multiple(node: Node, outer: str, long: float, inner: str, short: float) -> None:
    ratio = long / short
    if not np.isfinite(ratio) or ratio < 1 - _WHOLE or abs(ratio - round(ratio)) > _WHOLE * ratio:
        node.take(outer).fail(
            f"has period {long:g} s, which is no multiple of the {inner} loop's {short:g} s: each outer loop must "
            "run every n-th time of the one inside"
        )
