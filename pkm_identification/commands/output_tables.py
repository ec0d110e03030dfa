# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""pkm inverse, forward, forces of a machine with outputs: columns are the names that its file gives."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

import numpy as np

from pkm_identification.errors import MotionRefused
from pkm_identification.machines.capabilities import BodiesFile, EnumeratedModes, require
from pkm_identification.mechanisms.multibody import dynamics, kinematics
from pkm_identification.mechanisms.multibody.kernels.codes import STATUS_NAMES
from pkm_identification.mechanisms.multibody.mechanism import Mechanism
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.records.mechanism_csv import read_named_csv, read_named_motion, write_named_csv

from .results import say


def inverse(machine: BodiesFile, options: argparse.Namespace) -> int:
    """Outputs to driven coordinates; a row out of reach is refused with what is in the way."""
    mechanism = machine.mechanism
    given = read_named_csv(options.input, mechanism.output_names)
    try:
        q = kinematics.close_outputs(mechanism, given.values).required(given.values, "outputs")
    except MotionRefused as refused:
        raise MotionRefused(f"{given.source}: {refused}") from None
    drives = kinematics.read(mechanism, "drives", q)
    write_named_csv(options.out, _list_columns(mechanism.drive_names, drives), given.time)
    outside = int(np.count_nonzero(~_find_rows_within_limits(mechanism, drives)))
    say(f"{len(q)} poses -> {options.out}" + (f"; {outside} outside the limits" if outside else ""))
    return 0


def forward(machine: BodiesFile, options: argparse.Namespace) -> int:
    """Driven coordinates to outputs, with a status for each row; 1 if one has no pose."""
    if options.all:
        require(machine, EnumeratedModes, "--all")
    mechanism = machine.mechanism
    given = read_named_csv(options.input, mechanism.drive_names)
    closed = kinematics.close_drives(mechanism, given.values)
    outputs = kinematics.read(mechanism, "outputs", closed.configuration)
    outputs[~closed.found] = np.nan
    write_named_csv(
        options.out,
        _list_columns(mechanism.output_names, outputs),
        given.time,
        [STATUS_NAMES[status] for status in closed.status],
    )
    failed = int(np.count_nonzero(~closed.found))
    say(
        f"{len(closed)} rows -> {options.out}"
        + (f"; {failed} without a pose, see 'status'" if failed else "")
    )
    return 1 if failed else 0


def forces(machine: BodiesFile, options: argparse.Namespace) -> int:
    """Driven forces of a motion: of outputs or driven coordinates, by rates and accelerations of either."""
    mechanism = machine.mechanism
    given = read_named_motion(
        options.input, {"outputs": mechanism.output_names, "drives": mechanism.drive_names}
    )
    closing = {"outputs": kinematics.close_outputs, "drives": kinematics.close_drives}
    try:
        q = closing[given.place](mechanism, given.value).required(given.value, given.place)
        motion = kinematics.moving(mechanism, q, given.rate, given.acceleration, given.derivatives)
        force = dynamics.forces(mechanism, motion, friction=not options.no_friction)
    except MotionRefused as refused:
        raise MotionRefused(f"{given.source}: {refused}") from None
    write_named_csv(options.out, _list_columns(mechanism.force_names, force), given.time)
    say(f"{len(force)} samples -> {options.out}")
    return 0


def _list_columns(names: Sequence[str], values: FloatArray) -> dict[str, FloatArray]:
    return dict(zip(names, values.T, strict=True))


def _find_rows_within_limits(mechanism: Mechanism, drives: FloatArray) -> np.ndarray:
    inside = np.ones(len(drives), dtype=bool)
    for drive, column in zip(mechanism.description.drives, drives.T, strict=True):
        if drive.limits is not None:
            low, high = (mechanism.arithmetic.number(limit) for limit in drive.limits)
            inside &= (column >= low) & (column <= high)
    return inside
