# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Strut logs as CSV: round trips, columns by name, and every damage answered with one clear line."""

import gzip
import logging
import random

import numpy as np
import pytest
from core.records.made_log import assert_same, made_log
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from pkm_identification.errors import LogError, OutputError
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import DriveLog
from pkm_identification.records import text_lines
from pkm_identification.records.drive_csv import read_csv, write_raw_csv
from pkm_identification.records.log import find_channels, read_log, write_log

SAME_FOLDER = [HealthCheck.function_scoped_fixture]
SI = ["t", *(f"length_{i}" for i in range(1, 7)), *(f"force_{i}" for i in range(1, 7))]
RAW = ["t", *(f"enc_{i}" for i in range(1, 7)), *(f"cur_{i}" for i in range(1, 7))]


def si_rows(count: int = 12) -> list[list[str]]:
    return [SI, *([f"{row * 1e-3:.3f}", *["0.4"] * 6, *["10.0"] * 6] for row in range(count))]


def text_of(rows: list[list[str]]) -> str:
    return "".join(",".join(row) + "\n" for row in rows)


numbers = st.floats(width=64, allow_nan=True, allow_infinity=True)


@pytest.mark.slow
@given(values=hnp.arrays(float, st.tuples(st.integers(1, 8), st.just(13)), elements=numbers))
@settings(max_examples=40, deadline=None, suppress_health_check=SAME_FOLDER)
@pytest.mark.parametrize("name", ["log.csv", "log.csv.gz"])
def test_written_log_reads_back_to_the_same_doubles(tmp_path, name, values):
    log = DriveLog(values[:, 0], values[:, 1:7], values[:, 7:])
    write_log(tmp_path / name, log)
    # as the file has it: stamps in any order
    read = read_csv(tmp_path / name, find_channels(None))
    faults = read.faults
    assert_same(read, log)
    assert faults == {}


def test_log_without_forces(tmp_path):
    log = made_log(forces=False)
    write_log(tmp_path / "log.csv", log)
    assert_same(read_log(tmp_path / "log.csv"), log)


@given(order=st.permutations(range(15)))
@settings(max_examples=30, deadline=None, suppress_health_check=SAME_FOLDER)
def test_columns_in_any_order_and_extra_columns_give_the_identical_log(tmp_path, order):
    log = made_log()
    names = [*SI, "temperature", "mode"]
    table = np.column_stack([log.time, log.length, log.force, np.full(len(log), 20.0)]).tolist()
    rows = [names, *([*map(repr, row), "jog"] for row in table)]
    path = tmp_path / "log.csv"
    path.write_text(text_of([[row[i] for i in order] for row in rows]))
    assert_same(read_log(path), log)


def test_ignored_columns_are_named_in_the_logging_output(tmp_path, caplog, monkeypatch):
    # loggers made after the launch system was imported keep messages to themselves
    monkeypatch.setattr(logging.getLogger("pkm_identification.records.drive_csv"), "propagate", True)
    path = tmp_path / "log.csv"
    path.write_text(text_of([[*row, "9" if row is not SI else "temperature"] for row in si_rows()]))
    with caplog.at_level("INFO"):
        read_log(path)
    assert "temperature" in caplog.text


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_line_ends_byte_order_mark_quotes_and_blank_lines(tmp_path, ending):
    rows = si_rows()
    plain = tmp_path / "plain.csv"
    plain.write_text(text_of(rows))
    odd = tmp_path / "odd.csv"
    lines = [",".join(f' "{name}"' for name in SI), "", *(", ".join(row) for row in rows[1:]), ""]
    odd.write_bytes(b"\xef\xbb\xbf" + ending.join(lines).encode())
    assert_same(read_log(odd), read_log(plain))


