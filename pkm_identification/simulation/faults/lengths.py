# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Faults of the encoders: zero, pitch, lost counts, stuck, reversed."""

from __future__ import annotations

from dataclasses import replace

from pkm_identification.errors import SettingsError

from ..imperfections.setup import LostCounts, Setup, WrongMotion
from .kind import MAY, MUST, SENSORS, Fault, FaultKind

LARGEST = 0.1  # m


def _apply_offset(setup: Setup, fault: Fault) -> Setup:
    offset = setup.encoder.offset.copy()
    offset[fault.struts] += fault.numbers[0]
    return replace(setup, encoder=replace(setup.encoder, offset=offset))


def _scale(setup: Setup, fault: Fault) -> Setup:
    scale = setup.encoder.scale.copy()
    scale[fault.struts] *= fault.numbers[0]
    return replace(setup, encoder=replace(setup.encoder, scale=scale))


def _lose_counts(setup: Setup, fault: Fault) -> Setup:
    size, *when = fault.numbers
    if when and when[0] < 0:
        raise SettingsError(f"'{when[0]:g}' s: counts are lost at 0 s or later")
    if abs(size) > LARGEST:
        raise SettingsError(f"'{size:g}' m: must be between -{LARGEST:g} and {LARGEST:g} m")
    step = LostCounts(fault.strut or 0, size, when[0] if when else None)
    return replace(setup, encoder=replace(setup.encoder, lost=(*setup.encoder.lost, step)))


def _apply_scale(setup: Setup, fault: Fault, share: float) -> Setup:
    wrong = WrongMotion(fault.struts[0], share, fault.numbers[0])
    return replace(setup, encoder=replace(setup.encoder, wrong=(*setup.encoder.wrong, wrong)))


def _apply_stuck(setup: Setup, fault: Fault) -> Setup:
    return _apply_scale(setup, fault, 0.0)


def _apply_reversed(setup: Setup, fault: Fault) -> Setup:
    return _apply_scale(setup, fault, -1.0)


FAULTS = (
    FaultKind("length_offset", "m", SENSORS, "a wrong encoder zero: measured less true length", _apply_offset,
              -LARGEST, LARGEST, MUST),
    FaultKind("length_scale", "", SENSORS, "a wrong pitch: counts, measured over true", _scale, 0.5, 2.0, MAY),
    FaultKind("lost_counts", "m[,s]", SENSORS, "a step in one length (strut 1 unless named), at half time unless given",
              _lose_counts, strut=MAY, counts=(1, 2)),
    FaultKind("stuck_length", "s", SENSORS, "one encoder shows the same length from this instant on", _apply_stuck,
              0.0, 1e6, MUST),
    FaultKind("reversed_length", "s", SENSORS, "one encoder counts the wrong way from this instant on", _apply_reversed,
              0.0, 1e6, MUST, words={"": (0.0,)}),
)  # fmt: skip
