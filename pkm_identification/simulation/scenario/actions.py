# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What can happen in a scenario: the keys of an event, each with what it does to the simulator."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np

from pkm_identification.document import Node, read_yaml
from pkm_identification.errors import DocumentError, PkmError, SettingsError
from pkm_identification.motion import STRUTS
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.rotation import matrix_from_quaternion

from ..faults import Fault, parse_fault
from ..payload import Payload


class Played(Protocol):
    """What a scenario asks of a simulator."""

    @property
    def time(self) -> float:
        """Of the next sample, s."""

    def carry(self, payload: Payload | None) -> None:
        """Let the platform take a load up, or set down what it carries."""

    def set_fault(self, fault: Fault) -> None:
        """Let sensors or log have a fault."""

    def clear_fault(self, name: str = "") -> None:
        """Take a fault away, or all of them."""

    def scale_friction(self, factor: float) -> None:
        """Let friction be `factor` times what the machine has."""

    def set_noise(self, share: float) -> None:
        """Let the currents have noise of this share of their rms."""

    def command_lengths(self, length: FloatArray) -> None:
        """Go to coordinates of the drives (n,), m or rad."""

    def command_pose(self, position: FloatArray, rotation: FloatArray) -> None:
        """Go to a pose: position (3,) in m and rotation (3, 3)."""

    def enable(self, on: bool) -> None:
        """Switch the drives on or off."""


Action = Callable[[Played], None]


def _set_payload(node: Node, drives: int) -> Action:
    """Return mass in kg, or mass and place in the platform frame, m; mass 0 sets down what is carried."""
    numbers = node.array(4) if isinstance(node.value, list) else np.array([node.number(), 0.0, 0.0, 0.0])
    if numbers[0] == 0.0:
        return lambda simulator: simulator.carry(None)
    try:
        Payload(numbers[0], numbers[1:])
    except PkmError as error:
        node.fail(f"= {node.value}: {error}")
    return lambda simulator: simulator.carry(Payload(numbers[0], numbers[1:], taken_at=simulator.time))


def _begin_fault(node: Node, drives: int) -> Action:
    """A fault of the sensors or the log begins: NAME=VALUE."""
    try:
        fault = parse_fault(node.text(), drives)
        fault.refuse_in_plant()
    except PkmError as error:
        node.fail(f"= {node.value!r}: {error}")
    return lambda simulator: simulator.set_fault(fault)


def _clear(node: Node, drives: int) -> Action:
    """A fault ends, by its name; 'all' ends every one."""
    name = node.text()
    return lambda simulator: simulator.clear_fault("" if name == "all" else name)


def _set_friction(node: Node, drives: int) -> Action:
    """Friction is so many times what the machine has."""
    factor = node.number()
    if not 0.0 <= factor <= 100.0:
        node.fail(f"= {factor:g}: must be between 0 and 100 times the machine's friction")
    return lambda simulator: simulator.scale_friction(factor)


def _set_noise(node: Node, drives: int) -> Action:
    """Noise of the currents relative to their rms."""
    share = node.number()
    if not 0.0 <= share <= 10.0:
        node.fail(f"= {share:g}: must be between 0 and 10 of the currents' rms")
    return lambda simulator: simulator.set_noise(share)


def _move_to_lengths(node: Node, drives: int) -> Action:
    """Return coordinates of the drives to go to, m or rad."""
    length = node.array(drives)
    return lambda simulator: simulator.command_lengths(length)


def _move_to_pose(node: Node, drives: int) -> Action:
    """Pose to go to: position in m and quaternion (x, y, z, w), base frame."""
    position = node.take("position").array(3)
    quaternion = node.take("quaternion", [0.0, 0.0, 0.0, 1.0])
    x = quaternion.array(4)
    if not 0.99 < np.linalg.norm(x) < 1.01:
        quaternion.fail(f"= {quaternion.value}: must have length 1 (x, y, z, w)")
    node.close()
    return lambda simulator: simulator.command_pose(position, matrix_from_quaternion(x))


def _switch_drives(node: Node, drives: int) -> Action:
    """Drives on or off."""
    if not isinstance(node.value, bool):
        node.fail(f"= {node.value!r}: must be true or false")
    return lambda simulator: simulator.enable(node.value)


ACTIONS: dict[str, Callable[[Node, int], Action]] = {
    "payload": _set_payload,
    "fault": _begin_fault,
    "clear": _clear,
    "friction": _set_friction,
    "noise": _set_noise,
    "lengths": _move_to_lengths,
    "pose": _move_to_pose,
    "drives": _switch_drives,
}


SCHEMA = 1
SAME_INSTANT = 1e-9  # s, what sums of periods may be off


@dataclass(frozen=True)
class Event:
    """Something that happens at a time in s of the simulation; `what` is its key, and where it stands."""

    at: float
    what: str
    act: Action


@dataclass(frozen=True)
class Scenario:
    """Events in the order of their times; those of one time in the order of the file."""

    events: tuple[Event, ...] = ()

    @classmethod
    def read(cls, path: str | Path, drives: int = STRUTS) -> Scenario:
        """Return a scenario of a file, for a machine of so many drives.

        Raises
        ------
        DocumentError
            If it is none: names file, key, value and what is allowed.
        """
        root = Node(read_yaml(Path(path), "scenario"), "", str(path), DocumentError)
        schema = root.take("schema")
        if schema.value != SCHEMA:
            schema.fail(f"is {schema.value!r}; this package reads schema {SCHEMA}")
        listed = root.take("events")
        if not isinstance(listed.value, list):
            listed.fail("must be a list of events")
        events = [_read_event(entry, drives) for entry in listed.entries()]
        root.close()
        return cls(tuple(sorted(events, key=lambda event: event.at)))

    def play(self, simulator: Played, started: int) -> int:
        """Let the events happen that are due; returns how many of all have happened, of which `begun` had before.

        Raises
        ------
        SettingsError
            If one cannot happen to this machine.
        """
        while started < len(self.events) and self.events[started].at <= simulator.time + SAME_INSTANT:
            event = self.events[started]
            started += 1
            try:
                event.act(simulator)
            except ValueError as error:
                raise SettingsError(f"{event.what}: {error}") from None
        return started


def _read_event(node: Node, drives: int) -> Event:
    at = node.take("at")
    time = at.number()
    if not time >= 0.0:
        at.fail(f"= {time:g}: must be 0 s or later")
    actions = [key for key in ACTIONS if node.has(key)]
    if len(actions) != 1:
        node.fail(f"must have 'at' and one of {', '.join(ACTIONS)}, not {', '.join(actions) or 'none'}")
    act = ACTIONS[actions[0]](node.take(actions[0]), drives)
    node.close()
    return Event(time, f"{node.source}: {node.path}.{actions[0]}", act)
