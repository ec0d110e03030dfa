# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Joints that are not where the machine file has them, encoders with a wrong zero or pitch, drives that yield."""

from __future__ import annotations

from functools import partial

import numpy as np

from pkm_identification.machines.contract import Machine
from pkm_identification.machines.place_slopes import compute_place_slopes
from pkm_identification.mechanisms.friction import friction_force
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.rows import segment_slices

from .effect import (
    Effect,
    group_drives,
    name_drives,
    name_units,
    repeat_prior,
    typical_force,
    units_of_drives,
)
from .log_rows import DriveMotion
from .situation import Situation, diagonal
from .spline_derivatives import FEWEST, spline_derivatives

JOINT, ZERO = 1e-3, 3e-3  # of the length scale, of an angle in rad: large errors
PITCH = 0.01
DRIFT = 3e-5  # of the length scale a second, of an angle in rad/s: counts that are lost all the time
YIELD = 3e-4  # of the length scale, of an angle in rad, under a typical force
STEP = 1e-4  # of the length scale, of an angle in rad, for differences
SOFTER = 1e-9  # m/N or rad/(N m), for differences
AXES = "xyz"
DRIFTS = ("length_drift", "angle_drift", "coordinate_drift")  # of zeros; no file tells of them
COMPLIANCE = "compliance"
PLACES = "geometry"  # what joints and zeros of the drives are called together
# Passes: each leaves a tenth or so of the one before in the band, but above it they need not converge.
YIELDINGS = 4


def name_offset(machine: Machine) -> str:
    """Return what a wrong zero of an encoder is called: of a length, of an angle, of coordinates of both kinds."""
    return f"{_name_coordinate(machine)}_offset"


def name_scale(machine: Machine) -> str:
    """Return what a wrong pitch is called."""
    return f"{_name_coordinate(machine)}_scale"


def describe_drifts(machine: Machine) -> Effect:
    """Return zeros of the drives' coordinates that drift."""
    name = f"{_name_coordinate(machine)}_drift"
    return Effect(
        name, "geometry", columns=compute_drifts, scale=DRIFT * sizes_of(machine),
        correction="That encoder loses counts all the time: check cable, shield and coupling, and home it again",
        members=name_drives(name, machine), **units_of_drives(machine, "{coordinate}/s"),  # type: ignore[arg-type]
    )  # fmt: skip


def _name_coordinate(machine: Machine) -> str:
    units = {drive.unit for drive in machine.drives}
    return {"m": "length", "rad": "angle"}[units.pop()] if len(units) == 1 else "coordinate"


def name_places(machine: Machine) -> dict[str, str]:
    """Return the paths of all coordinates of joints in their bodies, by name: joint and axis, or path."""
    names = {}
    for joint, paths in machine.joint_places.items():
        for k, path in enumerate(paths):
            names[f"{joint}_{AXES[k]}" if len(paths) == len(AXES) else f"geometry:{path}"] = path
    return names


def sizes_of(machine: Machine) -> FloatArray:
    """Return the size of each drive's coordinate, (n,): half the machine's size, or a radian."""
    return np.array([0.5 * machine.size if drive.unit == "m" else 1.0 for drive in machine.drives])


def compute_joints(situation: Situation) -> FloatArray:
    """Return what a metre of each joint coordinate would add, (K, n, q), in the order of `name_places`."""
    rows, machine = situation.rows, situation.machine
    paths = tuple(name_places(machine).values())
    return rows.thin_in_band(compute_place_slopes(machine, rows.thin_motion, situation.parameters, paths))


def compute_zeros(situation: Situation) -> FloatArray:
    """Return what coordinates measured a unit too large would add, (K, n, n)."""
    own, steps = situation.rows.thin_drives, STEP * sizes_of(situation.machine)
    columns = [
        situation.changed_by(own._replace(coordinate=own.coordinate - step * row)) / step
        for step, row in zip(steps, np.eye(len(steps)), strict=True)
    ]
    return situation.rows.thin_in_band(np.stack(columns, axis=2))


def compute_drifts(situation: Situation) -> FloatArray:
    """Return what zeros that drift by a unit a second would add, (K, n, n); friction included, which sees the rate."""
    rows, own = situation.rows, situation.rows.thin_drives
    since = rows.samples.time[rows.thin] - np.mean(rows.samples.time)
    steps, columns = STEP * sizes_of(situation.machine), []
    for step, row in zip(steps / max(float(np.ptp(since)), 1e-300), np.eye(len(steps)), strict=True):
        way = step * row
        moved = DriveMotion(own.coordinate - since[:, None] * way, own.rate - way, own.acceleration)
        columns.append(situation.changed_by(moved) / step)
    rate, way = rows.motion.rate, DRIFT * sizes_of(situation.machine)
    friction = (compute_friction(situation, rate - way) - compute_friction(situation, rate)) / way
    return rows.thin_in_band(np.stack(columns, axis=2)) + diagonal(rows.in_band(friction))


def compute_places(situation: Situation) -> FloatArray:
    """Return joints and zeros of the drives together, (K, n, q + n)."""
    return np.concatenate([compute_joints(situation), compute_zeros(situation)], axis=2)


