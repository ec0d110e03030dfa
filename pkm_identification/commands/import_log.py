# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""pkm import: a log of another program as one of ours."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from pkm_identification.errors import LogError, SettingsError
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.records.atomic import write_text
from pkm_identification.records.foreign import LAYOUT_ENDING, find_layout_file, layout_text, whole_layout

from .arguments import LOG_FORMS, add_reading
from .machine_logs import open_logs
from .results import check_file, say, show_next


def add(commands: argparse._SubParsersAction) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "import",
        description="Read a log of another program (text of any delimiter, decimal commas, comments, no header; .mat, "
        ".parquet, .h5; a bag with other joint names), see whether its numbers can be those of a hexapod, or of "
        "the drives of --machine, and write it as CSV in SI units. Refused are rows in no order of time, stamps "
        "without their seconds, copies of one drive, and with --machine lengths or coordinates that this machine "
        "cannot have. Commands that read logs take the same options and need no import.",
    )
    parser.add_argument("log", metavar="LOG", help=LOG_FORMS)
    parser.add_argument("out", metavar="OUT", help=".csv or .csv.gz")
    parser.add_argument(
        "--machine",
        help="refuse what its drives or poses cannot be; needed for counts, currents and machines that are no hexapods",
    )
    add_reading(parser)
    parser.add_argument(
        "--keep",
        action="store_true",
        help=f"save the options next to the log, in LOG{LAYOUT_ENDING}: every command reads this log by them, and "
        "others with --columns FILE",
    )
    parser.set_defaults(run=_import)


def _import(options: argparse.Namespace) -> int:
    if not options.out.endswith((".csv", ".csv.gz")):
        raise SettingsError(f"{options.out}: expected a name that ends in .csv or .csv.gz")
    if Path(options.out).resolve() == Path(options.log).resolve():
        raise SettingsError(f"{options.out}: is the log itself; expected another file")
    check_file(options.out, "OUT")
    logs = open_logs(options)
    if options.keep and logs.layout is None:
        raise SettingsError(
            "--keep: nothing is said of the log; expected --columns, --units, --rate or --joints"
        )
    log = logs.read(options.log)
    # before anything is written
    rate = _find_rate(log)
    logs.refuse(log)
    logs.write(options.out, log)
    print(_describe_log(log, logs.show(log), rate, options.out))
    if options.keep:
        layout_file = find_layout_file(options.log)
        write_text(layout_file, layout_text(whole_layout(options.log, logs.layout, logs.channels)))
        say(f"kept: {layout_file}")
    show_next("pkm", "check", options.out, "--machine", options.machine or "MACHINE")
    return 0


def _find_rate(log: Any) -> float:
    """Return samples a second, of most samples; raises LogError where times do not rise."""
    step = np.diff(log.time)
    step = step[np.isfinite(step)]
    if not (step.size and np.median(step) > 0.0):
        raise LogError(f"{log.source}: times do not rise from sample to sample; expected stamps that do")
    return float(1.0 / np.median(step))


def _describe_log(
    log: Any,
    columns: Sequence[tuple[str, FloatArray | None, str]],
    rate: float,
    out: str,
) -> str:
    """Return what was read, in numbers a person can see to be right or wrong."""
    lines = [
        f"{log.source}: {len(log)} samples, {rate:.6g} Hz, {np.nanmax(log.time) - np.nanmin(log.time):.6g} s"
    ]
    wide = max(len(name) for name, _, _ in columns)
    for name, values, unit in columns:
        if values is None:
            lines.append(f"{name:{wide}}  none: what needs forces cannot be done with this log")
            continue
        low, high = np.nanmin(values, axis=0), np.nanmax(values, axis=0)
        spans = "  ".join(f"{a:.4g}..{b:.4g}" for a, b in zip(low, high, strict=True))
        lines.append(f"{name:{wide}}  {spans} {unit}")
    lines += log.warnings
    empty = _count_zero_rows(log.coordinate)
    if empty:
        lines.append(
            f"{empty} of {len(log)} samples have 0 in every coordinate between others that have not: a second "
            "publisher of this topic, or what a driver reports before it is ready; 'pkm check' and 'pkm identify' "
            "leave them out as empty, out of reach or spikes"
        )
    if log.faults:
        lines.append("left out: " + ", ".join(f"{reason} {count}" for reason, count in log.faults.items()))
    return "\n".join([*lines, f"-> {out}"])


def _count_zero_rows(coordinate: FloatArray) -> int:
    """Return how many rows of coordinates (N, n) are all 0 where a log has jumps to them and back, or begins so."""
    zero = np.all(coordinate == 0.0, axis=1)
    if not np.any(zero) or np.all(zero):
        return 0
    moves = np.abs(np.diff(coordinate, axis=0)).max(axis=1)
    jumps = moves[zero[1:] != zero[:-1]]
    # a machine that passes zero is as near to it before and behind
    return (
        int(np.count_nonzero(zero))
        if jumps.size and jumps.min() > np.nanquantile(moves[~zero[1:]], 0.9)
        else 0
    )
