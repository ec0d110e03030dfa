# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""What the guard lets pass: limits of a machine, holes, stragglers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from pkm_identification.declared import check, declared
from pkm_identification.errors import LogError
from pkm_identification.machines.contract import Drive
from pkm_identification.machines.contract import Machine as AnyMachine
from pkm_identification.mechanisms.actuators.transfer import Transfer
from pkm_identification.mechanisms.hexapod.drive import KnownForces
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.mechanisms.hexapod.transfers import transfers_of
from pkm_identification.motion import STRUTS

DEFAULT_RATE_LIMIT = 2.0  # m/s, beyond any hexapod's drives; machines may state less
LARGEST_FORCE = (
    1e9  # N, beyond any strut's; its square is still a number, and so is a sum of thousands of those
)
SIZE = 0.1  # of the stroke: a large change
FILLED = 0.005  # s; what the platform does in it is next to a straight line
FILLED_PERIODS = 2  # from the sample before a lost one to the sample after it


@dataclass(frozen=True)
class GuardSettings:
    """Limits of the guard.

    Attributes
    ----------
    period : float
        Nominal sample period in s; 0 while it is not known.
    length_limits : tuple of float
        Shortest and longest strut in m.
    rate_limit : float
        Largest strut rate in m/s; a faster change is a spike.
    force_limit : float
        Largest strut force in N the drives can give (LARGEST_FORCE where that is not known); a larger one is a spike.
    acceleration_limit : float
        Largest strut acceleration in m/s^2 used to tell a spike from motion.
    max_gap : float
        Longest hole in s that is filled; a longer one starts a new segment. 0 until the period is known: then
        FILLED s, but at least the hole that one lost sample leaves.
    late_tolerance : float
        A stamp up to this many seconds before the newest is a straggler and dropped; an older one means that the
        clock jumped back, which starts a new segment.
    known : KnownForces or None
        What the machine file knows of its measured forces, for those who come after the guard (`signals.forces.known`).
    transfers : tuple of Transfer, or None
        What lies between measured and acting forces, for the same (`signals.forces.drive_transfer`).
    drives : tuple of Drive
        Of a stream of any machine, in place of the limits above, which are those of six struts where there are none.
    """

    period: float = 0.0
    length_limits: tuple[float, float] = (0.0, np.inf)
    rate_limit: float = DEFAULT_RATE_LIMIT
    force_limit: float = LARGEST_FORCE
    acceleration_limit: float = 200.0
    max_gap: float = declared(
        0.0,
        "longest hole that is filled, a longer one starts a new segment; 0: 5 ms, or one sample",
        "s",
        0,
        1.0,
    )
    late_tolerance: float = declared(
        0.5, "stamps so far behind are stragglers; more is a clock jump", "s", 0, 60
    )
    known: KnownForces | None = None
    transfers: tuple[Transfer, ...] | None = None
    drives: tuple[Drive, ...] = ()

    def __post_init__(self) -> None:
        check(self)
        if self.period and not self.max_gap:
            object.__setattr__(self, "max_gap", max(FILLED, FILLED_PERIODS * self.period))

    @classmethod
    def of(cls, machine: Machine, period: float | None = None, **changes: Any) -> GuardSettings:
        """Limits of a machine; raises as `resolved`."""
        return replace(cls().resolved(machine, period), **changes)

    def of_stream(self, machine: AnyMachine, period: float | None = None) -> GuardSettings:
        """Return these settings for a stream of a machine's drives; the period in s is its file's unless given.

        Raises
        ------
        LogError
            If neither the machine nor the caller knows the sample period.
        """
        if period is None:
            if machine.sample_rate is None:
                raise LogError(
                    f"machine '{machine.name}' states no sample rate and no sample period was given"
                )
            period = 1.0 / machine.sample_rate
        return replace(
            self, period=period, drives=machine.drives, known=machine.known_forces,
            transfers=machine.build_transfers(period),
        )  # fmt: skip

    def list_drives(self) -> tuple[Drive, ...]:
        """Return the drives, those of a hexapod by its limits where none are given."""
        low, high = self.length_limits
        size = SIZE * (high - low if np.isfinite(high - low) else 1.0)
        return self.drives or tuple(
            Drive(
                f"length_{i + 1}", f"strut {i + 1}", "m", f"force_{i + 1}", low, high, self.rate_limit,
                self.acceleration_limit, self.force_limit, size=size,
            )
            for i in range(STRUTS)
        )  # fmt: skip

    def resolved(self, machine: Machine, period: float | None = None) -> GuardSettings:
        """These settings with a machine's limits; the period is the drive's unless given.

        Raises
        ------
        LogError
            If neither the machine nor the caller knows the sample period.
        """
        if period is None:
            if machine.drive is None:
                raise LogError(
                    f"machine '{machine.name}' has no drive.sample_rate and no sample period was given"
                )
            period = 1.0 / machine.drive.sample_rate
        return replace(
            self,
            period=period,
            length_limits=(float(machine.length_limits[0]), float(machine.length_limits[1])),
            # twice the stated rate: a limit is what the drive may do, not what noise on a difference may show
            rate_limit=2.0 * machine.rate_limit if machine.rate_limit else DEFAULT_RATE_LIMIT,
            force_limit=min(1.5 * machine.drive.force_limit, LARGEST_FORCE)
            if machine.drive
            else LARGEST_FORCE,
            known=machine.drive.known_forces if machine.drive else None,
            transfers=transfers_of(machine, period),
        )
