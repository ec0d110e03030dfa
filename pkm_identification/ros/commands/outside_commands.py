# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Commands of a controller outside for the drives of a simulated machine: not too old, and never for ever."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from builtin_interfaces.msg import Time
from sensor_msgs.msg import JointState

from ..clock import seconds
from ..messages.joint_state import JointStateReader

if TYPE_CHECKING:
    from pkm_identification.simulation.sensors import Sample
    from pkm_identification.simulation.simulator import Simulator

GONE = 1.0  # s on the wall without a command, after which even a machine whose time waits gives the controller up


class OutsideCommands:
    """Who has the drives of a simulated machine: a controller outside, or the simulator's own that holds them.

    A controller gives forces, or coordinates and rates to drives that go to places by themselves.

    Parameters
    ----------
    simulator : Simulator
    reader : JointStateReader
    lockstep : bool
        Whether a sample is simulated only when the one before was answered by a command with its stamp.
    longest_delay : float
        s; without lockstep the machine's time waits as soon as the command in force answers a sample older than this. A
        computer that is not real-time holds the controller up now and then; infinite: real time all the same.
    patience : float
        s without a command, after which the drives hold by themselves: on the machine's own clock, as a drive's
        watchdog counts, or in lockstep, where that clock waits for the command, on the wall's.
    clock : callable
        The clock on the wall, s.
    places : bool
        Whether commands are coordinates; else forces.

    Attributes
    ----------
    driven : bool
        Whether the drives follow commands.
    """

    def __init__(
        self,
        simulator: Simulator,
        reader: JointStateReader,
        lockstep: bool,
        longest_delay: float,
        patience: float,
        clock: Callable[[], float] = time.monotonic,
        places: bool = False,
    ) -> None:
        self._places = places
        self._clock = clock
        self._simulator = simulator
        self._reader = reader
        self._lockstep = lockstep
        self._longest = longest_delay
        self.patience = patience
        self.begin()

    def begin(self) -> None:
        """As at the start of the machine: nothing was sampled, nothing commanded."""
        self.driven = False
        self._answered = True
        self._measured = False
        self._newest = 0.0  # on the clock on the wall
        self._silent = 0.0  # s of the machine's clock since the newest command
        self._age = 0.0  # s of the machine's clock since the sample it answers
        self._oldest = 0.0

    def take(self, message: JointState, stamp: Time) -> bool:
        """Take a command; whether the next sample may follow at once. `stamp` is the newest sample's.

        Raises
        ------
        BadJointState, ValueError
            If it is not as many finite forces, or coordinates, as there are drives; the last command then stays.
        """
        if self._places:
            coordinate = self._reader.read(message).coordinate
            self._simulator.command_lengths(coordinate, self._reader.rates(message))
        else:
            self._simulator.command_forces(self._reader.efforts(message))
        self._newest = self._clock()
        self._silent = 0.0
        self._age = max(0.0, seconds(stamp) - seconds(message.header.stamp))
        self.driven = True
        self._answered |= message.header.stamp == stamp
        return self._lockstep and self._answered

    def given_up(self) -> bool:
        """Return whether commands have just stopped coming: the drives hold from now on."""
        on_the_wall = self._clock() - self._newest
        over = (
            on_the_wall > self.patience
            if self._lockstep
            else self._silent > self.patience or on_the_wall > max(self.patience, GONE)
        )
        if not self.driven or not over:
            return False
        self.release()
        return True

    def release(self) -> None:
        """Let the drives hold until the next command."""
        if self.driven:
            self.driven = False
            self._simulator.enable(True)

    def waited(self, duration: float) -> None:
        """A pause of so many s on the wall was nobody's silence."""
        self._newest += duration

    @property
    def time(self) -> float:
        """Time of the next sample in s."""
        return self._simulator.time + (self._simulator.period if self._measured else 0.0)

    def longest_delay(self) -> float:
        """s from a sample to the end of the last period in which its answer acted, the longest since the last call."""
        longest, self._oldest = self._oldest, 0.0
        return longest

    @property
    def ready(self) -> bool:
        """Whether the next sample may be simulated."""
        if not self.driven:
            return True
        return self._answered if self._lockstep else self._age < self._longest

    def sample(self) -> Sample:
        """Let the machine move on, then the next sample: what is commanded after it acts from it on."""
        if self._measured:
            self._simulator.advance()
            self._silent += self._simulator.period
            if self.driven:
                self._age += self._simulator.period
                self._oldest = max(self._oldest, self._age)
        self._measured = True
        self._answered = False
        return self._simulator.measure()