def compute_pitch(situation: Situation) -> FloatArray:
    """Return what counts measured twice as large would add; friction included, which sees the rate, (K, n, n)."""
    machine, rows = situation.machine, situation.rows
    start = np.array([drive.zero for drive in machine.drives])
    own, step = rows.thin_drives, STEP
    columns = []
    for row in np.eye(len(start)):
        changed = DriveMotion(
            own.coordinate - step * row * (own.coordinate - start),
            own.rate * (1.0 - step * row),
            own.acceleration * (1.0 - step * row),
        )
        columns.append(situation.changed_by(changed) / step)
    rate = rows.motion.rate
    friction = (compute_friction(situation, rate * (1.0 - step)) - compute_friction(situation, rate)) / step
    return rows.thin_in_band(np.stack(columns, axis=2)) + diagonal(rows.in_band(friction))


def compute_friction(situation: Situation, rate: FloatArray) -> FloatArray:
    """Return the drives' friction as estimated at rates (N, n)."""
    force = [friction_force(rate[:, i : i + 1], one)[:, 0] for i, one in enumerate(situation.friction)]
    return np.stack(force, axis=1)


def compute_compliance_columns(situation: Situation, group: FloatArray) -> FloatArray:
    """Return what drives (1 in (n,)) that yield by a unit per newton before the machine would add, (K, n, 1)."""
    return compute_compliance_columns_at(situation, np.zeros(len(group)), group)


def compute_compliance_columns_at(
    situation: Situation, compliance: FloatArray, group: FloatArray
) -> FloatArray:
    """Return the same of a unit per newton more where drives yield already by `compliance` (n,), (K, n, 1)."""
    change = differentiate_compliance(situation, compliance + SOFTER * group)
    change -= differentiate_compliance(situation, compliance)
    return situation.rows.thin_in_band(change / SOFTER)[:, :, None]


def differentiate_compliance(situation: Situation, compliance: FloatArray) -> FloatArray:
    """Return what drives that yield so much per newton, (n,), add on the thin grid, unfiltered, (N, n).

    Their coordinates are smaller by what their force takes, which is that of the bodies where they then are: by
    iteration, as long as there is a motion of such coordinates.
    """
    added = np.zeros_like(situation.rigid)
    for _ in range(YIELDINGS if np.any(compliance) else 0):
        farther = situation.changed_by(_shift_motion(situation, compliance * (situation.rigid + added)))
        if not np.isfinite(farther).all():
            break
        added = farther
    return added


def _shift_motion(situation: Situation, way: FloatArray) -> DriveMotion:
    """Return the drives' motion on the thin grid, less a way (n, drives) and its derivatives."""
    rows, own = situation.rows, situation.rows.thin_drives
    first, second = np.zeros_like(way), np.zeros_like(way)
    interval = rows.step * rows.band.period
    for part in segment_slices(rows.thin_segment):
        if part.stop - part.start >= FEWEST:
            # the grid has few points in a period: differences would lose a fifth of the second derivative
            first[part], second[part] = spline_derivatives(way[part], interval)
    return DriveMotion(own.coordinate - way, own.rate - first, own.acceleration - second)


def effects(machine: Machine) -> list[Effect]:
    """Return those of places, coordinates and stiffness."""
    count, sizes = len(machine.drives), sizes_of(machine)
    offset, scale = name_offset(machine), name_scale(machine)
    found = [
        Effect(
            name=offset,
            family="geometry",
            columns=compute_zeros,
            scale=ZERO * sizes,
            correction="Home that encoder again, set drive.encoder.length_at_zero in the machine file (for logs of "
            "counts), or estimate it with --also {name}"
            if machine.states_reports
            else "Home that encoder again, or estimate it with --also {name}",
            members=name_drives(offset, machine),
            **units_of_drives(machine, "{coordinate}"),  # type: ignore[arg-type]
        ),
        Effect(
            scale,
            "geometry",
            "",
            compute_pitch,
            repeat_prior(PITCH, count),
            (
                "Check drive.encoder.counts_per_meter and the screw's pitch"
                if machine.states_reports
                else "Check how many counts make a unit"
            )
            + ", or estimate it with --also {name}",
            name_drives(scale, machine),
            common=scale,
            offset=1.0,
        ),
        describe_drifts(machine),
    ]
    paths = name_places(machine)
    if paths:
        found.append(
            Effect(
                PLACES,
                "geometry",
                "m",
                compute_places,
                np.concatenate([repeat_prior(JOINT * 0.5 * machine.size, len(paths)), ZERO * sizes]),
                "Measure the joint positions again (calibrate the kinematics) and set geometry in the machine file, or "
                "estimate them with --also {name}",
                parts=(*paths, *name_drives(offset, machine)),
            )
        )
    yielding = YIELD * sizes / np.maximum(typical_force(machine), 1e-9)
    for (ending, first), group in zip(name_units(machine), group_drives(machine).T, strict=True):
        drive = machine.drives[first]
        found.append(
            Effect(
                COMPLIANCE + ending,
                COMPLIANCE,
                f"{drive.unit}/{'N' if drive.unit == 'm' else '(N m)'}",
                partial(compute_compliance_columns, group=group),
                repeat_prior(float(np.mean(yielding[group > 0.0])), 1),
                "The struts are compliant between encoder and platform: keep accelerations lower, measure nearer to "
                "the platform, or estimate the compliance with --also compliance",
                # less than a file with elastic drives says is possible, less than none is not
                positive=machine.build_transfers(1e-3) is None,
            )
        )
    return found
