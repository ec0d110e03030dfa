# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""A scenario: what happens to a simulated machine, and when, from a YAML file.

    schema: 1
    events:
      - {at: 2.0, payload: [1.5, 0.0, 0.0, 0.05]}
      - {at: 4.0, fault: force_gain_4=1.1}
      - {at: 6.0, clear: force_gain_4}

Events belong to samples: each happens before the first sample that is not earlier, so that one seed gives one log.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pkm_identification.document import Node, read_yaml
from pkm_identification.errors import DocumentError, SettingsError
from pkm_identification.motion import STRUTS

from .actions import ACTIONS, Action, Played

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
