# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

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
from pkm_identification.records.bags.writer import write_strut_bag
from pkm_identification.records.bags.zstandard import zstd

_LENGTHS, _FORCES = ([f"{name}{i}" for i in range(1, 7)] for name in "LF")
_MATRICES = "t=t,length=L_1..6,force=F_1..6"
# Name of the file and the --columns it is read by
LAYOUTS = {
    "scope.csv": "length=L1..L6,force=F1..F6",
    "book.xlsx": "t=t,length=L1..L6,force=F1..F6",
    "run.mat": _MATRICES,
    "run.parquet": "t=t,length=L1..L6,force=F1..F6",
    "run.h5": _MATRICES,
    "run.mcap.zstd": None,
}


def write_others(folder: Path, log: DriveLog) -> dict[str, bytes]:
    """Return the files by the names of `LAYOUTS`; the folder, in which they are written, is left as it was."""
    assert log.force is not None
    rows = np.column_stack([log.time, log.length, log.force])
    matrices = {"t": log.time[:, None], "L": log.length, "F": log.force}
    names = ["t", *_LENGTHS, *_FORCES]
    files = {"scope.csv": _scope(rows).encode()}

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
