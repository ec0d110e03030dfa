# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Logs of other programs: the same motion in many forms is the same log, and what is wrong is said in one line."""

from __future__ import annotations

import codecs
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.io
from core.records.made_log import assert_same

from pkm_identification.errors import DocumentError, LogError, SettingsError
from pkm_identification.identification.diagnosis.units import in_machine_units
from pkm_identification.machines.load import as_machine
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import DriveLog
from pkm_identification.records import text_lines
from pkm_identification.records.bags.writer import BagWriter
from pkm_identification.records.foreign import LogLayout, find_layout_file, layout_text, read_layout
from pkm_identification.records.foreign.plausibility import refuse_implausible
from pkm_identification.records.interfaces import typestore
from pkm_identification.records.joint_state import JOINT_STATE
from pkm_identification.records.log import read_log

ROWS = 40


@pytest.fixture(scope="module")
def truth() -> DriveLog:
    """Numbers of few decimal digits, so that every way of writing them keeps them."""
    rng = np.random.default_rng(4)
    time = np.arange(ROWS) / 1000
    length = np.round(rng.uniform(0.35, 0.45, (ROWS, 6)), 6)
    return DriveLog(time, length, np.round(rng.normal(0, 300, (ROWS, 6)), 3))


def numbers(log: DriveLog, time: float = 1.0, length: float = 1.0, force: float = 1.0) -> list[list[float]]:
    columns = np.column_stack([log.time * time, log.length * length, log.force * force])
    return np.round(columns, 9).tolist()


def lines(rows: list[list[float]], delimiter: str, point: str = ".") -> str:
    return "".join(delimiter.join(f"{cell:.9f}".replace(".", point) for cell in row) + "\n" for row in rows)


def layout(
    columns="t=time,length=L1..L6,force=F1..F6", units=None, joints=None, rate=None
) -> LogLayout | None:
    return LogLayout.of(columns, units, joints, rate)


def names(delimiter: str) -> str:
    return delimiter.join(["time", *(f"L{i}" for i in range(1, 7)), *(f"F{i}" for i in range(1, 7))]) + "\n"


def close(log: DriveLog, truth: DriveLog) -> None:
    """Equal but for the rounding of a change of units."""
    np.testing.assert_allclose(log.time, truth.time, rtol=1e-14, atol=1e-15)
    np.testing.assert_allclose(log.length, truth.length, rtol=1e-14)
    np.testing.assert_allclose(log.force, truth.force, rtol=1e-12, atol=1e-9)


@pytest.mark.parametrize(
    ("delimiter", "point"),
    [(",", "."), (";", "."), (";", ","), ("\t", "."), ("\t", ","), ("|", "."), ("   ", "."), (" ", ",")],
)
@pytest.mark.parametrize("above", ["", "# a logger's comment\n\nMachine A\n"])
def test_delimiter_decimal_sign_comments_and_preamble_are_found(tmp_path, truth, delimiter, point, above):
    path = tmp_path / "log.txt"
    path.write_text(above + names(delimiter) + lines(numbers(truth), delimiter, point))
    log = read_log(path, None, None, layout())
    faults = log.faults
    assert_same(log, DriveLog(truth.time, truth.length, truth.force, log.source))
    assert faults == {}


def test_units_are_made_si(tmp_path, truth):
    path = tmp_path / "log.csv"
    path.write_text(names(",") + lines(numbers(truth, 1e3, 1e3, 1e-3), ","))
    close(read_log(path, None, None, layout(units="mm,kN,ms")), truth)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_a_spreadsheet_with_umlauts_in_any_encoding_is_read(tmp_path, truth, encoding):
    groups = "Länge", "Kraft"
    names = [
        f"{group} {k} [{unit}]" for group, unit in zip(groups, ("mm", "kN"), strict=True) for k in range(1, 7)
    ]
    header = ";".join(["Zeit [ms]", *names]) + "\n"
    path = tmp_path / "Messung.csv"
    path.write_text(header + lines(numbers(truth, 1e3, 1e3, 1e-3), ";", ","), encoding=encoding)
    hint = "t=Zeit,length=Länge 1..Länge 6,force=Kraft 1..Kraft 6"
    with pytest.raises(LogError) as caught:
        read_log(path)
    assert f"--columns '{hint}'" in str(caught.value)
    log = read_log(path, layout=layout(hint, "ms,mm,kN"))
    for name in ("time", "length", "force"):
        np.testing.assert_allclose(getattr(log, name), getattr(truth, name), rtol=1e-12)


