# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""A strut log that is gathered piece by piece while it is read."""

from __future__ import annotations

from pkm_identification.motion import DriveLog
from pkm_identification.numerics.large_arrays import GrowingArray

COLUMNS = ("coordinate", "force", "imu", "sensor")


class GrowingLog:
    """Pieces of one log, one after the other; all have the same columns."""

    def __init__(self) -> None:
        self._time = GrowingArray()
        self._columns: dict[str, GrowingArray] = {}

    def append(self, piece: DriveLog) -> None:
        """Add a piece."""
        self._time.append(piece.time)
        for name in COLUMNS:
            values = getattr(piece, name)
            if values is not None:
                self._columns.setdefault(name, GrowingArray()).append(values)

    def taken(self, source: str, faults: dict[str, int]) -> DriveLog:
        """Return the whole log, at least one piece."""
        columns = {name: rows.taken() for name, rows in self._columns.items()}
        imu, sensor, force = (columns.get(name) for name in ("imu", "sensor", "force"))
        return DriveLog(self._time.taken(), columns["coordinate"], force, source, imu, sensor, faults)
