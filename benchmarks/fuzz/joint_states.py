# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""JointState messages of a moving machine, mutated in every field and in time."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from sensor_msgs.msg import JointState

from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import STRUT_NAMES, DriveLog
from pkm_identification.ros.clock import LAST_SECOND, set_stamp
from pkm_identification.simulation.simulator import simulate

START = 1000.0  # s
NUMBERS = (0.0, -0.0, -1.0, 5e-324, 1e-300, 1e308, -1e308, 1e6, 0.3, np.nan, np.inf, -np.inf)
NAMES = ("strut_1", "strut_7", "", "x" * 5000, "\u00e9\u2603", "strut_1 ", "STRUT_2", "\n")
# Shares of messages that are mutated, and before which the whole stream changes; each pair rules a stretch, so that
# some are calm enough for estimates.
SHARES = ((0.0, 0.0), (0.002, 0.0), (0.01, 0.001), (0.1, 0.005), (0.5, 0.02))
SEGMENT_ROWS = 2000


@lru_cache(maxsize=1)
def base_log() -> DriveLog:
    """Four seconds of a rich motion of the uf."""
    return simulate(Machine.load("uf"), "rich", 4.0).log()


class Stream:
    """An endless stream of joint states, most of them good.

    Parameters
    ----------
    seed : int
    """

    def __init__(self, seed: int) -> None:
        self.random = np.random.default_rng(seed)
        self._log = base_log()
        self._row = 0
        self._share, self._events = SHARES[0]
        self._time = START
        self._zero = np.zeros(6)
        self._scale = 1.0
        self._wild = 0
        self._last: list[JointState] = []

    def next(self) -> JointState:
        """The next message."""
        random = self.random
        if self._row % SEGMENT_ROWS == 0:
            self._share, self._events = SHARES[int(random.integers(len(SHARES)))]
        if random.random() < self._events:
            self._event()
        row = self._row % len(self._log)
        self._row += 1
        self._time += 1e-3
        length = self._log.length[row] + self._zero
        assert self._log.force is not None
        if self._wild:
            # lengths that no pose or another assembly mode may have
            self._wild -= 1
            length = length + random.uniform(-0.1, 0.1, 6)
        message = self._message(self._time, length, self._scale * self._log.force[row])
        if random.random() < self._share:
            message = self.mutated(message)
        elif len(self._last) < 50 or random.random() < 0.01:
            self._last = [*self._last[-49:], message]
        return message

    def _message(self, time: float, length: np.ndarray, force: np.ndarray) -> JointState:
        message = JointState(name=list(STRUT_NAMES), position=length.tolist(), effort=force.tolist())
        set_stamp(message.header.stamp, min(max(time, -LAST_SECOND), LAST_SECOND - 1))
        return message

    def _event(self) -> None:
        random = self.random
        kind = random.integers(7)
        if kind == 0:
            self._time += random.choice([-3000.0, -5.0, -0.3, -0.02, 0.004, 0.02, 5.0, self._far()])
        elif kind == 1:
            self._row += int(random.integers(1, 3000))
        elif kind == 2:
            self._zero = random.uniform(-0.02, 0.02, 6) * random.integers(2)
        elif kind == 3:
            self._scale = random.choice([1.0, 1.0, 1e-3, 1e3, -1.0, 0.0])
        elif kind == 4:
            self._wild = int(random.integers(1, 200))
        elif kind == 5:
            self._time = START + random.uniform(0, 3e3) + self._far()
        else:
            self._zero, self._scale, self._wild = np.zeros(6), 1.0, 0

    def _far(self) -> float:
        """A jump far ahead, seldom: for five seconds nobody believes it, and nothing comes through meanwhile."""
        return float(self.random.choice([0.0, 1e5], p=[0.95, 0.05]))

    def mutated(self, message: JointState) -> JointState:
        """A message changed in one of its fields, or another in its place."""
        random = self.random
        kind = random.integers(12)
        strut = int(random.integers(6))
        number = float(random.choice(NUMBERS))
        if kind == 0:
            stamp = message.header.stamp
            stamp.sec = int(random.choice([0, -1, -(2**31), 2**31 - 1, 999, stamp.sec]))
            stamp.nanosec = int(random.choice([0, 1, 999_999_999, 1_000_000_000, 2**32 - 1]))
        elif kind == 1:
            message.position[strut] = number
        elif kind == 2:
            message.effort[strut] = number
        elif kind == 3:
            order = random.permutation(6)
            message.name = [message.name[i] for i in order]
            if random.random() < 0.5:
                message.position = [message.position[i] for i in order]
                message.effort = [message.effort[i] for i in order]
        elif kind == 4:
            message.name[strut] = str(random.choice(NAMES))
        elif kind == 5:
            message.name = message.name[:strut] + [str(random.choice(NAMES))] * int(random.integers(3))
        elif kind == 6:
            field = random.choice(["position", "velocity", "effort"])
            setattr(message, field, [number] * int(random.choice([0, 1, 5, 6, 7, 500])))
        elif kind == 7:
            message.velocity = [number] * int(random.choice([1, 6, 7]))
            message.header.frame_id = str(random.choice(NAMES))
        elif kind == 8:
            message.position = [1e3 * x for x in message.position]
        elif kind == 9:
            message.position[strut] += float(random.choice([1e-5, 1e-3, 0.01, 0.1]))
        elif kind == 10 and self._last:
            return self._last[int(random.integers(len(self._last)))]
        else:
            message = JointState() if random.random() < 0.2 else self._extended(message)
        return message

    def _extended(self, message: JointState) -> JointState:
        """With joints that are none of ours, before or behind."""
        others = int(self.random.integers(1, 40))
        behind = self.random.random() < 0.5
        for field, filler in (("name", "joint"), ("position", 0.0), ("effort", np.nan)):
            values = list(getattr(message, field))
            more = [f"joint_{i}" if filler == "joint" else filler for i in range(others)]
            setattr(message, field, values + more if behind else more + values)
        return message