def test_letters_cut_between_pieces_stay_whole(tmp_path, truth, monkeypatch):
    text = "t,length_1,length_2,length_3,length_4,length_5,length_6\n" + "0.25,1,1,1,1,1,1\n" * 5000
    for encoding in ("utf-16-le", "utf-16-be"):
        path = tmp_path / f"{encoding}.csv"
        mark = codecs.BOM_UTF16_LE if encoding.endswith("le") else codecs.BOM_UTF16_BE
        path.write_bytes(mark + text.encode(encoding))
        monkeypatch.setattr(text_lines, "PIECE", 1001)
        assert text_lines.text_of(path).decode() == text


def test_a_line_of_units_and_one_more_delimiter_at_the_end(tmp_path, truth):
    path = tmp_path / "log.csv"
    units = ";".join(["s", *["m"] * 6, *["N"] * 6]) + "\n"
    body = lines(numbers(truth), ";", ",").replace("\n", ";\n")
    path.write_text(names(";") + units + body)
    close(read_log(path, None, None, layout()), truth)


def test_names_that_numpy_writes_as_a_comment(tmp_path, truth):
    path = tmp_path / "log.txt"
    np.savetxt(path, numbers(truth), header=names(" ").strip())
    close(read_log(path, None, None, layout()), truth)


def test_our_own_names_need_no_option_whatever_divides_them(tmp_path, truth):
    path = tmp_path / "log.csv"
    own = names(";").replace("time", "t").replace("L", "length_").replace("F", "force_")
    path.write_text(own + lines(numbers(truth), ";", ","))
    close(read_log(path), truth)


def test_halsampler_without_names_counts_samples_and_says_where_it_lost_some(tmp_path, truth):
    rows = lines([[row, *cells[1:]] for row, cells in enumerate(numbers(truth))], " ").splitlines()
    kept = [*rows[:10], "overrun", *rows[14:]]
    path = tmp_path / "hal.txt"
    path.write_text("\n".join(kept))
    log = read_log(path, None, None, layout("t=1,length=2..7,force=8..13", rate=1000.0))
    faults = log.faults
    rest = np.r_[:10, 14:ROWS]
    close(log, DriveLog(truth.time[rest], truth.length[rest], truth.force[rest]))
    assert faults == {"overrun": 1}


def test_a_log_without_time_gets_it_from_the_rate(tmp_path, truth):
    path = tmp_path / "log.txt"
    path.write_text(lines([row[1:] for row in numbers(truth)], "\t"))
    close(read_log(path, None, None, layout("length=1..6,force=7..12", rate=1000.0)), truth)


def test_matlab_files_of_matrices_and_structures(tmp_path, truth):
    plain, nested = tmp_path / "plain.mat", tmp_path / "nested.mat"
    scipy.io.savemat(plain, {"t": truth.time, "length": truth.length, "force": truth.force.T, "note": "x"})
    close(read_log(plain), truth)
    scipy.io.savemat(nested, {"log": {"t": truth.time, "L": truth.length * 1e3, "F": truth.force}})
    wanted = layout("t=log.t,length=log.L_1..6,force=log.F_1..6", units="mm")
    close(read_log(nested, None, None, wanted), truth)


def test_a_damaged_matlab_file_is_one_line(tmp_path):
    path = tmp_path / "log.mat"
    for content in (b"", b"MATLAB 5.0 MAT-file" + bytes(200), bytes(range(256)) * 4):
        path.write_bytes(content)
        with pytest.raises(LogError, match="MATLAB"):
            read_log(path)
    with pytest.raises(LogError, match="cannot be read: No such file"):
        read_log(tmp_path / "none.mat")


