# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Arrays of strut and platform motion: what flows between the stages; the names of generated motions."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pkm_identification.numerics.arrays import FloatArray

STRUTS = 6
IMU_CHANNELS = 6  # of an IMU: specific force and angular rate
# Joint names of struts 1 to 6 where nobody says others
STRUT_NAMES = tuple(f"strut_{i}" for i in range(1, STRUTS + 1))

# s, of the motions that `simulation.trajectories` makes; listed here, where no simulator has to be loaded to know them
DEFAULT_DURATION = {
    "x": 20.0,
    "z": 20.0,
    "xy": 20.0,
    "rich": 60.0,
    "rich2": 30.0,
    "slow": 60.0,
    "free": 0.15,
    "rest": 5.0,
}
TRAJECTORIES = tuple(DEFAULT_DURATION)


def _check_shapes(record: object, shapes: dict[str, tuple[int, ...]]) -> None:
    count: int | None = None
    for name, shape in shapes.items():
        value = getattr(record, name)
        if value is None:
            continue
        if count is None:
            count = value.shape[0]
        if value.shape != (count, *shape):
            raise ValueError(
                f"{type(record).__name__}.{name} has shape {value.shape}, expected {(count, *shape)}"
            )


class _Batch:
    """Indexing and length shared by all batches of samples."""

    time: FloatArray

    def __len__(self) -> int:
        return len(self.time)

    def __getitem__(self, index):
        """Select samples: any NumPy index of the first axis that keeps it."""
        changes = {}
        for one in fields(self):  # type: ignore[arg-type]
            value = getattr(self, one.name)
            if isinstance(value, np.ndarray):
                changes[one.name] = value[index]
        return replace(self, **changes)  # type: ignore[type-var]


@dataclass(frozen=True)
class DriveLog(_Batch):
    """What a machine's n drives report, in the order it was recorded.

    Attributes
    ----------
    time : ndarray, shape (N,)
        Stamps in seconds; may jitter, repeat or run backwards.
    coordinate : ndarray, shape (N, n)
        Of the drives, m or rad: of struts their lengths between the joint centres. Not finite where a sample has none.
    force : ndarray, shape (N, n), or None
        N or N m; of struts positive when they push the platform joint away from the base joint.
        None when the log holds no efforts.
    source : str
        Where the samples came from, for messages.
    imu : ndarray, shape (N, 6), or None
        Specific force in m/s^2 and angular rate in rad/s of an IMU on the platform, in its own axes.
    sensor : ndarray, shape (N, n), or None
        What force sensors in the drives read, N.
    faults : dict of str to int
        What was set right while reading, by reason; empty for a good log.
    warnings : tuple of str
        What a reader of results should know of the log.
    """

    time: FloatArray
    coordinate: FloatArray
    force: FloatArray | None
    source: str = "the log"
    imu: FloatArray | None = None
    sensor: FloatArray | None = None
    faults: dict[str, int] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        every = self.coordinate.shape[1:]
        _check_shapes(
            self, {"time": (), "coordinate": every, "force": every, "imu": (IMU_CHANNELS,), "sensor": every}
        )

    @property
    def length(self) -> FloatArray:
        """The coordinates, by the name that struts have for them."""
        return self.coordinate


@dataclass(frozen=True)
class StrutMotion(_Batch):
    """Filtered motion of n drives on a regular clock.

    Attributes
    ----------
    time : ndarray, shape (N,)
        Stamp in s of the instant each row describes (not of its arrival).
    length, rate, acceleration : ndarray, shape (N, n)
        The drives' coordinates (strut lengths in m, of other machines m or rad) and their first two time derivatives.
    force : ndarray, shape (N, n), or None
        In N or N m, passed through the same filter as the coordinates.
    segment : ndarray of int64, shape (N,)
        Number of the uninterrupted segment a row belongs to; nothing is differentiated or filtered across
        a change of this number.
    """

    time: FloatArray
    length: FloatArray
    rate: FloatArray
    acceleration: FloatArray
    force: FloatArray | None
    segment: NDArray[np.int64]

    def __post_init__(self) -> None:
        every = self.length.shape[1:]
        _check_shapes(
            self,
            {
                "time": (),
                "length": every,
                "rate": every,
                "acceleration": every,
                "force": every,
                "segment": (),
            },
        )


class DriveSample(NamedTuple):
    """Filtered motion and forces (n,) of the drives at one instant: its own stamp in s, not that of its arrival.

    In the drives' units (m or rad), N or N m; `force` is None where none is reported. Nothing is differentiated or
    filtered across a change of `segment`.
    """

    time: float
    coordinate: FloatArray
    rate: FloatArray
    acceleration: FloatArray
    force: FloatArray | None
    segment: int


class TrackedSample(NamedTuple):
    """Motion of all of a machine at one instant, with forces and motion (n,) of its drives as in `DriveSample`.

    `state` (S,) is what the machine's kernels take, in one row (`machines.contract.Tracker.row`): that of the last good
    sample where `status` is FAILED or OTHER_MODE. `residual` is the largest error of a loop or a drive, m or rad.
    """

    time: float
    coordinate: FloatArray
    rate: FloatArray
    acceleration: FloatArray
    force: FloatArray | None
    segment: int
    state: FloatArray
    status: int
    residual: float


@dataclass(frozen=True)
class PlatformMotion(_Batch):
    """Platform pose and its derivatives, in base axes at the platform frame's origin.

    Attributes
    ----------
    time : ndarray, shape (N,)
        Stamps in s.
    position : ndarray, shape (N, 3)
        Platform frame's origin in the base frame, m.
    rotation : ndarray, shape (N, 3, 3)
        Platform axes as columns in the base frame.
    twist : ndarray, shape (N, 6)
        (v, w): velocity of the origin in m/s and angular velocity in rad/s.
    acceleration : ndarray, shape (N, 6)
        (a, alpha): m/s^2 and rad/s^2.
    """

    time: FloatArray
    position: FloatArray
    rotation: FloatArray
    twist: FloatArray
    acceleration: FloatArray

    def __post_init__(self) -> None:
        _check_shapes(
            self,
            {"time": (), "position": (3,), "rotation": (3, 3), "twist": (6,), "acceleration": (6,)},
        )
