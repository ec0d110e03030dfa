# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Faults of the record's units: kN, mm, ms and the like where N, m and s are expected."""

from __future__ import annotations

from dataclasses import replace

from pkm_identification.errors import SettingsError

from ..imperfections.setup import Setup
from .kind import LOG, Fault, FaultKind

SMALLEST_UNIT, LARGEST_UNIT = 1e-9, 1e9
# N of one ampere: the drive's own, looked up when the fault meets its machine
AMPERE = -1.0


def _convert_force(setup: Setup, fault: Fault) -> Setup:
    unit = fault.numbers[0]
    if unit == AMPERE:
        drive = getattr(setup.machine, "drive", None)
        if drive is None or not drive.has_motor:
            raise SettingsError(f"machine '{setup.machine.name}' has no drive.motor, so amperes mean nothing")
        unit = drive.force_per_ampere
    return replace(setup, record=replace(setup.record, force_unit=unit))


def _convert_length(setup: Setup, fault: Fault) -> Setup:
    return replace(setup, record=replace(setup.record, length_unit=fault.numbers[0]))


def _convert_time(setup: Setup, fault: Fault) -> Setup:
    return replace(setup, record=replace(setup.record, time_unit=fault.numbers[0]))


FAULTS = (
    FaultKind("force_unit", "N of one recorded unit", LOG, "forces are recorded in another unit", _convert_force,
              SMALLEST_UNIT, LARGEST_UNIT,
              words={"kN": (1000.0,), "kgf": (9.80665,), "lbf": (4.4482216,), "A": (AMPERE,)}),
    FaultKind("length_unit", "m of one recorded unit", LOG, "lengths are recorded in another unit", _convert_length,
              SMALLEST_UNIT, LARGEST_UNIT, words={"mm": (0.001,), "inch": (0.0254,)}),
    FaultKind("time_unit", "s of one recorded unit", LOG, "stamps are recorded in another unit", _convert_time,
              SMALLEST_UNIT, LARGEST_UNIT, words={"ms": (0.001,), "us": (1e-6,)}),
)  # fmt: skip