def test_a_bag_with_other_joint_names_in_millimetres(tmp_path, truth):
    joints = ["axis_c", "axis_a", "axis_b", "x", "y", "z", "gripper"]
    types = typestore().types
    with BagWriter(tmp_path / "bag") as writer:
        for time, length, force in zip(truth.time + 1, truth.length, truth.force, strict=True):
            stamp = types["builtin_interfaces/msg/Time"](sec=1, nanosec=round((time - 1) * 1e9))
            message = types[JOINT_STATE](
                header=types["std_msgs/msg/Header"](stamp=stamp, frame_id=""),
                name=joints,
                position=np.append(length * 1e3, 5.0),
                velocity=np.zeros(0),
                effort=np.append(force, 0.0),
            )
            data = bytes(typestore().serialize_cdr(message, JOINT_STATE))
            writer.write("/strut_states", JOINT_STATE, data, round(time * 1e9))
    log = read_log(tmp_path / "bag", None, None, layout(None, "mm", "axis_c,axis_a,axis_b,x,y,z"))
    faults = log.faults
    close(log, DriveLog(truth.time + 1, truth.length, truth.force))
    assert faults == {}
    with pytest.raises(LogError, match=r"name strut_1 is missing; there are: axis_c, .*--joints"):
        read_log(tmp_path / "bag")
    for options, message in (
        ({"columns": "t=time"}, "--columns: a recording has no columns"),
        ({"rate": 1000.0}, "--rate: the messages of a recording have stamps"),
        ({"units": "mm,ms"}, "--units ms: of a recording"),
    ):
        with pytest.raises(LogError, match=message):
            read_log(tmp_path / "bag", None, None, layout(**{"columns": None} | options))


def test_a_layout_kept_beside_the_log_is_found_and_options_go_before_it(tmp_path, truth):
    path = tmp_path / "log.csv"
    path.write_text(names(",") + lines(numbers(truth, 1e3, 1e3), ","))
    kept = layout(units="mm,ms")
    find_layout_file(path).write_text(layout_text(kept))
    assert read_layout(find_layout_file(path)) == kept
    close(read_log(path), truth)
    assert LogLayout.of(str(find_layout_file(path)), None, None, None) == kept
    with pytest.raises(LogError, match=r"in mm\? give --units mm"):
        read_log(path, None, None, layout(units="m,ms"))
    # one option alone replaces what it says, and nothing else
    close(read_log(path, None, None, layout(None, "mm,ms")), truth)
    with pytest.raises(LogError, match=r"in mm\? give --units mm"):
        read_log(path, None, None, layout(None, "m,ms"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("columns: {t: time, lenght: [a, b, c, d, e, f]}", "'lenght' is no column.*did you mean 'length'"),
        ("columns: {length: [a, b]}", "expected six columns"),
        ("columns: [t]", "columns must be a mapping"),
        ("unit: [mm]", "unknown key 'unit'"),
        ("rate: -1", "greater than zero"),
        ("columns: {1: 2}", "columns has the key 1, expected a column of ours"),
        ("columns: {length: L1..L6, length_2: x}", "length_2 is both 'L2' and 'x'"),
        ("{rate: 1000, units: [ms, mm]}", "--units ms: t counts samples"),
    ],
)
def test_a_layout_file_that_cannot_be(tmp_path, text, message):
    path = tmp_path / "a.columns.yaml"
    path.write_text(text)
    with pytest.raises((DocumentError, SettingsError), match=message):
        read_layout(path)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"columns": "t"}, r"'t': expected OURS=THEIRS"),
        ({"columns": "lenght_1=a"}, "did you mean 'length_1'"),
        ({"columns": "length=L1..L5"}, "expected six columns.*found 5"),
        ({"columns": "t=a,length_1=a"}, "both 'a'"),
        ({"columns": "t=a,t=b"}, "t is both 'a' and 'b'"),
        ({"units": "mm,ms", "rate": 1000.0}, "--units ms: t counts samples by --rate 1000"),
        ({"units": "mn"}, "'mn' is unknown.*did you mean 'mN'"),
        ({"units": "mm,cm"}, "mm and cm are both"),
        ({"joints": "a,b,c,d,e,e"}, "six different names"),
        ({"rate": float("nan")}, "--rate nan"),
    ],
)
def test_options_that_cannot_be(options, message):
    with pytest.raises(SettingsError, match=message):
        layout(**{"columns": None} | options)


