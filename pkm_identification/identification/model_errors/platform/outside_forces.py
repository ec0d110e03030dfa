# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Forces on the platform that no file has: hoses and cables, a spring, a damper, something that rubs.

They act along the coordinates of the platform's pose, along the outputs of a machine without one, or along the axes of
the ground at the end of one without either.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from pkm_identification.machines.capabilities import BodiesFile, NamedOutputs, PlatformPose, has, require
from pkm_identification.machines.contract import OK, Machine, Motion
from pkm_identification.machines.motions import compute_nearby_motion
from pkm_identification.numerics.arrays import FloatArray

from ..effect import Columns, Effect, find_passive_friction, typical_force
from ..situation import Situation

WRENCH, SPRING, DAMPER, FRICTION = (
    "platform_wrench", "platform_spring", "platform_damper", "platform_friction",
)  # fmt: skip
AXES = ("force_x", "force_y", "force_z", "torque_x", "torque_y", "torque_z")
LARGE = 0.01  # of a typical force, torques at half the machine's size: hoses and cables
FAR, TURNED = (
    1.0,
    1.0,
)  # of the machine's size, rad: where a spring pulls with that; softer than a weight's lever
SLOW = 0.05  # of the rms rate: below it friction of the platform reverses
LEAST_RATE = 1e-9  # of the largest rate: an axis along which the end goes slower is none


def compute_wrenches(situation: Situation) -> FloatArray:
    """Return what drives do against a unit of each force along a coordinate of the platform, (K, n, w)."""
    return situation.rows.thin_in_band(find_levers(situation))


def compute_springs(situation: Situation) -> FloatArray:
    """Return the same of forces along which the platform is a metre or a radian away from home, or where it began."""
    return _compute_along(situation, _find_displacement(situation))


def compute_dampers(situation: Situation) -> FloatArray:
    """Return the same of forces against which the platform moves by a metre or a radian per second."""
    return _compute_along(situation, -find_rates(situation))


def compute_friction(situation: Situation) -> FloatArray:
    """Return the same of a unit of force against the platform's rate, which reverses within a sample."""
    rows, thin = situation.rows, find_levers(situation)
    levers = np.stack([situation.at_all_samples(one) for one in np.moveaxis(thin, 2, 0)], axis=2)
    rates = -np.einsum("kiw,ki->kw", levers, rows.motion.rate)  # its power is that of the drives
    slow = SLOW * np.sqrt(np.mean(rates**2, axis=0)) if len(rates) else np.ones(rates.shape[1])
    shape = -np.tanh(rates / np.maximum(slow, np.finfo(float).tiny))
    return rows.in_band(levers * shape[:, None, :])


def _compute_along(situation: Situation, shape: FloatArray) -> FloatArray:
    """Return what drives do against forces (n, w) on the thin grid that are as large as a shape, (K, n, w)."""
    return situation.rows.thin_in_band(find_levers(situation) * shape[:, None, :])


def _find_displacement(situation: Situation) -> FloatArray:
    """Return how far the platform is away along each coordinate on the thin grid, m or rad, (n, w)."""
    machine, motion = situation.machine, situation.rows.thin_motion
    if has(machine, PlatformPose):
        home, upright = machine.home_pose
        position, rotation = machine.compute_pose(motion)
        turned = rotation @ upright.T
        vector = 0.5 * np.stack(
            [turned[:, k, j] - turned[:, j, k] for j, k in ((1, 2), (2, 0), (0, 1))], axis=1
        )
        return np.concatenate([position - home, vector], axis=1)
    point = _compute_end(machine, motion)[0]
    return point - point.mean(axis=0)


def find_rates(situation: Situation) -> FloatArray:
    """Return the rates of the platform along each coordinate on the thin grid, m/s or rad/s, (n, w)."""
    return _compute_rates(situation.machine, situation.rows.thin_motion)


def _compute_rates(machine: Machine, motion: Motion) -> FloatArray:
    return (
        machine.compute_twist(motion)[0] if has(machine, PlatformPose) else _compute_end(machine, motion)[1]
    )


def _compute_end(machine: Machine, motion: Motion) -> tuple[FloatArray, FloatArray]:
    """Return places and rates (N, w) of a machine without a pose along its outputs, or at its end."""
    if has(machine, NamedOutputs):
        return machine.compute_outputs(motion)[:2]
    position, velocity = require(machine, BodiesFile, "a force on the platform").compute_end(motion)
    axes = _find_axes(machine)
    return position[:, axes], velocity[:, axes]


def _find_axes(machine: Machine) -> list[int]:
    """Return along which axes of the ground the end of a machine can move."""
    bodies = require(machine, BodiesFile, "a force on the platform")
    speed = np.nanmax(np.abs(bodies.compute_end(_draw_motion(machine))[1]), axis=0)
    return np.flatnonzero(speed > LEAST_RATE * np.max(speed)).tolist()


