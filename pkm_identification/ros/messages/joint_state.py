# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""sensor_msgs/JointState to samples of the drives: names, not places, decide which drive is which."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from rclpy.serialization import deserialize_message
from sensor_msgs.msg import JointState

from pkm_identification.errors import SettingsError
from pkm_identification.numerics.arrays import FloatArray

from ..clock import LAST_SECOND, seconds, set_stamp
from .joint_state_layout import JointStateLayout


class BadJointState(Exception):
    """A message that holds no sample of the drives.

    Attributes
    ----------
    reason : str
        The counter it goes under: "bad_message", "missing_name", "repeated_name", "unequal_lengths", "zero_stamp" or
        "bad_stamp".
    """

    def __init__(self, reason: str, text: str) -> None:
        super().__init__(text)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class DriveReading:
    """One sample as it came: time in s, coordinate (n,) in m or rad, force (n,) in N or N m, None without efforts."""

    time: float
    coordinate: FloatArray
    force: FloatArray | None


class JointStateReader:
    """Takes the drives out of JointState messages.

    The place of each drive is looked up once for each new list of names; messages of a driver hold the same
    names every time.

    Parameters
    ----------
    names : sequence of str
        Joint names of the drives, in the order of the machine's drives.
    stamped : bool
        Whether stamp 0 is refused; a command may go without.
    at_zero, force_factor : ndarray, shape (n,), optional
        Added to positions, m or rad; efforts are multiplied by the latter.
    """

    def __init__(
        self,
        names: Sequence[str],
        stamped: bool = True,
        at_zero: FloatArray | None = None,
        force_factor: FloatArray | None = None,
    ) -> None:
        if len(set(names)) != len(names) or not names:
            raise SettingsError(f"expected different joint names, got {list(names)}")
        self._names = tuple(names)
        self._stamped = stamped
        self._at_zero = at_zero if at_zero is not None and np.any(at_zero) else None
        self._factor = force_factor if force_factor is not None and np.any(force_factor != 1.0) else None
        self._known: list[str] | None = None
        self._layout: JointStateLayout | None = None
        self._order: list[int] = []
        self._in_order = False
        self._effort_seen = False

    def reset(self) -> None:
        """Forget whether efforts were ever there."""
        self._effort_seen = False

    def read(self, message: JointState | bytes) -> DriveReading:
        """Return the sample of a message, or of the bytes it came in.

        Efforts that have been NaN in all drives since the start count as absent: that is how
        joint_state_broadcaster reports an interface which does not exist. Once there has been a number,
        NaN is a fault of the sample and left to input validation.

        Raises
        ------
        BadJointState
            If the bytes are no joint state, a drive's name is missing or there twice, an array's length does not match
            the names, or the stamp is zero or impossible.
        """
        if not isinstance(message, bytes):
            return self._take(seconds(message.header.stamp), *self._numbers_of(message))
        known = None if self._layout is None else self._layout.read(message)
        if known is None:
            whole = _deserialize(message)
            known = seconds(whole.header.stamp), *self._numbers_of(whole)
            self._layout = JointStateLayout.learn(whole, message)
        return self._take(*known)

    def _numbers_of(self, message: JointState) -> tuple[FloatArray, FloatArray | None]:
        """Positions and efforts as they stand in a message, after a look at its names."""
        if message.name != self._known:
            self._learn(message.name)
        count = len(message.name)
        position, effort = message.position, message.effort
        if len(position) != count or (effort and len(effort) != count):
            raise BadJointState("unequal_lengths", self._lengths_text(message))
        return np.array(position), np.array(effort) if effort else None

    def _take(self, time: float, coordinate: FloatArray, force: FloatArray | None) -> DriveReading:
        if self._stamped and not 0.0 < time < LAST_SECOND:
            if time == 0.0:
                text = "joint state with stamp 0: the publisher sets no stamp or waits for /clock"
                raise BadJointState("zero_stamp", text)
            raise BadJointState("bad_stamp", f"joint state with the impossible stamp {time:.6f} s")
        if not self._in_order:
            coordinate = coordinate[self._order]
            force = None if force is None else force[self._order]
        if force is not None and not self._effort_seen:
            if np.isnan(force).all():
                force = None
            else:
                self._effort_seen = True
        if self._at_zero is not None:
            coordinate = coordinate + self._at_zero
        if self._factor is not None and force is not None:
            force = force * self._factor
        return DriveReading(time, coordinate, force)

    def rates(self, message: JointState) -> FloatArray | None:
        """Velocities (n,) in m/s or rad/s of a message that `read` has taken; None without them."""
        velocity = message.velocity
        if len(velocity) != len(message.name):
            return None
        return np.array(velocity)[self._order]

    def efforts(self, message: JointState) -> FloatArray:
        """Efforts (n,) in N or N m of a command, which need no positions next to them.

        Raises
        ------
        BadJointState
            If a drive's name is missing or there twice, or there is not one effort for each name.
        """
        if message.name != self._known:
            self._learn(message.name)
        if len(message.effort) != len(message.name):
            raise BadJointState("unequal_lengths", self._lengths_text(message))
        return np.array(message.effort)[self._order]

    def _learn(self, names: Sequence[str]) -> None:
        self._known = self._layout = None
        missing = [name for name in self._names if name not in names]
        if missing:
            raise BadJointState(
                "missing_name",
                f"joint state without '{', '.join(missing)}': its names are {_list_values(names)}",
            )
        counts = Counter(names)
        repeated = [name for name in self._names if counts[name] > 1]
        if repeated:
            raise BadJointState("repeated_name", f"joint state names '{', '.join(repeated)}' more than once")
        self._order = [list(names).index(name) for name in self._names]
        self._in_order = self._order == list(range(len(names)))
        self._known = list(names)

    def _lengths_text(self, message: JointState) -> str:
        return (
            f"joint state with {len(message.name)} names but {len(message.position)} positions and "
            f"{len(message.effort)} efforts"
        )


def fill_joint_state(
    message: JointState, time: float, coordinate: FloatArray, force: FloatArray | None = None
) -> None:
    """Write a sample of the drives into a message that already has its names.

    Parameters
    ----------
    message : JointState
    time : float
        Stamp in s.
    coordinate, force : ndarray, shape (n,)
        m or rad, N or N m.
    """
    set_stamp(message.header.stamp, time)
    message.position = coordinate.tolist()
    if force is not None:
        message.effort = force.tolist()


def _deserialize(data: bytes) -> JointState:
    try:
        return deserialize_message(data, JointState)
    except (RuntimeError, UnicodeDecodeError):
        raise BadJointState("bad_message", f"{len(data)} bytes that are no joint state") from None


def _list_values(names: Sequence[str], most: int = 8) -> str:
    shown = ", ".join(f"'{name[:40]}'" for name in names[:most])
    return f"[{shown}{', ...' if len(names) > most else ''}]"