def test_what_is_wrong_with_a_log_is_said_with_what_would_do(tmp_path, truth):
    path = tmp_path / "log.csv"
    path.write_text(names(",") + lines(numbers(truth, 1e3, 1e3, 1e-3), ","))
    machine = Machine.load("uf")
    with pytest.raises(LogError, match=r"perhaps --columns t=time,length=L1\.\.L6,force=F1\.\.F6"):
        read_log(path)
    with pytest.raises(LogError, match=r"t=Time1: no such column; there are 13: .*did you mean 'time'"):
        read_log(path, None, None, layout("t=Time1"))
    with pytest.raises(LogError, match=r"samples are 1 s apart.*--units ms"):
        read_log(path, None, None, layout(units="mm,kN"))
    with pytest.raises(LogError, match=r"length_1 is about 4.*expected 0.3 to 0.55 m.*--units mm"):
        read_log(path, machine, None, layout(units="ms,kN"))
    stated = names(",").replace("L1", "L1 [mm]")
    path.write_text(stated + lines(numbers(truth, 1, 1e3), ","))
    wanted = "t=time,length_1=L1 [mm]," + ",".join(f"length_{i}=L{i}" for i in range(2, 7))
    with pytest.raises(LogError, match=r"'L1 \[mm\]' says mm, and column 'L2' says no unit; give --units mm"):
        read_log(path, None, None, layout(wanted))
    with pytest.raises(
        LogError, match=r"'L1 \[mm\]' says mm, and cm was expected; the names ask for --units mm"
    ):
        read_log(path, None, None, layout(wanted, "cm"))
    path.write_text("some words\nand no numbers\n")
    with pytest.raises(LogError, match="no columns of numbers"):
        read_log(path, None, None, layout())
    path.write_text(names(";") + lines(numbers(truth), ";") + "x;y;" + "1;" * 10 + "1\n")
    with pytest.raises(LogError, match="line 42, column time: 'x' is not a number"):
        read_log(path, None, None, layout())


def own_names(delimiter: str = ",") -> str:
    return names(delimiter).replace("time", "t").replace("L", "length_").replace("F", "force_")


@pytest.mark.parametrize(
    ("above", "delimiter", "below"),
    [
        ("Machine A, 2026\n\nrun 7\n", ",", ""),
        ("Machine\n", ",", ""),
        ("", ",", ",".join(["s", *["m"] * 6, *["N"] * 6]) + "\n"),
        ("", ",", ",".join(["[s]", *["[m]"] * 6, *["[N]"] * 6]) + "\n"),
        ("Machine A\n", ",", ",".join(["s", *["m"] * 6, *["N"] * 6]) + "\n"),
        ("", "   ", ""),
    ],
)
def test_what_is_found_by_looking_is_found_with_our_names_too(tmp_path, truth, above, delimiter, below):
    path = tmp_path / "log.csv"
    path.write_text(above + own_names(delimiter) + below + lines(numbers(truth), delimiter))
    close(read_log(path), truth)


@pytest.mark.parametrize("delimiter", [",", ";", " "])
def test_a_line_of_other_units_is_taken_at_its_word(tmp_path, truth, delimiter):
    path = tmp_path / "log.csv"
    units = delimiter.join(["ms", *["mm"] * 6, *["N"] * 6]) + "\n"
    path.write_text(own_names(delimiter) + units + lines(numbers(truth, 1e3, 1e3), delimiter))
    close(read_log(path), truth)
    close(read_log(path, None, None, layout(None, "ms,mm")), truth)
    with pytest.raises(LogError, match=r"'t \[ms\]' says ms, and us was expected; .* --units ms"):
        read_log(path, None, None, layout(None, "us,mm"))