def test_raw_log_is_converted_with_the_drive(tmp_path):
    machine = Machine.load("uf")
    counts = np.arange(120).reshape(20, 6)
    write_raw_csv(tmp_path / "raw.csv.gz", np.arange(20) * 1e-3, counts, np.full((20, 6), 0.5))
    log = read_log(tmp_path / "raw.csv.gz", machine)
    assert (
        gzip.decompress((tmp_path / "raw.csv.gz").read_bytes()).splitlines()[1]
        == b"0.0,0,1,2,3,4,5" + b",0.5" * 6
    )
    expected = machine.drive.length_at_zero + counts / machine.drive.counts_per_meter
    np.testing.assert_allclose(log.length, expected, rtol=1e-15)
    np.testing.assert_allclose(log.force, 0.5 * machine.drive.force_per_ampere, rtol=1e-15)


def test_a_controllers_log_of_lengths_and_currents_is_read_as_it_is(tmp_path):
    machine = Machine.load("uf")
    lengths, currents = SI[1:7], RAW[7:]
    path = tmp_path / "controller.csv"
    rows = [[f"{row * 1e-3:.3f}", *["0.4"] * 6, *map(str, range(1, 7)), "7"] for row in range(12)]
    path.write_text(text_of([["t", *lengths, *currents, "mode"], *rows]))
    log = read_log(path, machine)
    np.testing.assert_array_equal(log.length, 0.4)
    expected = np.tile(np.arange(1.0, 7.0) * machine.drive.force_per_ampere, (12, 1))
    np.testing.assert_allclose(log.force, expected, rtol=1e-15)
    with pytest.raises(LogError, match=r"controller\.csv: currents .*'drive'"):
        read_log(path)
    # measured forces go before currents
    path.write_text(text_of([[*SI, *currents], *([*row[:7], *["10"] * 6, *row[7:13]] for row in rows)]))
    np.testing.assert_array_equal(read_log(path).force, 10.0)
    # and one that is not there is missed, as a force is
    path.write_text(text_of([["t", *lengths, *currents[:5]], *(row[:12] for row in rows)]))
    with pytest.raises(LogError, match=r"no column cur_6; expected t,length_1\.\.length_6"):
        read_log(path, machine)


def test_second_header_in_the_middle_maps_the_columns_anew_and_is_counted(tmp_path):
    rows = si_rows()
    for i, row in enumerate(rows[1:]):
        row[1:7] = [f"0.{i}{k}" for k in range(1, 7)]
    whole = tmp_path / "whole.csv"
    whole.write_text(text_of(rows))
    restarted = tmp_path / "restarted.csv"
    restarted.write_text(text_of(rows[:6]) + text_of([row[::-1] for row in [SI, *rows[6:]]]))
    log = read_log(restarted)
    faults = log.faults
    assert_same(log, read_log(whole))
    assert faults == {"repeated_header": 1}


def test_empty_and_nan_cells_are_kept_for_the_guard_to_drop(tmp_path):
    rows = si_rows()
    rows[3][2] = ""
    rows[4] = ["0.003", *["nan"] * 12]
    rows[5][-1] = " "
    rows[6][0] = ""
    rows[7][1] = "-inf"
    path = tmp_path / "log.csv"
    path.write_text(text_of(rows))
    log = read_log(path)
    assert len(log) == 12
    assert np.argwhere(np.isnan(log.length[[2]])).tolist() == [[0, 1]]
    assert np.isnan(log.length[3]).all()
    assert np.isnan(log.force[3]).all()
    assert np.argwhere(np.isnan(log.force[[4]])).tolist() == [[0, 5]]
    assert np.isnan(log.time[5])
    assert log.length[6, 0] == -np.inf


def put(row: int, column: int, cell: str):
    def change(rows: list[list[str]]) -> None:
        rows[row][column] = cell

    return change


