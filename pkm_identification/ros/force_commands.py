"""Forces from a controller outside for the drives of a simulated machine: in lockstep if asked, and never for ever."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from builtin_interfaces.msg import Time
from sensor_msgs.msg import JointState

from .joint_state import JointStateReader

if TYPE_CHECKING:
    from ..simulation import Simulator
    from ..simulation.sensors import Sample


class ForceCommands:
    """Who has the drives of a simulated machine: a controller outside, or the simulator's own that holds them.

    Parameters
    ----------
    simulator : Simulator
    reader : JointStateReader
    lockstep : bool
        Whether a sample is made only when the one before was answered by a command with its stamp.
    patience : float
        s without a command, after which the drives hold by themselves.

    Attributes
    ----------
    driven : bool
        Whether the drives follow commands.
    """

    def __init__(
        self, simulator: Simulator, reader: JointStateReader, lockstep: bool, patience: float
    ) -> None:
        self._simulator = simulator
        self._reader = reader
        self._lockstep = lockstep
        self.patience = patience
        self.driven = False
        self._answered = True
        self._measured = False
        self._newest = 0.0

    def take(self, message: JointState, stamp: Time) -> bool:
        """Take a command; whether the next sample may be made at once. `stamp` is the newest sample's.

        Raises
        ------
        BadJointState, ValueError
            If it is not six finite forces; the last command then stays.
        """
        self._simulator.command_forces(self._reader.efforts(message))
        self._newest = time.monotonic()
        self.driven = True
        self._answered |= message.header.stamp == stamp
        return self._lockstep and self._answered

    def given_up(self) -> bool:
        """Whether commands have just stopped coming: the drives hold from now on."""
        if not self.driven or time.monotonic() - self._newest <= self.patience:
            return False
        self.driven = False
        self._simulator.enable(True)
        return True

    @property
    def ready(self) -> bool:
        """Whether the next sample may be made."""
        return self._answered or not (self._lockstep and self.driven)

    def sample(self) -> Sample:
        """Let the machine move on, then the next sample: what is commanded after it acts from it on."""
        if self._measured:
            self._simulator.advance()
        self._measured = True
        self._answered = False
        return self._simulator.measure()