@pytest.mark.parametrize(("delimiter", "point"), [(",", "."), (";", ","), (";", ".")])
@pytest.mark.parametrize("every", [1, 2])
def test_numbers_in_quotes_are_numbers(tmp_path, truth, delimiter, point, every):
    path = tmp_path / "log.csv"
    rows = [row.split(delimiter) for row in lines(numbers(truth), delimiter, point).splitlines()]
    quoted = [
        delimiter.join(cell if i % every else f'"{cell}"' for i, cell in enumerate(row)) + "\n"
        for row in rows
    ]
    path.write_text(own_names(delimiter) + "".join(quoted))
    close(read_log(path), truth)


def test_decimal_commas_in_quotes_between_commas_are_no_columns(tmp_path, truth):
    path = tmp_path / "log.csv"
    rows = [row.split(";") for row in lines(numbers(truth), ";", ",").splitlines()]
    path.write_text("".join(",".join(f'"{cell}"' for cell in row) + "\n" for row in rows))
    with pytest.raises(LogError, match="no columns of numbers"):
        read_log(path, None, None, layout("t=1,length=2..7,force=8..13"))


def test_numbers_are_those_of_columns_whatever_their_names(tmp_path, truth):
    path = tmp_path / "log.csv"
    path.write_text(",".join(["t", *["pos"] * 6, *[""] * 6]) + "\n" + lines(numbers(truth), ","))
    wanted = layout("t=1,length=2..7,force=8..13")
    close(read_log(path, None, None, wanted), truth)
    with pytest.raises(LogError, match="t and length_2 are both column 1"):
        read_log(
            path, None, None, layout("t=t,length_1=2,length_2=1,length_3=3,length_4=4,length_5=5,length_6=6")
        )
    with pytest.raises(LogError, match="pos is there 6 times; give its number, as --columns length_1=2"):
        read_log(path, None, None, layout("t=t,length_1=pos"))
    path.write_text(path.read_text() + "1,1,x" + ",1" * 10 + "\n")
    with pytest.raises(LogError, match=r"line 42, column pos no\. 3: 'x' is not a number"):
        read_log(path, None, None, wanted)
    path.write_text(own_names().replace("length_2", "length_1") + lines(numbers(truth), ","))
    with pytest.raises(LogError, match="column length_1 is there 2 times"):
        read_log(path, None, None, layout("length_2=3"))


def test_options_that_say_nothing_of_a_log_are_refused(tmp_path, truth):
    path = tmp_path / "log.csv"
    path.write_text(own_names() + lines(numbers(truth), ","))
    with pytest.raises(LogError, match=r"line 3: --rate: column t is 0\.001, expected samples counted"):
        read_log(path, None, None, layout(None, rate=1000.0))
    with pytest.raises(LogError, match=r"--joints: .*recording"):
        read_log(path, None, None, layout(None, joints="a,b,c,d,e,f"))


def test_a_restarted_logger_is_read_or_told_by_its_second_header(tmp_path, truth):
    path = tmp_path / "log.csv"
    rows = lines(numbers(truth, length=1e3), ",").splitlines(keepends=True)
    path.write_text(own_names() + "".join(rows[:20]) + own_names() + "".join(rows[20:]))
    log = read_log(path, None, None, layout(None, "mm"))
    faults = log.faults
    close(log, truth)
    assert faults == {"repeated_header": 1}
    other = ",".join(reversed(own_names().strip().split(","))) + "\n"
    path.write_text(own_names() + "".join(rows[:20]) + other + "".join(rows[20:]))
    with pytest.raises(LogError, match=r"line 22: .*header.*another order"):
        read_log(path, None, None, layout(None, "mm"))


def test_foreign_text_beyond_the_memory_is_refused_by_its_size(tmp_path, truth):
    path = tmp_path / "log.csv"
    path.write_text(names(";") + lines(numbers(truth), ";"))
    with path.open("r+b") as file:
        file.truncate(2**43)  # a hole, which takes no room on the disc
    with pytest.raises(LogError, match=r"8\.2e\+03 GB of text .*in parts"):
        read_log(path, None, None, layout())