# What is done to a good SI log, and what the error must say about it.
DAMAGE = {
    "cell that is no number": (put(3, 4, "O.4"), "line 4, column length_4: 'O.4' is not a number"),
    "python's underscores": (put(3, 4, "1_0"), "line 4, column length_4: '1_0' is not a number"),
    "first cell of a line": (put(5, 0, "abc"), "line 6, column t: 'abc' is not a number"),
    "ragged, too short": (lambda rows: rows[4].pop(), "line 5: 12 cells, expected 13 as in the header"),
    "ragged, too long": (lambda rows: rows[4].append("1"), "line 5: 14 cells, expected 13 as in the header"),
    "half-written last line": (
        lambda rows: rows.__setitem__(-1, ["0.0"]),
        r"line 13 \(the last line, perhaps half-written\): 1 cell, expected 13",
    ),
    "text in the middle": (
        lambda rows: rows.insert(7, ["*** overflow ***"]),
        r"line 8: header '\*\*\* overflow \*\*\*' lacks the columns expected",
    ),
    "no header": (lambda rows: rows.pop(0), "line 1: found '0.000,.*expected a header"),
    "wrong header": (
        lambda rows: rows.__setitem__(0, [*"abcdefghijklm"]),
        "line 1: header 'a,b,c.*lacks the columns expected: t,enc_1..enc_6,cur_1..cur_6, or t,length_1",
    ),
    "five struts": (
        lambda rows: [row.__delitem__(6) for row in rows],
        "line 1: no column length_6; expected t,length_1..length_6,force_1..force_6",
    ),
    "some forces": (lambda rows: [row.pop() for row in rows], "no column force_6; expected"),
    "time under another name": (put(0, 0, "moment"), "no column t; expected"),
    "column twice": (put(0, 5, "length_1"), "no column length_5"),
    "extra column twice": (
        lambda rows: [row.append("length_1" if row is rows[0] else "1") for row in rows],
        "column length_1 is there 2 times, expected once",
    ),
    "another kind of log below": (
        lambda rows: rows.extend([RAW, *([["0"] * 13] * 3)]),
        "line 14: a second header of another kind of log",
    ),
    "header only": (
        lambda rows: rows.__delitem__(slice(1, None)),
        "line 1: a header without samples below it",
    ),
    "three samples": (lambda rows: rows.__delitem__(slice(4, None)), "only 3 samples, expected at least 10"),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_row_27_damaged_csv_is_one_line_with_file_place_and_what_was_expected(tmp_path, damage):
    change, message = DAMAGE[damage]
    rows = [list(row) for row in si_rows()]
    change(rows)
    path = tmp_path / "log.csv"
    path.write_text(text_of(rows))
    with pytest.raises(LogError, match=message) as caught:
        read_log(path, Machine.load("uf"))
    assert str(caught.value).startswith(str(path))
    assert "\n" not in str(caught.value)


def test_line_numbers_count_blank_lines(tmp_path):
    rows = si_rows()
    rows[3][4] = "x"
    path = tmp_path / "log.csv"
    path.write_text("\n\n" + text_of(rows))
    with pytest.raises(LogError, match="line 6, column length_4"):
        read_log(path)


def test_missing_line_end_after_the_last_line_is_fine(tmp_path):
    path = tmp_path / "log.csv"
    path.write_text(text_of(si_rows()).rstrip("\n"))
    assert len(read_log(path)) == 12


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"\n\n", "is empty"),
        (b"\x89PNG\r\n\x1a\n\0\0", "byte 0 is not text; expected a CSV file"),
        (b"t,length_1\0", "byte 10 is not text"),
        ("t,länge\n".encode("utf-16-le"), "byte 1 is not text"),
        ("t,länge\n".encode("utf-16")[:-1], "damaged UTF-16"),
        (b"\xe4\x01\x02,\x81", "byte 0 is not text"),
        (gzip.compress(b"t," * 1000, mtime=0)[:-12], "truncated"),
        (gzip.compress(b"t,", mtime=0)[:5] + b"xxxxxxxxxx", "damaged gzip file|truncated"),
    ],
)
def test_row_27_file_that_is_no_csv(tmp_path, content, message):
    path = tmp_path / "log.csv"
    path.write_bytes(content)
    with pytest.raises(LogError, match=f"log.csv: .*({message})"):
        read_log(path)


