# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Forces that come late, have a wrong factor or do not start at zero: sensors and amplifiers."""

from __future__ import annotations

import numpy as np

from pkm_identification.machines.contract import Machine
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.rows import segment_slices

from .effect import (
    LARGEST_SHARE,
    Effect,
    describe_correction,
    name_drives,
    repeat_prior,
    typical_force,
    units_of_drives,
)
from .situation import Situation, diagonal

DELAY, GAIN, OFFSET = "force_delay", "force_gain", "force_offset"
LARGE_DELAY = 3e-3  # s
LONGEST_DELAY_S = 0.1  # no channel is later
LARGE_GAIN = 0.1
LARGE_OFFSET = 0.1  # of a typical force


def compute_late(situation: Situation) -> FloatArray:
    """Return -dF/dt of each drive: what a delay of a second would add."""
    rows = situation.rows
    slope, force = np.zeros_like(rows.force), situation.reported
    for part in segment_slices(rows.samples.segment):
        if part.stop - part.start > 2:
            slope[part] = np.gradient(force[part], rows.band.period, axis=0)
    return diagonal(rows.in_band(-slope))


def compute_later(situation: Situation, delay: FloatArray) -> FloatArray:
    """Return what delays (n,) in s of the forces add, each per second of it."""
    # here, because it brings along what takes a second to load
    from scipy.interpolate import CubicSpline

    rows = situation.rows
    added = np.zeros_like(rows.force)
    for part in segment_slices(rows.samples.segment):
        count = part.stop - part.start
        if count > 3:
            clock = rows.band.period * np.arange(count)
            force = situation.reported[part]
            # beyond the ends the last force is taken
            ahead = np.clip(clock[:, None] + delay, 0.0, clock[-1])
            shifted = [CubicSpline(clock, one)(at) for one, at in zip(force.T, ahead.T, strict=True)]
            added[part] = force - np.stack(shifted, axis=1)
    return diagonal(rows.in_band(added / delay))


def compute_too_large(situation: Situation) -> FloatArray:
    """Return the model's own force: the measured one would put its noise into the column."""
    return diagonal(situation.expected)


def compute_shifted(situation: Situation) -> FloatArray:
    """Return one in each drive's rows."""
    return diagonal(situation.rows.used.astype(float))


def effects(machine: Machine) -> list[Effect]:
    """Return those of the force measurement."""
    count = len(machine.drives)
    return [
        Effect(
            DELAY,
            "delay",
            "s",
            compute_late,
            repeat_prior(LARGE_DELAY, count),
            describe_correction(machine, "Set drive.force_delay"),
            name_drives(DELAY, machine),
            common=DELAY,
            largest=LONGEST_DELAY_S,
            secant=compute_later,
            correction_of_one="Estimate it with --also {name}"
            + (
                "; drive.force_delay of a machine file delays all struts by the same time"
                if machine.states_reports
                else ""
            ),
        ),
        Effect(
            GAIN,
            "gain",
            "",
            compute_too_large,
            repeat_prior(LARGE_GAIN, count),
            describe_correction(machine, "Check that strut's torque constant, set drive.force_gain"),
            name_drives(GAIN, machine),
            offset=1.0,
            largest=LARGEST_SHARE,
        ),
        Effect(
            name=OFFSET,
            family="offset",
            columns=compute_shifted,
            scale=LARGE_OFFSET * typical_force(machine),
            correction=describe_correction(machine, "Trim that amplifier's zero, set drive.force_offset"),
            members=name_drives(OFFSET, machine),
            linear=True,
            **units_of_drives(machine, "{force}"),  # type: ignore[arg-type]
        ),
    ]
