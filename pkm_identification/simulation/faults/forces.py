# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Faults of the current sensors: late, scaled, shifted, reversed and clipped forces."""

from __future__ import annotations

from dataclasses import replace

from pkm_identification.errors import SettingsError
from pkm_identification.mechanisms.hexapod.drive import LONGEST_DELAY

from ..imperfections.setup import Setup
from .kind import LOG, MAY, MUST, SENSORS, Fault, FaultKind

LARGEST_OFFSET = 1e7  # N


def _delay(setup: Setup, fault: Fault) -> Setup:
    delay = setup.force.delay.copy()
    delay[fault.struts] += fault.numbers[0]
    return replace(setup, force=replace(setup.force, delay=delay))


def _apply_gain(setup: Setup, fault: Fault) -> Setup:
    gain = setup.force.gain.copy()
    gain[fault.struts] *= fault.numbers[0]
    return replace(setup, force=replace(setup.force, gain=gain))


def _apply_offset(setup: Setup, fault: Fault) -> Setup:
    offset = setup.force.offset.copy()
    offset[fault.struts] += fault.numbers[0]
    return replace(setup, force=replace(setup.force, offset=offset))


def _limit(setup: Setup, fault: Fault) -> Setup:
    limit = setup.record.force_limit.copy()
    limit[fault.struts] = fault.numbers[0]
    return replace(setup, record=replace(setup.record, force_limit=limit))


def _sign(setup: Setup, fault: Fault) -> Setup:
    if fault.numbers[0] != -1.0:
        raise SettingsError(f"'{fault.numbers[0]:g}': must be -1")
    sign = setup.record.force_sign.copy()
    sign[fault.struts] *= -1.0
    return replace(setup, record=replace(setup.record, force_sign=sign))


FAULTS = (
    FaultKind("force_delay", "s", SENSORS, "forces come late against the lengths (early, if negative)", _delay,
              -LONGEST_DELAY, LONGEST_DELAY, MAY),
    FaultKind("force_gain", "", SENSORS, "forces are measured too large by this factor: a wrong torque constant",
              _apply_gain,
              0.1, 10.0, MAY),
    FaultKind("force_offset", "N", SENSORS, "what is measured without force: an amplifier's offset", _apply_offset,
              -LARGEST_OFFSET, LARGEST_OFFSET, MUST),
    FaultKind("force_sign", "", LOG, "forces are recorded with the other sign", _sign, -1.0, -1.0, MAY,
              words={"": (-1.0,)}),
    FaultKind("saturation", "N", LOG, "measured forces are clipped at this size, true ones are not", _limit,
              1e-6, LARGEST_OFFSET, MAY),
)  # fmt: skip
