# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""One log as other programs write it: text with metadata, workbook, files of arrays, a compressed recording."""

from __future__ import annotations

import shutil
from pathlib import Path

import h5py
import numpy as np
import openpyxl
import pyarrow
import pyarrow.parquet
import scipy.io

from pkm_identification.motion import DriveLog
from pkm_identification.records.bags.packed import zstd
from pkm_identification.records.bags.writer import write_strut_bag

_LENGTHS, _FORCES = ([f"{name}{i}" for i in range(1, 7)] for name in "LF")
_MATRICES = "t=t,length=L_1..6,force=F_1..6"
_NAMED = "t=t,length=L1..L6,force=F1..F6"
# Name of the file, and --columns, --units and --rate that it is read by
LAYOUTS: dict[str, tuple[str | None, str | None, float | None]] = {
    "scope.csv": ("length=L1..L6,force=F1..F6", None, None),
    "pairs.csv": ("length=L1..L6,force=F1..F6", None, None),
    "dates.csv": ("t=Timestamp,length=L1..L6,force=F1..F6", "m,permille", None),
    "pressures.csv": ("t=t,length=L1..L6,force=A1..A6-B1..B6", "bar", None),
    "halsampler.txt": ("t=1,length=2..7,force=8..13", "mA", 1000.0),
    "book.xlsx": (_NAMED, None, None),
    "run.mat": (_MATRICES, None, None),
    "run.parquet": (_NAMED, None, None),
    "run.h5": (_MATRICES, None, None),
    "run.mcap.zstd": (None, "%", None),
}


def write_others(folder: Path, log: DriveLog) -> dict[str, bytes]:
    """Return the files by the names of `LAYOUTS`; the folder, in which they are written, is left as it was."""
    assert log.force is not None
    rows = np.column_stack([log.time, log.length, log.force])
    matrices = {"t": log.time[:, None], "L": log.length, "F": log.force}
    names = ["t", *_LENGTHS, *_FORCES]
    texts = {
        "scope.csv": _scope(rows), "pairs.csv": _pairs(rows), "dates.csv": _dates(rows),
        "pressures.csv": _pressures(rows), "halsampler.txt": _halsampler(rows),
    }  # fmt: skip
    files = {name: text.encode() for name, text in texts.items()}

    book = openpyxl.Workbook()
    book.active.append(names)
    for row in rows.tolist():
        book.active.append(row)
    book.save(folder / "book.xlsx")
    scipy.io.savemat(folder / "run.mat", matrices)
    pyarrow.parquet.write_table(pyarrow.table(dict(zip(names, rows.T, strict=True))), folder / "run.parquet")
    with h5py.File(folder / "run.h5", "w") as file:
        for name, values in matrices.items():
            file[name] = values
    write_strut_bag(folder / "bag", log, "mcap")
    (recording,) = (folder / "bag").glob("*.mcap")
    (folder / "run.mcap.zstd").write_bytes(zstd.compress(recording.read_bytes()))
    shutil.rmtree(folder / "bag")
    for name in LAYOUTS.keys() - files.keys():
        files[name] = (folder / name).read_bytes()
        (folder / name).unlink()
    return files


def _scope(rows: np.ndarray) -> str:
    """TwinCAT Scope: a column of time for each channel, metadata below the names, decimal commas."""
    lines = ["Name\trun", "File\trun.csv", ""]
    below = {"Name": _LENGTHS + _FORCES, "SampleTime[ms]": ["1"] * 12, "Unit": ["m"] * 6 + ["N"] * 6}
    lines += ["\t".join(f"{label}\t{cell}" for cell in cells) for label, cells in below.items()]
    for time, *values in rows.tolist():
        lines.append("\t".join(f"{1e3 * time!r}\t{value!r}" for value in values).replace(".", ","))
    return "\n".join(lines) + "\n"


def _pairs(rows: np.ndarray) -> str:
    """A trace of CODESYS: a time stamp in us before each value, each channel a little later than the one before."""
    lines = [";".join(f"{name} Timestamp [us];{name}" for name in _LENGTHS + _FORCES)]
    for time, *values in rows.tolist():
        lines.append(";".join(f"{1e6 * time + 3 * k!r};{value!r}" for k, value in enumerate(values)))
    return "\n".join(lines) + "\n"


def _dates(rows: np.ndarray) -> str:
    """A trace of a Siemens controller: sample number, date, decimal commas."""
    lines = [";".join(["Sample", "Timestamp", *_LENGTHS, *_FORCES])]
    for k, (time, *values) in enumerate(rows.tolist()):
        numbers = ";".join(f"{value!r}".replace(".", ",") for value in values)
        lines.append(f"{k};2026-03-05 12:34:{time:09.6f};{numbers}")
    return "\n".join(lines) + "\n"


def _pressures(rows: np.ndarray) -> str:
    """Both pressures of six cylinders."""
    sides = [f"{side}{i}" for side in "AB" for i in range(1, 7)]
    lines = [",".join(["t", *_LENGTHS, *sides])]
    for time, *values in rows.tolist():
        lines.append(",".join(f"{value!r}" for value in (time, *values, *values[6:])))
    return "\n".join(lines) + "\n"


def _halsampler(rows: np.ndarray) -> str:
    """LinuxCNC's halsampler -t: sample numbers, blanks, no names, and what it prints where samples were lost."""
    lines = [" ".join([str(k), *map(repr, values)]) + " " for k, (_, *values) in enumerate(rows.tolist())]
    return "\n".join([*lines[:50], "overrun", *lines[50:]]) + "\n"