def test_row_27_missing_file(tmp_path):
    with pytest.raises(LogError, match=r"none\.csv: cannot be read: No such file"):
        read_log(tmp_path / "none.csv")


def test_raw_log_without_drive_constants(tmp_path):
    path = tmp_path / "raw.csv"
    write_raw_csv(path, np.arange(20.0), np.zeros((20, 6)), np.zeros((20, 6)))
    with pytest.raises(LogError, match=r"raw\.csv: .*'drive'"):
        read_log(path)


@pytest.mark.slow
@given(seed=st.integers(0, 2**32), edits=st.integers(1, 6), compressed=st.booleans())
@settings(max_examples=150, deadline=None, suppress_health_check=SAME_FOLDER)
def test_mutated_files_are_read_or_refused_but_never_crash(tmp_path, seed, edits, compressed):
    rng = random.Random(seed)
    data = bytearray(text_of(si_rows()).encode())
    if compressed:
        data = bytearray(gzip.compress(bytes(data), mtime=0))
    for _ in range(edits):
        place = rng.randrange(len(data))
        kind = rng.randrange(4)
        if kind == 0:
            data[place] = rng.randrange(256)
        elif kind == 1:
            del data[place : place + rng.randrange(1, 40)]
        elif kind == 2:
            data[place:place] = rng.choice(
                [b",", b"\n", b"nan", b"t", b"e9", b"\r", b'"', b"\xff", b"-", b" "]
            )
        else:
            data[place:place] = data[: rng.randrange(len(data))]
        if not data:
            data = bytearray(b"\n")
    path = tmp_path / "mutated.csv"
    path.write_bytes(bytes(data))
    try:
        log = read_log(path)
    except LogError as error:
        message = str(error)
        assert "\n" not in message
    else:
        assert log.length.shape == (len(log.time), 6)


def test_failed_write_leaves_the_old_file_and_no_temporary_one(tmp_path, monkeypatch):
    path = tmp_path / "log.csv"
    write_log(path, made_log(seed=1))
    before = path.read_bytes()
    monkeypatch.setattr(
        "os.replace", lambda *_: (_ for _ in ()).throw(OSError(28, "No space left on device"))
    )
    with pytest.raises(OutputError, match=r"log\.csv: cannot be written: No space left"):
        write_log(path, made_log(seed=2))
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["log.csv"]


def test_write_into_a_missing_folder_is_named(tmp_path):
    with pytest.raises(OutputError, match=r"log\.csv: cannot be written: No such file or directory"):
        write_log(tmp_path / "none" / "log.csv", made_log())


def test_a_file_of_several_pieces_is_read_as_one(tmp_path, monkeypatch):
    """Rows that span the pieces in which a file is read, a header among them, and an error far behind."""
    monkeypatch.setattr(text_lines, "PIECE", 2**14)
    values = np.random.default_rng(0).standard_normal((300, 13))
    values[:, 0] = np.sort(values[:, 0])
    rows = [",".join(map(str, row)) for row in values.tolist()]
    header = ",".join(SI)
    text = "\r\n".join([header, *rows[:250], "", header, *rows[250:]]) + "\r\n"
    path = tmp_path / "log.csv"
    path.write_text(text, newline="")
    assert len(text) > 4 * text_lines.PIECE
    log = read_log(path)
    faults = log.faults
    assert np.array_equal(np.column_stack([log.time, log.length, log.force]), values)
    assert faults == {"repeated_header": 1}
    path.write_text(text.replace(rows[290], rows[290].replace(".", "x", 1)), newline="")
    with pytest.raises(LogError, match=r"line 294, column t: .* is not a number"):
        read_log(path)
    path.write_bytes(text.encode() + b"\xff")
    with pytest.raises(LogError, match=f"byte {len(text)} is not text"):
        read_log(path)