def _draw_motion(machine: Machine) -> Motion:
    """Return states near home, more than a machine has drives."""
    size, random = np.array([drive.size for drive in machine.drives]), np.random.default_rng(0)
    away, rate = random.standard_normal((2, 8 + 2 * len(size), len(size))) * size
    return machine.compute_motion(machine.home + 0.3 * away, rate, np.zeros_like(rate))


def find_own_drives(machine: Machine) -> list[int | None]:
    """Return which drive alone moves each coordinate of the platform, by a constant ratio; None: no drive does.

    What resists along such a coordinate, as at the guide of a gantry's axis, is friction of that drive.
    """
    motion = _draw_motion(machine)
    there = motion.status == OK
    rates, moved = motion.rate[there], _compute_rates(machine, motion)[there]
    ratios = np.linalg.lstsq(rates, moved)[0]
    left = np.max(np.abs(moved - rates @ ratios), axis=0)
    felt = np.abs(ratios) * np.array([drive.size for drive in machine.drives])[:, None]
    alone = np.count_nonzero(felt > LEAST_RATE * np.max(felt), axis=0) == 1
    constant = left <= LEAST_RATE * np.max(np.abs(moved))
    return [int(np.argmax(felt[:, k])) if alone[k] and constant[k] else None for k in range(moved.shape[1])]


def find_levers(situation: Situation) -> FloatArray:
    """Return what drives do against a unit along each coordinate of the platform on the thin grid, (n, drives, w)."""
    return situation.keep(_compute_levers)


def _compute_levers(situation: Situation) -> FloatArray:
    machine, motion = situation.machine, situation.rows.thin_motion
    if not has(machine, PlatformPose):
        still = np.zeros_like(motion.rate)
        units = [
            compute_nearby_motion(machine, motion, motion.coordinate, still + row, still)
            for row in np.eye(still.shape[1])
        ]
        return -np.stack([_compute_end(machine, one)[1] for one in units], axis=1)
    count = len(motion)
    rates = [
        machine.compute_drive_rates(motion, np.broadcast_to(row, (count, 6)).copy()) for row in np.eye(6)
    ]
    # power of the wrench and of the drives together is none
    return -np.linalg.inv(np.stack(rates, axis=1))


def list_axes(machine: Machine) -> tuple[tuple[str, ...], NDArray[np.bool_]]:
    """Return names of the platform's coordinates, and which are angles; none of machines without platform or end."""
    if has(machine, PlatformPose):
        return AXES, np.repeat([False, True], 3)
    if has(machine, NamedOutputs):
        outputs = machine.outputs
        return tuple(one.name for one in outputs), np.array([one.unit == "rad" for one in outputs])
    axes = _find_axes(machine) if has(machine, BodiesFile) else []
    return tuple(AXES[k] for k in axes), np.zeros(len(axes), dtype=bool)


def effects(machine: Machine) -> list[Effect]:
    """Return what pulls at the platform and resists its motion."""
    axes, turning = list_axes(machine)
    if not axes:
        return []
    arm = 0.5 * machine.size
    along = np.array([1.0 if drive.unit == "m" else 1.0 / arm for drive in machine.drives])
    force = float(np.mean(typical_force(machine) * along)) * np.where(turning, arm, 1.0)
    away, resisting = np.where(turning, TURNED, FAR * machine.size), find_passive_friction(machine)

    own = [None if drive is None else machine.friction[drive].law.names for drive in find_own_drives(machine)]

    def describe(
        name: str,
        columns: Columns,
        size: FloatArray,
        units: tuple[str, str],
        of_motion: float = 0.0,
        least: float = -np.inf,
        of_drives: str = "",
    ) -> Effect:
        # what a coefficient of a drive's friction stands for is that
        kept = np.array(
            [k for k, names in enumerate(own) if names is None or of_drives not in names], dtype=int
        )
        return Effect(
            name, "wrench", "", partial(_select, columns, kept), size[kept], "Look for what pulls at the platform",
            linear=True, parts=tuple(f"{name}_{axes[k]}" for k in kept), of_motion=of_motion, least=least,
            units=tuple(units[int(turning[k])] for k in kept),
        )  # fmt: skip

    described = [
        describe(WRENCH, compute_wrenches, LARGE * force, ("N", "N m")),
        describe(SPRING, compute_springs, LARGE * force / away, ("N/m", "N m/rad")),
        describe(DAMPER, compute_dampers, force, ("N s/m", "N m s/rad"), resisting, 0.0, "viscous"),
        describe(FRICTION, compute_friction, force, ("N", "N m"), resisting, 0.0, "coulomb"),
    ]
    return [one for one in described if len(one.scale)]


def _select(columns: Columns, axes: NDArray[np.int64], situation: Situation) -> FloatArray:
    return columns(situation)[:, :, axes]