@pytest.mark.parametrize("seed", range(40))
def test_mutilated_files_end_in_a_log_or_one_line(tmp_path, truth, seed):
    rng = np.random.default_rng(seed)
    text = bytearray((names(";") + lines(numbers(truth), ";", ",")).encode())
    for _ in range(rng.integers(1, 30)):
        at = rng.integers(0, len(text))
        text[at : at + rng.integers(0, 40)] = bytes(
            rng.choice(list(b";,.\n\t# \"'x1-e%\x00\xff"), rng.integers(0, 6))
        )
    path = tmp_path / "log.csv"
    path.write_bytes(bytes(text))
    complaint = ""
    try:
        log = read_log(path, None, None, layout())
    except LogError as error:
        complaint = str(error)
    else:
        assert log.length.shape == (len(log), 6)
    assert "\n" not in complaint
    assert not complaint or complaint.startswith(str(path))


@pytest.mark.parametrize(("unit", "said", "size"), [("mm", "mm", 1e-3), ("in", "inches", 0.0254)])
def test_lengths_in_another_unit_are_refused_with_its_name(unit, said, size):
    uf = Machine.load("uf")
    lengths = np.full((50, 6), np.mean(uf.length_limits) / size)
    with pytest.raises(LogError, match=rf"in {said}\? give --units {unit}$"):
        refuse_implausible(
            DriveLog(np.arange(50) * 1e-3, lengths, np.zeros((50, 6)), "log"), as_machine(uf).drives
        )


def test_stamps_in_ticks_of_windows_are_refused_with_their_unit(tmp_path):
    """10 000 s between samples are microseconds, of 100 Hz, or ticks, of 1 kHz: the stamps' own size tells."""
    rows, uf = np.arange(50), as_machine(Machine.load("uf"))
    lengths = np.tile(np.mean(Machine.load("uf").length_limits), (50, 6))
    for first, unit in ((133512345678901234, "100ns"), (0, "us")):
        with pytest.raises(LogError, match=f"give --units {unit}$"):
            refuse_implausible(DriveLog(first + rows * 1e4, lengths, np.zeros((50, 6)), "log"), uf.drives)
    path = tmp_path / "scope.csv"
    names = ";".join(["Time", *(f"L{k}" for k in range(1, 7)), *(f"F{k}" for k in range(1, 7))])
    body = [f"{133512345678901234 + 10000 * k};" + ";".join(["0,4"] * 6 + ["-1,5"] * 6) for k in rows]
    path.write_text("\n".join([names, *body]), encoding="utf-8")
    asked = layout("t=Time,length=L1..L6,force=F1..F6", "100ns")
    log = read_log(path, None, None, asked)
    np.testing.assert_allclose(np.diff(log.time), 1e-3, atol=4e-6)


def test_columns_of_coordinates_and_forces_that_are_exchanged_are_named():
    uf = as_machine(Machine.load("uf"))
    lengths = np.tile(np.mean(Machine.load("uf").length_limits), (50, 6))
    forces = np.random.default_rng(1).normal(0.0, 200.0, (50, 6))
    time = np.arange(50) * 1e-3
    with pytest.raises(LogError, match="coordinates and forces are exchanged"):
        refuse_implausible(DriveLog(time, forces, lengths, "log"), uf.drives)
    refuse_implausible(DriveLog(time, lengths, forces, "log"), uf.drives)


