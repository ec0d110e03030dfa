# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Faults of sensors and records: forces and coordinates late, scaled, shifted, reversed, in another order or unit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from pkm_identification.errors import SettingsError
from pkm_identification.mechanisms.hexapod.drive import LONGEST_DELAY
from pkm_identification.numerics.arrays import FloatArray

from ..imperfections.setup import LostCounts, Setup, WrongMotion
from .kind import LOG, MAY, MUST, SENSORS, Fault, FaultKind

LARGEST_OFFSET = 1e7  # N
LARGEST_STEP = 0.1  # m
SMALLEST_UNIT, LARGEST_UNIT = 1e-9, 1e9
# N of one ampere: the drive's own, looked up when the fault meets its machine
AMPERE = -1.0


def _change(
    part: str, name: str, combine: Callable[[FloatArray, float], Any]
) -> Callable[[Setup, Fault], Setup]:
    """Return a fault's effect: its number combined with an array's entries of its drives, in a part of the setup."""

    def apply(setup: Setup, fault: Fault) -> Setup:
        section = getattr(setup, part)
        values = getattr(section, name).copy()
        values[fault.struts] = combine(values[fault.struts], fault.numbers[0])
        return replace(setup, **{part: replace(section, **{name: values})})

    return apply


def _take_new(old: FloatArray, new: float) -> float:
    return new


def _reverse_sign(old: FloatArray, sign: float) -> FloatArray:
    if sign != -1.0:
        raise SettingsError(f"'{sign:g}': must be -1")
    return sign * old


def _lose_counts(setup: Setup, fault: Fault) -> Setup:
    size, *when = fault.numbers
    if when and when[0] < 0:
        raise SettingsError(f"'{when[0]:g}' s: counts are lost at 0 s or later")
    if abs(size) > LARGEST_STEP:
        raise SettingsError(f"'{size:g}' m: must be between -{LARGEST_STEP:g} and {LARGEST_STEP:g} m")
    step = LostCounts(fault.strut or 0, size, when[0] if when else None)
    return replace(setup, encoder=replace(setup.encoder, lost=(*setup.encoder.lost, step)))


def _scale_motion(share: float) -> Callable[[Setup, Fault], Setup]:
    """Return the effect of an encoder that shows a share of the motion from an instant on."""

    def apply(setup: Setup, fault: Fault) -> Setup:
        wrong = WrongMotion(fault.struts[0], share, fault.numbers[0])
        return replace(setup, encoder=replace(setup.encoder, wrong=(*setup.encoder.wrong, wrong)))

    return apply


def _convert(name: str) -> Callable[[Setup, Fault], Setup]:
    """Return the effect of a record in another unit."""

    def apply(setup: Setup, fault: Fault) -> Setup:
        unit = fault.numbers[0]
        if unit == AMPERE:
            drive = getattr(setup.machine, "drive", None)
            if drive is None or not drive.has_motor:
                raise SettingsError(
                    f"machine '{setup.machine.name}' has no drive.motor, so amperes mean nothing"
                )
            unit = drive.force_per_ampere
        changed: dict[str, Any] = {name: unit}
        return replace(setup, record=replace(setup.record, **changed))

    return apply


FORM = "two drives as 1-2, or the order of all"


def _order(text: str, count: int) -> tuple[float, ...]:
    """Return which drive (from 1) each column shows."""
    order = list(range(1, count + 1))
    if len(text) == 3 and text[1] == "-" and text[0].isdigit() and text[2].isdigit():
        a, b = int(text[0]), int(text[2])
        if a in order and b in order and a != b:
            order[a - 1], order[b - 1] = b, a
            return tuple(map(float, order))
    elif text.isascii() and text.isdigit() and sorted(int(digit) for digit in text) == order:
        return tuple(float(digit) for digit in text)
    turned = "".join(map(str, [*order[1::-1], *order[2:]]))
    raise SettingsError(f"'{text}': expected {FORM} {count} as {turned}")


def _exchange(name: str) -> Callable[[Setup, Fault], Setup]:
    """Return the effect of columns in another order."""

    def apply(setup: Setup, fault: Fault) -> Setup:
        old = getattr(setup.record, name)
        changed: dict[str, Any] = {name: tuple(old[int(drive) - 1] for drive in fault.numbers)}
        return replace(setup, record=replace(setup.record, **changed))

    return apply


FAULTS = (
    FaultKind("force_delay", "s", SENSORS, "forces come late against the lengths (early, if negative)",
              _change("force", "delay", np.add), -LONGEST_DELAY, LONGEST_DELAY, MAY),
    FaultKind("force_gain", "", SENSORS, "forces are measured too large by this factor: a wrong torque constant",
              _change("force", "gain", np.multiply), 0.1, 10.0, MAY),
    FaultKind("force_offset", "N", SENSORS, "what is measured without force: an amplifier's offset",
              _change("force", "offset", np.add), -LARGEST_OFFSET, LARGEST_OFFSET, MUST),
    FaultKind("force_sign", "", LOG, "forces are recorded with the other sign",
              _change("record", "force_sign", _reverse_sign), -1.0, -1.0, MAY, words={"": (-1.0,)}),
    FaultKind("saturation", "N", LOG, "measured forces are clipped at this size, true ones are not",
              _change("record", "force_limit", _take_new), 1e-6, LARGEST_OFFSET, MAY),
    FaultKind("force_unit", "N of one recorded unit", LOG, "forces are recorded in the wrong unit",
              _convert("force_unit"), SMALLEST_UNIT, LARGEST_UNIT,
              words={"kN": (1000.0,), "kgf": (9.80665,), "lbf": (4.4482216,), "A": (AMPERE,)}),
    FaultKind("length_unit", "m of one recorded unit", LOG, "lengths are recorded in the wrong unit",
              _convert("length_unit"), SMALLEST_UNIT, LARGEST_UNIT, words={"mm": (0.001,), "inch": (0.0254,)}),
    FaultKind("time_unit", "s of one recorded unit", LOG, "stamps are recorded in the wrong unit",
              _convert("time_unit"), SMALLEST_UNIT, LARGEST_UNIT, words={"ms": (0.001,), "us": (1e-6,)}),
    FaultKind("exchanged_struts", FORM, LOG, "forces are recorded in columns of other drives",
              _exchange("force_order"), parse=_order),
    FaultKind("exchanged_lengths", FORM, LOG, "coordinates are recorded in columns of other drives",
              _exchange("length_order"), parse=_order),
    FaultKind("length_offset", "m", SENSORS, "a wrong encoder zero: measured less true length",
              _change("encoder", "offset", np.add), -LARGEST_STEP, LARGEST_STEP, MUST),
    FaultKind("length_scale", "", SENSORS, "a wrong pitch: counts, measured over true",
              _change("encoder", "scale", np.multiply), 0.5, 2.0, MAY),
    FaultKind("lost_counts", "m[,s]", SENSORS, "a step in one length (strut 1 unless named), at half time unless given",
              _lose_counts, strut=MAY, counts=(1, 2)),
    FaultKind("stuck_length", "s", SENSORS, "one encoder repeats the same length from this instant on",
              _scale_motion(0.0), 0.0, 1e6, MUST),
    FaultKind("reversed_length", "s", SENSORS, "one encoder counts the wrong way from this instant on",
              _scale_motion(-1.0), 0.0, 1e6, MUST, words={"": (0.0,)}),
)  # fmt: skip
