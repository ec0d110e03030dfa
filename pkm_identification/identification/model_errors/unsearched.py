# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Errors that nobody searches for, since a log alone hardly tells them from others: the full model allows for each.

What hangs on the platform (hoses, cables, a spring), the size of gravity, clocks of two rates, a first-order lag of the
forces beside their delay, and offsets and gains that drift.
"""

from __future__ import annotations

import numpy as np

from pkm_identification.machines.capabilities import NamedOutputs, PlatformPose, has, require
from pkm_identification.machines.contract import Machine
from pkm_identification.machines.motions import compute_nearby_motion
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.segments import segment_slices

from .effect import Effect, name_drives, repeat_prior, typical_force, units_of_drives
from .geometry import compute_friction
from .log_rows import DriveMotion
from .situation import Situation, diagonal

WRENCH, SPRING = "platform_wrench", "platform_spring"
GRAVITY_SIZE, TIME_BASE, LAG = "gravity_size", "time_base", "force_lag"
OFFSET_DRIFT, GAIN_DRIFT = "offset_drift", "gain_drift"
AXES: tuple[str, ...] = ("force_x", "force_y", "force_z", "torque_x", "torque_y", "torque_z")
LARGE_WRENCH = 0.01  # of a typical force, torques at half the machine's size: hoses and cables
FAR, TURNED = (
    1.0,
    1.0,
)  # of the machine's size, rad: where a spring pulls with that; softer than a weight's lever
LARGE_LAG = 2.0  # ms: a low-pass of 80 Hz
LARGE_OFFSET_DRIFT = 0.01  # of a typical force, from the begin to the end
LARGE_GAIN_DRIFT = 0.005
UNWRITTEN = (WRENCH, SPRING, LAG, OFFSET_DRIFT, GAIN_DRIFT)  # of which no file says anything
STEP = 1e-3  # relative, for differences


def compute_wrenches(situation: Situation) -> FloatArray:
    """Return what drives do against a unit of each force along a coordinate of the platform, (K, n, w).

    Those are forces and torques in the ground's axes, or along the outputs of a machine without a pose.
    """
    return situation.rows.thin_in_band(_find_levers(situation))


def compute_springs(situation: Situation) -> FloatArray:
    """Return the same of forces along which the platform is a metre or a radian away from home, or where it began."""
    return situation.rows.thin_in_band(_find_levers(situation) * _find_displacement(situation)[:, None, :])


def _find_displacement(situation: Situation) -> FloatArray:
    """Return how far the platform is away along each coordinate on the thin grid, m or rad, (n, w)."""
    machine = situation.machine
    if not has(machine, PlatformPose):
        outputs = require(machine, NamedOutputs, "a spring on the platform")
        point = outputs.compute_outputs(situation.rows.thin_motion)[0]
        return point - point.mean(axis=0)
    home, upright = machine.home_pose
    position, rotation = machine.compute_pose(situation.rows.thin_motion)
    turned = rotation @ upright.T
    vector = 0.5 * np.stack([turned[:, k, j] - turned[:, j, k] for j, k in ((1, 2), (2, 0), (0, 1))], axis=1)
    return np.concatenate([position - home, vector], axis=1)


def _find_levers(situation: Situation) -> FloatArray:
    """Return what drives do against a unit along each coordinate of the platform on the thin grid, (n, drives, w)."""
    machine, motion = situation.machine, situation.rows.thin_motion
    if not has(machine, PlatformPose):
        outputs = require(machine, NamedOutputs, "a force on the platform")
        still = np.zeros_like(motion.rate)
        units = [
            compute_nearby_motion(machine, motion, motion.coordinate, still + row, still)
            for row in np.eye(still.shape[1])
        ]
        return -np.stack([outputs.compute_outputs(one)[1] for one in units], axis=1)
    platform, count = require(machine, PlatformPose, "a wrench on the platform"), len(motion)
    rates = [
        platform.compute_drive_rates(motion, np.broadcast_to(row, (count, 6)).copy()) for row in np.eye(6)
    ]
    # power of the wrench and of the drives together is none
    return -np.linalg.inv(np.stack(rates, axis=1))


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
    """Return d²F/dt² of all drives in N/ms²: half a lag's square adds it beside its delay, (K, n, 1)."""
    rows = situation.rows
    bend = np.zeros_like(rows.force)
    for part in segment_slices(rows.samples.segment):
        if part.stop - part.start > 4:
            slope = np.gradient(rows.force[part], rows.band.period, axis=0)
            bend[part] = np.gradient(slope, rows.band.period, axis=0)
    return 1e-6 * rows.in_band(bend)[:, :, None]


def compute_offset_drift(situation: Situation) -> FloatArray:
    """Return what an offset of each drive that grows by a unit over the log would add, (K, n, n)."""
    return diagonal(_find_ramp(situation))


def compute_gain_drift(situation: Situation) -> FloatArray:
    """Return what a gain of each drive that grows by 1 over the log would add, (K, n, n)."""
    return diagonal(situation.predicted * _find_ramp(situation))


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
            parts=(LAG,),
        ),
        Effect(
            OFFSET_DRIFT, "offset", columns=compute_offset_drift, scale=LARGE_OFFSET_DRIFT * typical,
            correction="Let the amplifiers warm up", members=name_drives(OFFSET_DRIFT, machine),
            **units_of_drives(machine, "{force}"),  # type: ignore[arg-type]
        ),
        Effect(
            GAIN_DRIFT, "gain", "", compute_gain_drift, repeat_prior(LARGE_GAIN_DRIFT, count),
            "Let the drives warm up", name_drives(GAIN_DRIFT, machine),
        ),
    ]  # fmt: skip
    if np.any(machine.gravity):
        size = float(np.linalg.norm(machine.gravity))
        heavier = Effect(
            GRAVITY_SIZE, "gravity", "m/s^2", compute_heavier, repeat_prior(1e-3 * size, 1), "Set gravity",
            parts=(GRAVITY_SIZE,),
        )  # fmt: skip
        found.append(heavier)
    return [*found, *_find_wrenches(machine, typical)]


def _find_wrenches(machine: Machine, typical: FloatArray) -> list[Effect]:
    """Return what pulls at the platform, along its coordinates or the machine's outputs; nothing of other machines."""
    names, turning = AXES, np.repeat([False, True], 3)
    if not has(machine, PlatformPose):
        outputs = machine.outputs if has(machine, NamedOutputs) else ()
        names, turning = tuple(one.name for one in outputs), np.array([one.unit == "rad" for one in outputs])
    if len(names) != len(machine.drives):
        return []
    arm = 0.5 * machine.size
    along = np.array([1.0 if drive.unit == "m" else 1.0 / arm for drive in machine.drives])
    wrench = LARGE_WRENCH * float(np.mean(typical * along)) * np.where(turning, arm, 1.0)
    away = np.where(turning, TURNED, FAR * machine.size)
    units, rates = ("N", "N m"), ("N/m", "N m/rad")
    return [
        Effect(
            WRENCH, "wrench", "", compute_wrenches, wrench, "Look for what pulls at the platform",
            parts=tuple(f"{WRENCH}_{axis}" for axis in names), units=tuple(units[k] for k in turning.astype(int)),
        ),
        Effect(
            SPRING, "wrench", "", compute_springs, wrench / away, "Look for what pulls at the platform",
            parts=tuple(f"{SPRING}_{axis}" for axis in names), units=tuple(rates[k] for k in turning.astype(int)),
        ),
    ]  # fmt: skip