@pytest.mark.parametrize(("length", "unit"), [(1.1, ""), (1.2, ""), (300.0, "mm"), (30.0, "cm"), (3e-3, "")])
def test_coordinates_are_in_another_unit_only_if_they_fill_limits_that_begin_at_0(length, unit):
    drive = replace(as_machine(Machine.load("uf")).drives[0], lowest=0.0, highest=0.5)
    log = DriveLog(np.arange(50) * 1e-3, np.full((50, 1), length), None, "log")
    found = in_machine_units([log], SimpleNamespace(drives=(drive,), sample_rate=None))
    assert [cause.detail for cause in found.causes] == [f"lengths are recorded in {unit}"] * bool(unit)
    drive = replace(drive, highest=0.1)
    with pytest.raises(LogError, match="with --units"):
        refuse_implausible(replace(log, coordinate=np.full((50, 1), 200.0)), [drive])


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ("[Nm]", "says Nm, and column"),
        ("(N m)", "says Nm, and column"),
        ("[%]", "says %, and column"),
        ("[0.1%]", "says permille, and column"),
        ("(bar)", "says bar, and column"),
        ("[V]", "says V, which"),
        ("[furlong]", "says furlong, which"),
        ("[mm]", "no unit of force"),
        ("_Nm", "says Nm, and column"),
        ("[daN]", "says daN, and column"),
        ("[MN]", "--units MN"),
        ("_kN", "--units kN"),
        ("/ kN", "--units kN"),
    ],
)
@pytest.mark.parametrize("column", ["F1", "F4"])
def test_a_force_in_another_unit_never_passes_as_newtons(tmp_path, truth, said, message, column):
    path = tmp_path / "log.csv"
    path.write_text(names(",").replace(column, f"{column} {said}") + lines(numbers(truth), ","))
    wanted = ",".join(f"force_{i}=F{i}" for i in range(1, 7)).replace(column, f"{column} {said}")
    with pytest.raises(LogError) as caught:
        read_log(path, None, None, layout(f"t=time,length=L1..L6,{wanted}"))
    assert message in str(caught.value)


def test_units_below_the_names_and_other_spellings_are_taken_at_their_word(tmp_path, truth):
    path = tmp_path / "log.csv"
    for unit in ("Nm", "%", "bar"):
        path.write_text(
            own_names() + ",".join(["s", *["m"] * 6, *[unit] * 6]) + "\n" + lines(numbers(truth), ",")
        )
        with pytest.raises(LogError, match=r"force_1 is in a unit of .* say that in"):
            read_log(path)
    inches = replace(truth, coordinate=truth.length * 0.0254, force=truth.force * 10.0)
    header = "t [seconds]," + ",".join(
        [*(f"L{i} [inch]" for i in range(1, 7)), *(f"F{i} [daN]" for i in range(1, 7))]
    )
    columns = "t=t [seconds],length=L1 [inch]..L6 [inch],force=F1 [daN]..F6 [daN]"
    path.write_text(header + "\n" + lines(numbers(truth), ","))
    close(read_log(path, None, None, layout(columns, "inch,daN")), inches)
    # a number in brackets is none, nor is a remark
    for word in ("L[1]", "L(left) 1", "L[-] 1"):
        path.write_text(names(",").replace("L1", word) + lines(numbers(truth), ","))
        wanted = (
            f"t=time,length_1={word}," + ",".join(f"length_{i}=L{i}" for i in range(2, 7)) + ",force=F1..F6"
        )
        close(read_log(path, None, None, layout(wanted)), truth)


@pytest.mark.parametrize(
    ("delimiter", "point", "cell", "readings"),
    [
        (";", ",", "-1.138", ("-1138", "-1.138")),
        ("\t", ",", "12.005", ("12005", "12.005")),
        (";", ",", "-1.138,25", ("-1138.25", "-1.13825")),
        (";", ".", "-1,138", ("-1138", "-1.138")),
        ("|", ".", "1,138.5", ("1138.5", "1.1385")),
    ],
)
def test_a_point_and_a_comma_in_one_file_are_refused_with_both_readings(
    tmp_path, truth, delimiter, point, cell, readings
):
    path = tmp_path / "log.csv"
    rows = [row.split(delimiter) for row in lines(numbers(truth), delimiter, point).splitlines()]
    rows[17][10] = cell
    path.write_text(names(delimiter) + "\n".join(delimiter.join(row) for row in rows) + "\n")
    with pytest.raises(LogError) as caught:
        read_log(path, None, None, layout())
    assert f"line 19, column F4: '{cell}' is {readings[0]} if" in str(caught.value)
    assert f"and {readings[1]} if" in str(caught.value)


def test_columns_that_are_not_used_may_have_any_sign(tmp_path, truth):
    """A version or a date beside decimal commas says nothing of the numbers that are used."""
    path = tmp_path / "log.csv"
    rows = [f"{row};1.5" for row in lines(numbers(truth), ";", ",").splitlines()]
    path.write_text(names(";").strip() + ";version\n" + "\n".join(rows) + "\n")
    close(read_log(path, None, None, layout()), truth)
