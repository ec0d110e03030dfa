# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Logs of drives with what they were commanded: wanted coordinates apart from those shown and the forces reported."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pkm_identification.errors import LogError
from pkm_identification.machines.contract import Drive
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.signals.input_validation.unusable import refuse_unsorted

from .channels import TIME, Channels, build_drive_channels
from .foreign import LogLayout, is_foreign, read_foreign, refuse_for_columns, whole_layout
from .strokes import add_at_zero
from .table import read_table, write_table
from .text_lines import beginning

COMMAND = "command"
MODES_COLUMNS = ("load", "frequency", "damping")
FEWEST_SAMPLES = 20
FEWEST_AT_REST = 4  # samples, for where a motion begins and for the noise


@dataclass(frozen=True)
class CommandedLog:
    """What drives were commanded and what they reported.

    Attributes
    ----------
    time : ndarray, shape (N,)
        s.
    command, coordinate : ndarray, shape (N, n)
        Wanted and shown, m or rad. A command holds until the next.
    force : ndarray, shape (N, n), or None
        What current or pressure stand for, N or N m.
    source : str
    """

    time: FloatArray
    command: FloatArray
    coordinate: FloatArray
    force: FloatArray | None
    source: str = "the log"

    def __len__(self) -> int:
        return len(self.time)

    @property
    def moves(self) -> NDArray[np.bool_]:
        """Which drives (n,) were commanded to move."""
        return np.ptp(self.command, axis=0) > 0.0

    @property
    def rest_rows(self) -> slice:
        """Samples before the first command that differs; all of them where none does."""
        changed = np.flatnonzero(np.any(self.command != self.command[0], axis=1))
        return slice(0, int(changed[0]) if len(changed) else len(self))


def read_commanded_log(
    path: str | Path, drives: Sequence[Drive], layout: LogLayout | None = None
) -> CommandedLog:
    """Read a table of `t`, `command_DRIVE` and the coordinate of each drive, and its force where the log has it.

    Parameters
    ----------
    path : str or Path
        Text or arrays, as `read_drive_log` reads them; `--columns command=...` names the commands.
    drives : sequence of Drive
    layout : LogLayout, optional
        Made with `build_commanded_channels(drives)`.

    Raises
    ------
    LogError
        If it cannot be read, a column is missing, a value is not finite, stamps are in no order, or the log does not
        begin at rest.
    """
    file, channels = Path(path), build_commanded_channels(drives)
    whole = whole_layout(path, layout, channels)
    refuse_for_columns(file, whole)
    if is_foreign(file, whole, channels):
        tables, *_ = read_foreign(file, whole, channels.joints)
        parts = list(tables)
        columns, values = parts[0].columns, np.concatenate([one.values for one in parts])
    else:
        table = read_table(file, channels.choose)
        columns, values = table.columns, table.values
    column_of = {name: values[:, i] for i, name in enumerate(columns)}
    commands, coordinates = (
        [column_of[name] for name in group] for group in (_commands(drives), channels.coordinates)
    )
    forces = [column_of[name] for name in channels.forces if name in column_of]
    known, ends = [one.reported.at_zero for one in drives], [(one.lowest, one.highest) for one in drives]
    command, coordinate = (
        add_at_zero(np.column_stack(part), whole.at_zero, known, ends) for part in (commands, coordinates)
    )
    force = np.column_stack(forces) if len(forces) == len(drives) else None
    log = CommandedLog(column_of[TIME], command, coordinate, force, str(path))
    _refuse_unusable(log)
    return replace(log, time=log.time - log.time[0])


def is_modes_table(path: str | Path) -> bool:
    """Return whether a file is a table of modes under several loads, by its first line."""
    first = beginning(path).decode(errors="replace").partition("\n")[0]
    return {cell.strip() for cell in first.split(",")} >= set(MODES_COLUMNS)


def read_modes(path: str | Path) -> FloatArray:
    """Read a table of `load`, `frequency` and `damping`, (N, 3), kg (kg m^2), Hz and 1; LogError if impossible."""
    return read_table(path, lambda _: MODES_COLUMNS).select(MODES_COLUMNS)


def write_commanded_log(path: str | Path, log: CommandedLog, drives: Sequence[Drive]) -> None:
    """Write a log as `read_commanded_log` reads it, in SI units; LogError if impossible."""
    groups = [(_commands(drives), log.command), ([one.name for one in drives], log.coordinate)]
    if log.force is not None:
        groups.append(([one.force_name for one in drives], log.force))
    columns = {TIME: log.time}
    for names, values in groups:
        columns |= dict(zip(names, values.T, strict=True))
    write_table(path, columns)


@dataclass(frozen=True)
class CommandedChannels(Channels):
    """Columns of a log with wanted coordinates.

    Attributes
    ----------
    commands : tuple of str
    """

    commands: tuple[str, ...] = ()

    @property
    def expected(self) -> str:
        return f"{super().expected}, {', '.join(self.commands)}"

    def choose(self, there: Sequence[str]) -> tuple[str, ...]:
        needed = (TIME, *self.commands, *self.coordinates)
        missing = [name for name in needed if name not in there]
        if missing:
            raise ValueError(
                f"no column {', '.join(missing)}; expected {','.join(needed)} and forces where there are"
            )
        return (*needed, *(self.forces if all(name in there for name in self.forces) else ()))


def build_commanded_channels(drives: Sequence[Drive]) -> CommandedChannels:
    """Return the columns of such a log."""
    plain, commands = build_drive_channels(drives), _commands(drives)
    units = dict(zip(commands, (plain.quantity[drive.name] for drive in drives), strict=True))
    own = {one.name: getattr(plain, one.name) for one in fields(plain)}
    own |= {"quantity": {**plain.quantity, **units}, "groups": {**plain.groups, COMMAND: commands}}
    return CommandedChannels(**own, commands=commands)


def _commands(drives: Sequence[Drive]) -> tuple[str, ...]:
    return tuple(f"{COMMAND}_{drive.name}" for drive in drives)


def _refuse_unusable(log: CommandedLog) -> None:
    if len(log) < FEWEST_SAMPLES:
        raise LogError(f"{log.source}: only {len(log)} samples, expected at least {FEWEST_SAMPLES}")
    parts = [log.time[:, None], log.command, log.coordinate, *([] if log.force is None else [log.force])]
    whole = np.hstack(parts)
    bad = np.flatnonzero(~np.isfinite(whole).all(axis=1))
    if len(bad):
        raise LogError(f"{log.source}: sample {bad[0] + 1} is not finite; such a log must be whole")
    refuse_unsorted(log.time, log.source)
    if not np.any(log.moves):
        raise LogError(f"{log.source}: no drive is commanded to move: its commands are constant")
    if log.rest_rows.stop < FEWEST_AT_REST:
        raise LogError(
            f"{log.source}: commands change after {log.rest_rows.stop} samples; at least {FEWEST_AT_REST} at "
            "standstill "
            "are needed before the motion"
        )
