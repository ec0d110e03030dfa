# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Logs as Parquet, HDF5 and MATLAB 7.3 are the same log; without their libraries one line says what to install."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from pkm_identification.errors import LogError, SettingsError
from pkm_identification.motion import DriveLog
from pkm_identification.records.foreign import LogLayout, hdf5, parquet
from pkm_identification.records.log import read_log


@pytest.fixture(scope="module")
def truth() -> DriveLog:
    rng = np.random.default_rng(7)
    return DriveLog(np.arange(80) / 500, rng.uniform(0.35, 0.45, (80, 6)), rng.normal(0, 300, (80, 6)))


def same(log: DriveLog, truth: DriveLog, **tolerance: float) -> None:
    for found, expected in ((log.time, truth.time), (log.length, truth.length), (log.force, truth.force)):
        np.testing.assert_allclose(found, expected, rtol=1e-14, **tolerance)


def test_parquet_of_our_names_of_lists_and_of_dates(tmp_path, truth):
    arrow, files = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    ours = {"t": truth.time, "note": ["x"] * len(truth)}
    ours |= {f"length_{i + 1}": truth.length[:, i] for i in range(6)}
    ours |= {f"force_{i + 1}": truth.force[:, i] for i in range(6)}
    files.write_table(arrow.table(ours), tmp_path / "ours.parquet")
    same(read_log(tmp_path / "ours.parquet"), truth)
    (tmp_path / "ours.parquet").rename(tmp_path / "OURS.PARQUET")
    same(read_log(tmp_path / "OURS.PARQUET"), truth)
    begin = np.datetime64("2026-03-01T12:00:00", "ns")
    other = {
        "when": begin + np.round(truth.time * 1e9).astype("timedelta64[ns]"),
        "L": (1e3 * truth.length).tolist(),
        "F": truth.force.tolist(),
    }
    files.write_table(arrow.table(other), tmp_path / "other.parquet")
    layout = LogLayout.of("t=when,length=L_1..6,force=F_1..6", "mm", None, None)
    log = read_log(tmp_path / "other.parquet", None, None, layout)
    same(log, DriveLog(truth.time + 1772366400, truth.length, truth.force))
    with pytest.raises(LogError, match=r"t=wen: no such column; .*; did you mean 'when'\?"):
        read_log(
            tmp_path / "other.parquet", None, None, LogLayout.of("t=wen,length=L_1..6", None, None, None)
        )


def test_a_missing_number_of_parquet_is_not_finite(tmp_path, truth):
    arrow, files = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    columns = {"t": truth.time} | {f"length_{i + 1}": truth.length[:, i].tolist() for i in range(6)}
    columns["length_3"][5] = None
    files.write_table(arrow.table(columns), tmp_path / "log.parquet")
    log = read_log(tmp_path / "log.parquet")
    assert np.argwhere(~np.isfinite(log.length)).tolist() == [[5, 2]]
    assert log.force is None


@pytest.mark.parametrize("ending", [".h5", ".hdf5", ".mat"])
def test_hdf5_of_groups_tables_and_of_matlab(tmp_path, truth, ending):
    h5py = pytest.importorskip("h5py")
    path = tmp_path / f"log{ending}"
    # MATLAB begins its files of version 7.3 with a text of its own, and stores columns as rows
    with h5py.File(path, "w", userblock_size=512) as file:
        file["run/t"] = truth.time[None, :]
        file["run/L"] = truth.length.T
        file["run/F"] = truth.force.T
        file["#refs#/a"] = np.ones((80, 2))
        file["name"] = "ab"
    with path.open("r+b") as raw:
        raw.write(b"MATLAB 7.3 MAT-file".ljust(124) + b"\x00\x02IM")
    layout = LogLayout.of("t=run.t,length=run.L_1..6,force=run.F_1..6", None, None, None)
    same(read_log(path, None, None, layout), truth)
    table = np.zeros(80, dtype=[("t", "f8"), ("length", "f8", 6), ("force", "f8", 6)])
    table["t"], table["length"], table["force"] = truth.time, truth.length, truth.force
    with h5py.File(tmp_path / "table.h5", "w") as file:
        file["table"] = table
    layout = LogLayout.of("t=table.t,length=table.length_1..6,force=table.force_1..6", None, None, None)
    same(read_log(tmp_path / "table.h5", None, None, layout), truth)


