# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What input validation lets pass: limits of a machine's drives, holes, stragglers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from pkm_identification.declared import check, declare
from pkm_identification.errors import LogError
from pkm_identification.machines.contract import Drive, Machine
from pkm_identification.mechanisms.actuators.transfer import Transfer
from pkm_identification.mechanisms.hexapod.drive import KnownForces

LARGEST_FORCE = (
    1e9  # N or N m, beyond any drive's; its square is still a number, and so is a sum of thousands of those
)
FILLED = 0.005  # s; what a machine does in it is next to a straight line
FILLED_PERIODS = 2  # from the sample before a lost one to the sample after it


@dataclass(frozen=True)
class ValidationSettings:
    """Limits of input validation.

    Attributes
    ----------
    period : float
        Nominal sample period in s; 0 while it is not known.
    max_gap : float
        Longest hole in s that is filled; a longer one starts a new segment. 0 until the period is known: then
        FILLED s, but at least the hole that one lost sample leaves.
    late_tolerance : float
        A stamp up to this many seconds before the newest is a straggler and dropped; an older one means that the
        clock jumped back, which starts a new segment.
    known : KnownForces or None
        What the machine file knows of its measured forces, for those who come after input validation
        (`signals.forces.known`).
    transfers : tuple of Transfer, or None
        What lies between measured and acting forces, for the same (`signals.forces.drive_transfer`).
    drives : tuple of Drive
        What they may show: limits as their file states them; none while the machine is not known.
    """

    period: float = 0.0
    max_gap: float = declare(
        0.0,
        "longest hole that is filled, a longer one starts a new segment; 0: 5 ms, or one sample",
        "s",
        0,
        1.0,
    )
    late_tolerance: float = declare(
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
    def of(cls, machine: Any, period: float | None = None, **changes: Any) -> ValidationSettings:
        """Return the settings for a machine or its description; raises as `resolved`."""
        # here, because readers of logs need no machine's kernels
        from pkm_identification.machines.load import as_machine

        return replace(cls().resolve(as_machine(machine), period), **changes)

    def resolve(self, machine: Machine, period: float | None = None) -> ValidationSettings:
        """Return these settings for a machine's drives; the period in s is its file's unless given.

        Raises
        ------
        LogError
            If neither the machine nor the caller knows the sample period.
        """
        if period is None:
            if machine.sample_rate is None:
                raise LogError(
                    f"machine '{machine.name}' states no drive.sample_rate, and no sample period was given"
                )
            period = 1.0 / machine.sample_rate
        return replace(
            self, period=period, drives=machine.drives, known=machine.known_forces,
            transfers=machine.build_transfers(period),
        )  # fmt: skip
