# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""pkm inverse, forward, forces of a platform with a pose: tables of poses and of its drives."""

from __future__ import annotations

import argparse

import numpy as np

from pkm_identification.control.inverse_dynamics import InverseDynamics
from pkm_identification.errors import LogError, MotionRefused
from pkm_identification.machines.capabilities import EnumeratedModes, PlatformPose, has, require
from pkm_identification.machines.contract import DEGRADED, FAILED, STATUS_NAMES, Motion
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.records.mechanism_csv import NamedTable, read_named_csv, write_named_csv
from pkm_identification.records.motion_csv import (
    read_motion_csv,
    read_pose_csv,
    write_mode_csv,
    write_pose_csv,
)
from pkm_identification.records.orientations import ANGLES, FORMS, SINGULARITY, find_singular

from .results import say


def inverse(machine: PlatformPose, options: argparse.Namespace) -> int:
    """Write the drives' coordinates of platform poses; a pose out of reach is refused."""
    poses = read_pose_csv(options.input)
    still = np.zeros((len(poses.position), 6))
    motion = machine.compute_motion_of_pose(poses.position, poses.rotation, still, still)
    _refuse_unreachable(motion, poses.source)
    columns = {drive.name: column for drive, column in zip(machine.drives, motion.coordinate.T, strict=True)}
    write_named_csv(options.out, columns, poses.time)
    low, high = (np.array([getattr(drive, end) for drive in machine.drives]) for end in ("lowest", "highest"))
    outside = int(np.count_nonzero(np.any((motion.coordinate < low) | (motion.coordinate > high), axis=1)))
    say(
        f"{len(motion)} poses -> {options.out}"
        + (f"; {outside} outside the limits of the drives" if outside else "")
    )
    return 0


def forward(machine: PlatformPose, options: argparse.Namespace) -> int:
    """Write platform poses of the drives' coordinates, with a status for each row; return 1 if one has no pose."""
    given = read_named_csv(options.input, [drive.name for drive in machine.drives])
    form = options.angles or FORMS[0]
    if options.all:
        return _list_all_modes(require(machine, EnumeratedModes, "--all"), given, options.out, form)
    still = np.zeros_like(given.values)
    motion = machine.compute_motion(given.values, still, still)
    position, rotation = machine.compute_pose(motion)
    status = [STATUS_NAMES[code] for code in motion.status]
    write_pose_csv(options.out, position, rotation, time=given.time, status=status, form=form)
    found = motion.status <= DEGRADED
    failed = int(np.count_nonzero(~found))
    doubtful = 0
    if has(machine, EnumeratedModes):
        doubtful = int(np.count_nonzero(found & ~machine.find_proved(motion)))
    say(
        f"{len(motion)} rows -> {options.out}"
        + (f"; {failed} without a pose, see 'status'" if failed else "")
        + (f"; {doubtful} not proved to be in home's assembly mode (see --all)" if doubtful else "")
        + _tell_singular(rotation[found], form)
    )
    return 1 if failed else 0


def _tell_singular(rotation: FloatArray, form: str) -> str:
    """Return a sentence on poses (N, 3, 3) whose angles are singular; nothing where there are none."""
    count = int(np.count_nonzero(find_singular(rotation, form)))
    if not count:
        return ""
    first, _, last = ANGLES[form]
    return f"; {count} at {SINGULARITY[form]}, where {first} and {last} turn about one axis: {last} is written as 0"


def _list_all_modes(machine: EnumeratedModes, given: NamedTable, out: str, form: str) -> int:
    """One row per assembly mode; the row's number counts the lengths from 1, the mode 1 is the machine's own."""
    bad = np.flatnonzero(np.any(given.values <= 0, axis=1))
    if len(bad):
        raise LogError(f"{given.source}: row {bad[0] + 1}: a length that is not positive")
    every = [machine.find_modes(length) for length in given.values]
    counts = [len(modes) for modes in every]
    write_mode_csv(
        out,
        row=np.repeat(np.arange(1, len(counts) + 1), counts),
        mode=np.concatenate([np.arange(1, count + 1) for count in counts]),
        position=np.concatenate([modes.position for modes in every]),
        rotation=np.concatenate([modes.rotation for modes in every]),
        residual=np.concatenate([modes.residual for modes in every]),
        condition=np.concatenate([modes.condition for modes in every]),
        certified=np.concatenate([modes.certified for modes in every]),
        form=form,
    )
    doubtful = sum(not modes.settled for modes in every)
    none = counts.count(0)
    chance = max(modes.chance_missed for modes in every)
    say(
        f"{len(given.values)} lengths -> {out}; {sum(counts)} modes, {min(counts)} to {max(counts)} each, "
        f"chance that one was missed {chance:.1e}"
        + (f"; {none} without a pose" if none else "")
        + (f"; {doubtful} not settled (multiple or missing modes)" if doubtful else "")
    )
    return 1 if none or doubtful else 0


def forces(machine: PlatformPose, options: argparse.Namespace) -> int:
    """Write the drives' forces of platform motions; return 1 if some are at singular poses."""
    given = read_motion_csv(options.input)
    motion = machine.compute_motion_of_pose(given.position, given.rotation, given.twist, given.acceleration)
    values = np.array(machine.basis.nominal)
    if options.no_friction:
        values[[entry.kind.friction for entry in machine.basis]] = 0.0
    force = InverseDynamics(machine).compute(motion, values)
    columns = {drive.force_name: column for drive, column in zip(machine.drives, force.T, strict=True)}
    write_named_csv(options.out, columns, given.time)
    singular = int(np.count_nonzero(~np.isfinite(force).all(axis=1)))
    say(
        f"{len(force)} samples -> {options.out}"
        + (f"; {singular} in singular poses or out of reach" if singular else "")
    )
    return 1 if singular else 0


def _refuse_unreachable(motion: Motion, source: str) -> None:
    bad = np.flatnonzero(motion.status >= FAILED)
    if len(bad):
        raise MotionRefused(f"{source}: row {bad[0] + 1}: the platform does not reach this pose from home")
