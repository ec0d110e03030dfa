# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""pkm inverse, forward, forces of a hexapod: tables of poses and of struts."""

from __future__ import annotations

import argparse

import numpy as np

from pkm_identification.errors import LogError
from pkm_identification.machines.capabilities import HexapodFile
from pkm_identification.mechanisms.hexapod.dynamics import strut_forces
from pkm_identification.mechanisms.hexapod.kinematics import (
    FAILED,
    STATUS_NAMES,
    assembly_modes,
    forward_kinematics,
    strut_lengths,
)
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import DriveLog
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.records import (
    read_length_csv,
    read_motion_csv,
    read_pose_csv,
    write_mode_csv,
    write_pose_csv,
    write_strut_columns,
)
from pkm_identification.records.orientations import ANGLES, SINGULARITY, find_singular

from .results import say


def inverse(hexapod: HexapodFile, options: argparse.Namespace) -> int:
    """Return strut lengths of platform poses."""
    machine = hexapod.description
    poses = read_pose_csv(options.input)
    length = strut_lengths(machine, poses.position, poses.rotation)
    write_strut_columns(options.out, length=length, time=poses.time)
    low, high = machine.length_limits
    outside = int(np.count_nonzero(np.any((length < low) | (length > high), axis=1)))
    say(
        f"{len(length)} poses -> {options.out}"
        + (f"; {outside} outside the length limits" if outside else "")
    )
    return 0


def forward(hexapod: HexapodFile, options: argparse.Namespace) -> int:
    """Platform poses of strut lengths."""
    machine = hexapod.description
    log = read_length_csv(options.input)
    if options.all:
        return _list_all_modes(machine, log, options.out, options.angles)
    result = forward_kinematics(machine, log.length)
    write_pose_csv(
        options.out,
        result.position,
        result.rotation,
        time=log.time,
        status=[STATUS_NAMES[status] for status in result.status],
        form=options.angles,
    )
    failed = int(np.count_nonzero(result.status == FAILED))
    doubtful = int(np.count_nonzero(result.found & ~result.joined))
    say(
        f"{len(log)} lengths -> {options.out}"
        + (f"; {failed} without a pose, status 'failed'" if failed else "")
        + (f"; {doubtful} not proved to be in home's assembly mode (see --all)" if doubtful else "")
        + _tell_singular(result.rotation[result.found], options.angles)
    )
    return 1 if failed else 0


def _tell_singular(rotation: FloatArray, form: str) -> str:
    """Return a sentence on poses (N, 3, 3) whose angles are singular; nothing where there are none."""
    count = int(np.count_nonzero(find_singular(rotation, form)))
    if not count:
        return ""
    first, _, last = ANGLES[form]
    return f"; {count} at {SINGULARITY[form]}, where {first} and {last} turn about one axis: {last} is written as 0"


def _list_all_modes(machine: Machine, log: DriveLog, out: str, form: str) -> int:
    """One row per assembly mode; the row's number counts the lengths from 1, the mode 1 is the machine's own."""
    bad = np.flatnonzero(np.any(log.length <= 0, axis=1))
    if len(bad):
        raise LogError(f"{log.source}: row {bad[0] + 1}: a length that is not positive")
    every = [assembly_modes(machine, length) for length in log.length]
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
        f"{len(log)} lengths -> {out}; {sum(counts)} modes, {min(counts)} to {max(counts)} each, "
        f"chance that one was missed {chance:.1e}"
        + (f"; {none} without a pose" if none else "")
        + (f"; {doubtful} not settled (multiple or missing modes)" if doubtful else "")
    )
    return 1 if none or doubtful else 0


def forces(hexapod: HexapodFile, options: argparse.Namespace) -> int:
    """Return strut forces of platform motions."""
    machine = hexapod.description
    motion = read_motion_csv(options.input)
    force = strut_forces(machine, motion, friction=not options.no_friction)
    write_strut_columns(options.out, force=force, time=motion.time)
    singular = int(np.count_nonzero(~np.isfinite(force).all(axis=1)))
    say(f"{len(force)} samples -> {options.out}" + (f"; {singular} in singular poses" if singular else ""))
    return 1 if singular else 0