@pytest.mark.parametrize("ending", [".parquet", ".h5"])
@pytest.mark.parametrize("counted", [False, True])
def test_files_are_read_some_rows_at_a_time(tmp_path, truth, monkeypatch, ending, counted):
    """What comes out is what comes of one piece; time too that is counted in rows, and what a row is called."""
    monkeypatch.setattr(parquet if ending == ".parquet" else hdf5, "ROWS", 7)
    path = tmp_path / f"log{ending}"
    time = np.arange(80) if counted else truth.time
    if ending == ".parquet":
        arrow, files = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
        columns = {"t": time, "length": truth.length.tolist(), "force": truth.force.tolist()}
        files.write_table(arrow.table(columns), path, row_group_size=30)
    else:
        with pytest.importorskip("h5py").File(path, "w") as file:
            file["t"] = time
            file.create_dataset("length", data=truth.length, chunks=(11, 6), compression="gzip")
            file["force"] = truth.force.T
    same(read_log(path, None, None, LogLayout(rate=500.0 if counted else None)), truth, atol=1e-15)
    if counted:
        time = time + 0.5 * (np.arange(80) == 30)
        with pytest.importorskip("h5py").File(tmp_path / "half.h5", "w") as file:
            file["t"], file["length"] = time, truth.length
        with pytest.raises(LogError, match=r"line 31: --rate: column t is 30\.5"):
            read_log(tmp_path / "half.h5", None, None, LogLayout(rate=500.0))


def test_a_table_of_one_row_and_a_dataset_of_nothing_are_no_damage(tmp_path, truth):
    """Vectors in the fields of one row; h5py.Empty, which has no shape."""
    h5py = pytest.importorskip("h5py")
    names = [f"length_{strut}" for strut in range(1, 7)]
    row = np.zeros(1, dtype=[(name, float, (len(truth.time),)) for name in ("t", *names)])
    for name, values in zip(("t", *names), (truth.time, *truth.length.T), strict=True):
        row[name] = values
    with h5py.File(tmp_path / "log.h5", "w") as file:
        file["log"], file["note"] = row, h5py.Empty("f8")
    layout = LogLayout(columns={name: f"log.{name}" for name in ("t", *names)})
    np.testing.assert_array_equal(read_log(tmp_path / "log.h5", None, None, layout).length, truth.length)


def test_lists_that_change_their_length_within_a_file_are_named(tmp_path, truth, monkeypatch):
    arrow, files = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    monkeypatch.setattr(parquet, "ROWS", 16)
    lengths = truth.length.tolist()
    lengths[40] = lengths[40][:5]
    files.write_table(arrow.table({"t": truth.time, "length": lengths}), tmp_path / "log.parquet")
    with pytest.raises(LogError, match="column length: lists of 6 numbers, and others"):
        read_log(tmp_path / "log.parquet")


@pytest.mark.parametrize(("ending", "what"), [(".parquet", "Parquet"), (".h5", "HDF5")])
def test_what_is_no_such_file_is_one_line(tmp_path, ending, what):
    pytest.importorskip("pyarrow" if ending == ".parquet" else "h5py")
    path = tmp_path / f"log{ending}"
    for content in (b"", b"PAR1" + bytes(200) + b"PAR1", b"\x89HDF\r\n\x1a\n" + bytes(90), b"t,x\n1,2\n"):
        path.write_bytes(content)
        with pytest.raises(LogError, match=f"damaged or no {what} file") as caught:
            read_log(path)
        assert "\n" not in str(caught.value)
    with pytest.raises(LogError, match="cannot be read: No such file"):
        read_log(tmp_path / f"none{ending}")


@pytest.mark.parametrize(
    ("ending", "library"), [(".parquet", "pyarrow"), (".h5", "h5py"), (".hdf5", "h5py"), (".mat", "h5py")]
)
def test_without_its_library_a_file_is_refused_with_the_extra(tmp_path, monkeypatch, ending, library):
    for name in [name for name in sys.modules if name.partition(".")[0] == library]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, library, None)
    path = tmp_path / f"log{ending}"
    path.write_bytes(b"MATLAB 7.3 MAT-file".ljust(124) + b"\x00\x02IM" + bytes(1000))
    with pytest.raises(SettingsError) as caught:
        read_log(path)
    assert str(caught.value) == f"{path}: needs {library}: pip install 'pkm_identification[tables]'"
