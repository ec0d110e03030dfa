# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Errors that nobody searches for, since a log alone hardly tells them from others: the full model allows for each.

The size of gravity, clocks of two rates, a first-order lag of the forces in addition to their delay, and offsets and
gains that drift.
"""

from __future__ import annotations

import numpy as np

from pkm_identification.machines.contract import Machine
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.rows import segment_slices

from .effect import LARGEST_SHARE, Effect, name_drives, repeat_prior, typical_force, units_of_drives
from .geometry import compute_friction
from .log_rows import DriveMotion
from .situation import Situation, diagonal

GRAVITY_SIZE, TIME_BASE, LAG = "gravity_size", "time_base", "force_lag"
OFFSET_DRIFT, GAIN_DRIFT = "offset_drift", "gain_drift"
LARGE_LAG = 2.0  # ms: a low-pass of 80 Hz
LARGE_OFFSET_DRIFT = 0.01  # of a typical force, from the begin to the end
LARGE_GAIN_DRIFT = 0.005
UNWRITTEN = (LAG, OFFSET_DRIFT, GAIN_DRIFT)  # of which no file says anything
STEP = 1e-3  # relative, for differences


def compute_heavier(situation: Situation) -> FloatArray:
    """Return what a m/s^2 more of gravity would add, (K, n, 1)."""
    gravity = situation.machine.gravity
    change = STEP * gravity
    changed = situation.machine.with_changes(
        {f"gravity.{k}": float(change[k]) for k in np.flatnonzero(change)}
    )
    return situation.of_machine(changed, moved=False)[:, :, None] / (STEP * np.linalg.norm(gravity))


def compute_slower(situation: Situation) -> FloatArray:
    """Return what a clock that counts a second as two would add, to first order, (K, n, 1)."""
    rows, own = situation.rows, situation.rows.thin_drives
    slowed = DriveMotion(own.coordinate, (1.0 - STEP) * own.rate, (1.0 - STEP) ** 2 * own.acceleration)
    rate = rows.motion.rate
    friction = compute_friction(situation, (1.0 - STEP) * rate) - compute_friction(situation, rate)
    return (situation.of_drives(slowed) + rows.in_band(friction))[:, :, None] / STEP


def compute_lagging(situation: Situation) -> FloatArray:
    """Return d²F/dt² of all drives in N/ms²: half a lag's square adds it in addition to its delay, (K, n, 1)."""
    rows = situation.rows
    bend = np.zeros_like(rows.force)
    for part in segment_slices(rows.samples.segment):
        if part.stop - part.start > 4:
            slope = np.gradient(situation.reported[part], rows.band.period, axis=0)
            bend[part] = np.gradient(slope, rows.band.period, axis=0)
    return 1e-6 * rows.in_band(bend)[:, :, None]


def compute_offset_drift(situation: Situation) -> FloatArray:
    """Return what an offset of each drive that grows by a unit over the log would add, (K, n, n)."""
    return diagonal(_find_ramp(situation))


def compute_gain_drift(situation: Situation) -> FloatArray:
    """Return what a gain of each drive that grows by 1 over the log would add, (K, n, n)."""
    return diagonal(situation.expected * _find_ramp(situation))


def _find_ramp(situation: Situation) -> FloatArray:
    """Return what grows from -.5 to .5 over the log, (K, n)."""
    rows = situation.rows
    time = rows.samples.time
    ramp = (time - time.mean()) / max(float(np.ptp(time)), 1e-9)
    return rows.at_equations(np.repeat(ramp[:, None], len(rows.machine.drives), axis=1))


def effects(machine: Machine) -> list[Effect]:
    """Return those that a machine can have."""
    count, typical = len(machine.drives), typical_force(machine)
    found = [
        Effect(
            TIME_BASE, "clock", "", compute_slower, repeat_prior(1e-4, 1), "Check the log's clock", parts=(TIME_BASE,)
        ),
        Effect(
            LAG, "delay", "ms^2", compute_lagging, repeat_prior(0.5 * LARGE_LAG**2, 1), "Check the torques' filter",
            parts=(LAG,), least=0.0,  # its square: no channel is ahead of what it is made of
        ),
        Effect(
            OFFSET_DRIFT, "offset", columns=compute_offset_drift, scale=LARGE_OFFSET_DRIFT * typical,
            correction="Let the amplifiers warm up", members=name_drives(OFFSET_DRIFT, machine),
            **units_of_drives(machine, "{force}"),  # type: ignore[arg-type]
        ),
        Effect(
            GAIN_DRIFT, "gain", "", compute_gain_drift, repeat_prior(LARGE_GAIN_DRIFT, count),
            "Let the drives warm up", name_drives(GAIN_DRIFT, machine), largest=LARGEST_SHARE,
        ),
    ]  # fmt: skip
    if np.any(machine.gravity):
        size = float(np.linalg.norm(machine.gravity))
        heavier = Effect(
            GRAVITY_SIZE, "gravity", "m/s^2", compute_heavier, repeat_prior(1e-3 * size, 1), "Set gravity",
            parts=(GRAVITY_SIZE,),
        )  # fmt: skip
        found.append(heavier)
    return found
