# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The same samples as other programs write them: each form gives the samples."""

import re
import shutil
from dataclasses import replace
from datetime import datetime, timedelta
from hashlib import sha256

import numpy as np
import pytest
import scipy.io
from core.records.made_log import made_log

from benchmarks.fuzz.others import LAYOUTS, write_others
from pkm_identification.errors import LogError
from pkm_identification.motion import DriveLog
from pkm_identification.records.bags.packed import zstd
from pkm_identification.records.bags.writer import STORAGES, BagWriter, write_strut_bag
from pkm_identification.records.foreign import LogLayout
from pkm_identification.records.foreign.clock_times import parse_seconds
from pkm_identification.records.interfaces import typestore
from pkm_identification.records.joint_state import JOINT_STATE
from pkm_identification.records.log import read_log, write_log

STRUTS = [f"strut_{i}" for i in range(1, 7)]
LENGTHS, FORCES = [f"Leg{i}_Pos" for i in range(1, 7)], [f"Leg{i}_Force" for i in range(1, 7)]
SCOPE = "length=Leg1_Pos..Leg6_Pos,force=Leg1_Force..Leg6_Force"


def layout(columns=None, units=None, **more):
    return LogLayout.of(columns, units, None, None, **more)


def same(log, truth, atol=1e-12):
    np.testing.assert_allclose(log.time - log.time[0], truth.time - truth.time[0], atol=1e-6)
    np.testing.assert_allclose(log.length, truth.length, atol=atol)
    np.testing.assert_allclose(log.force, truth.force, atol=1e3 * atol)


@pytest.fixture(scope="module")
def truth():
    return made_log(count=60)


def scope_text(truth, pairs, comma=True):
    """A TwinCAT Scope export: metadata below the names, one column of time or one of each channel."""
    names, units = LENGTHS + FORCES, ["mm"] * 6 + ["N"] * 6
    lines = ["Name\trun", "File\tC:\\run.csv", ""]
    below = {
        "SymbolComment": [""] * 12,
        "Data-Type": ["REAL64"] * 12,
        "SampleTime[ms]": ["1"] * 12,
        "IndexGroup": ["16448"] * 12,
        "SymbolName": [f"MAIN.{name}" for name in names],
        "NetID": ["5.1.2.3.1.1"] * 12,
        "Unit": units,
        "Unit Offset": ["0"] * 12,
    }
    for label, cells in {"Name": names, **below}.items():
        lines.append("\t".join(f"{label}\t{c}" for c in cells) if pairs else "\t".join([label, *cells]))
    lines.append("")
    for time, length, force in zip(truth.time - truth.time[0], truth.length, truth.force, strict=True):
        cells = [repr(float(v)) for v in (*(1e3 * length), *force)]
        stamp = repr(float(1e3 * time))
        lines.append("\t".join(f"{stamp}\t{c}" for c in cells) if pairs else "\t".join([stamp, *cells]))
    text = "\n".join(lines) + "\n"
    return (
        text.replace(".", ",").replace("5,1,2,3,1,1", "5.1.2.3.1.1").replace("MAIN,", "MAIN.")
        if comma
        else text
    )


@pytest.mark.parametrize("pairs", [False, True])
@pytest.mark.parametrize("comma", [False, True])
def test_scope_exports(tmp_path, truth, pairs, comma):
    path = tmp_path / "scope.csv"
    path.write_text(scope_text(truth, pairs, comma))
    same(read_log(path, None, None, layout(SCOPE)), truth)
    with pytest.raises(LogError, match="says ms, and us was expected"):
        read_log(path, None, None, layout(SCOPE, "us"))


def test_channels_with_other_stamps_are_brought_to_the_first_ones(tmp_path):
    """Smooth in time, so that a value between two samples is known."""
    time = np.arange(400) * 1e-3
    rows = ["Name\t" + "\tName\t".join(LENGTHS + FORCES), "SampleTime[ms]\t1" + "\tSampleTime[ms]\t1" * 11]
    shift = np.linspace(0.0, 0.4e-3, 12)
    for t in time:
        cells = [
            (t + s, (0.4 + 0.01 * np.sin(9 * (t + s))) * (1.0 if i < 6 else 100.0))
            for i, s in enumerate(shift)
        ]
        rows.append("\t".join(f"{1e3 * at!r}\t{value!r}" for at, value in cells))
    path = tmp_path / "scope.csv"
    path.write_text("\n".join(rows).replace("np.float64(", "").replace(")", "") + "\n")
    log = read_log(path, None, None, layout(SCOPE))
    wanted = 0.4 + 0.01 * np.sin(9 * log.time)
    inside = slice(2, -2)
    np.testing.assert_allclose(log.length[inside], np.tile(wanted[inside, None], 6), atol=1e-9)
    np.testing.assert_allclose(log.force[inside], np.tile(100 * wanted[inside, None], 6), atol=1e-7)


@pytest.mark.parametrize(("ppm", "epoch"), [(0.0, 0.0), (60.0, 0.0), (-200.0, 0.0), (60.0, 1e5)])
def test_two_clocks_in_one_text_are_told_and_rows_are_instants(tmp_path, ppm, epoch):
    truth = made_log(count=500)
    time = truth.time - truth.time[0]
    clocks = [time] * 6 + [epoch + (1.0 + 1e-6 * ppm) * time] * 6
    columns = [*truth.length.T, *truth.force.T]
    pairs = np.column_stack([one for both in zip(clocks, columns, strict=True) for one in both]).tolist()
    header = ";".join(f"{name} Time [s];{name}" for name in LENGTHS + FORCES)
    path = tmp_path / "trace.csv"
    path.write_text("\n".join([header, *(";".join(map(repr, row)) for row in pairs)]) + "\n")
    log = read_log(path, layout=layout(SCOPE))
    same(log, truth)
    assert len(log.warnings) == (1 if ppm else 0)
    if ppm:
        match = re.search(r"runs ([\d.]+) \+- ([\d.]+) ppm", log.warnings[0])
        found, deviation = map(float, match.groups())
        assert abs(found - abs(ppm)) <= max(4 * deviation, 0.1)
        assert ("faster" if ppm > 0 else "slower") in log.warnings[0]
        assert "Leg1_Force" in log.warnings[0]
        assert "Leg1_Pos" not in log.warnings[0]


def test_columns_with_a_word_behind_their_number_are_guessed(tmp_path, truth):
    path = tmp_path / "scope.csv"
    path.write_text(scope_text(truth, False), encoding="utf-8")
    with pytest.raises(LogError, match=f"--columns t=t,{SCOPE}"):
        read_log(path)


def write_rows(truth, stamp, divider, comma=False):
    rows = np.hstack([truth.length, truth.force]).tolist()
    cells = [[f"{value!r}".replace(".", "," if comma else ".") for value in row] for row in rows]
    return "\n".join(divider.join([*stamp(k), *row]) for k, row in enumerate(cells)) + "\n"


def test_traces_of_controllers(tmp_path, truth):
    """CODESYS 3 (a stamp before each value), CODESYS 2.3 (cycles below a title), Siemens, LinuxCNC's halsampler."""
    names, made = LENGTHS + FORCES, np.round(truth.time - truth.time[0], 6)
    even = replace(truth, time=1e-3 * np.arange(len(truth)))
    pairs = ";".join(f"GVL.{name} Timestamp [\u00b5s];GVL.{name}" for name in names) + "\n"
    rows = zip(made.tolist(), np.hstack([truth.length, truth.force]).tolist(), strict=True)
    pairs += "".join(";".join(f"{1e6 * t!r};{v!r}" for v in row) + "\n" for t, row in rows)
    cycles = "Trace\nD:\\PLC\\LEGS.PRO\nCycle " + " ".join(names) + "\n"
    cycles += write_rows(truth, lambda k: [str(k)], " ")
    siemens = ";".join(["Sample", "Timestamp", *(f'"DB1".{name}' for name in names)]) + "\n"
    siemens += write_rows(truth, lambda k: [str(k), f"2026-03-05 12:34:56.{k:03d}"], ";", comma=True)
    sampler = write_rows(truth, lambda k: [str(k)], " ").replace("\n", " \n")
    sampler = sampler.replace("\n7 ", "\noverrun\n7 ")
    counted = {"columns": f"t=Cycle,{SCOPE}", "rate": 1000.0}
    cases = {
        "pairs.csv": (pairs, {"columns": SCOPE.replace("Leg", "GVL.Leg")}, replace(truth, time=made)),
        "cycles.txt": (cycles, counted, even),
        "siemens.csv": (siemens, {"columns": f"t=Timestamp,{SCOPE.replace('Leg', 'DB1.Leg')}"}, even),
        "hal.txt": (sampler, {"columns": "t=1,length=2..7,force=8..13", "rate": 1000.0}, even),
    }
    for name, (text, how, wanted) in cases.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
        log = read_log(tmp_path / name, None, None, LogLayout.of(how["columns"], None, None, how.get("rate")))
        np.testing.assert_allclose(log.time - log.time[0], wanted.time, atol=2e-6, err_msg=name)
        np.testing.assert_allclose(log.length, truth.length, atol=1e-12, err_msg=name)
        np.testing.assert_allclose(log.force, truth.force, atol=1e-9, err_msg=name)
        assert log.faults == ({"overrun": 1} if name == "hal.txt" else {})
    with pytest.raises(LogError, match=r"t=1,length=2..7,force=8..13.*--rate"):
        read_log(tmp_path / "hal.txt")


def table_of(truth, stamp, divider=","):
    names = ["time", *(f"length_{i}" for i in range(1, 7)), *(f"force_{i}" for i in range(1, 7))]
    rows = [
        divider.join([stamp(t), *(repr(float(v)) for v in (*length, *force))])
        for t, length, force in zip(truth.time, truth.length, truth.force, strict=True)
    ]
    return "\n".join([divider.join(names), *rows]) + "\n"


def clock(form):
    return lambda t: (datetime(2022, 5, 2, 23, 59, 59, 990000) + timedelta(seconds=float(t))).strftime(form)


@pytest.mark.parametrize(
    ("stamp", "divider"),
    [
        (lambda t: f"{t:.6f} sec", ","),
        (clock("%Y-%m-%dT%H:%M:%S.%fZ"), ","),
        (clock("%Y-%m-%d %H:%M:%S.%f+02:00"), ";"),
        (clock("%d.%m.%Y %H:%M:%S.%f"), "\t"),
        (clock("%d-%b-%Y %I:%M:%S.%f %p"), ","),
    ],
)
def test_dates_and_durations_are_seconds(tmp_path, truth, stamp, divider):
    path = tmp_path / "log.csv"
    path.write_text(table_of(truth, stamp, divider))
    same(read_log(path, None, None, layout("t=time")), truth)
    # with our names above, nobody has to say anything
    path.write_text(table_of(truth, stamp, divider).replace("time", "t", 1))
    same(read_log(path, None, None, None), truth)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("0.25 sec", 0.25),
        ("-3 ms", -3e-3),
        ("00:01:02.5", 62.5),
        ("12:00:00 AM", 0.0),
        ("12:00:01 PM", 43201.0),
        ("1970-01-02 00:00:01", 86401.0),
        ("nonsense", None),
        ("31.02.2020 10:00:00", None),
        ("7 apples", None),
    ],
)
def test_seconds_of_one_cell(text, seconds):
    assert parse_seconds(text) == seconds


def test_seconds_and_nanoseconds_in_two_columns(tmp_path, truth):
    names = ["sec", "nanosec", *(f"length_{i}" for i in range(1, 7)), *(f"force_{i}" for i in range(1, 7))]
    rows = [
        ",".join([f"{int(1.7e9 + t)},{round((t % 1) * 1e9)}", *(repr(float(v)) for v in (*length, *force))])
        for t, length, force in zip(truth.time, truth.length, truth.force, strict=True)
    ]
    path = tmp_path / "log.csv"
    path.write_text("\n".join([",".join(names), *rows]))
    same(read_log(path, None, None, layout("t=sec+nanosec")), truth)
    with pytest.raises(LogError, match="t_nanoseconds=nsec: no such column"):
        read_log(path, None, None, layout("t=sec+nsec"))


def test_a_workbook(tmp_path, truth):
    """Its first sheet has no log, its second names, units and rows; a time may be a duration."""
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.active.append(["Machine", "uf"])
    sheet = book.create_sheet("run")
    sheet.append(["Zeit", *LENGTHS, *FORCES])
    sheet.append(["ms", *["mm"] * 6, *["N"] * 6])
    for time, length, force in zip(truth.time, truth.length, truth.force, strict=True):
        sheet.append([1e3 * float(time), *(1e3 * length).tolist(), *force.tolist()])
    book.save(tmp_path / "log.xlsx")
    same(read_log(tmp_path / "log.xlsx", None, None, layout(f"t=Zeit,{SCOPE}")), truth)
    book.remove(sheet)
    book.save(tmp_path / "none.xlsx")
    with pytest.raises(LogError, match="no sheet has 10 rows of numbers"):
        read_log(tmp_path / "none.xlsx", None, None, layout(f"t=Zeit,{SCOPE}"))
    (tmp_path / "bad.xlsx").write_bytes((tmp_path / "log.xlsx").read_bytes()[:900])
    with pytest.raises(LogError, match="damaged or no workbook"):
        read_log(tmp_path / "bad.xlsx", None, None, layout(f"t=Zeit,{SCOPE}"))


def test_a_simulink_structure_with_time(tmp_path, truth):
    signals = np.zeros((1, 2), dtype=[("values", "O"), ("dimensions", "O")])
    signals[0, 0] = truth.length, 6
    signals[0, 1] = truth.force.T.reshape(6, 1, -1), 6
    scipy.io.savemat(tmp_path / "run.mat", {"out": {"time": truth.time[:, None], "signals": signals}})
    columns = "t=out.time,length=out.signals(1).values_1..6,force=out.signals(2).values_1..6"
    same(read_log(tmp_path / "run.mat", None, None, layout(columns)), truth)


@pytest.mark.parametrize("storage", ["sqlite3", "mcap"])
def test_compressed_files_and_endings_in_capitals(tmp_path, truth, storage):
    write_log(tmp_path / "bag", truth, storage)
    (file,) = (tmp_path / "bag").glob("bag.*")
    packed = tmp_path / f"run{file.suffix}.zstd"
    packed.write_bytes(zstd.compress(file.read_bytes()))
    same(read_log(packed), truth)
    shutil.copy(file, tmp_path / f"run{file.suffix.upper()}")
    same(read_log(tmp_path / f"run{file.suffix.upper()}"), truth)
    packed.write_bytes(packed.read_bytes()[:100])
    with pytest.raises(LogError, match="damaged or truncated"):
        read_log(packed)


def write_joints(path, samples):
    """Messages (topic, arrival in s, stamp in s, names, positions, efforts)."""
    types = typestore().types
    with BagWriter(path) as writer:
        for topic, arrival, stamp, names, position, effort in samples:
            sec, nanosec = divmod(round(1e9 * stamp), 10**9)
            header = types["std_msgs/msg/Header"](
                stamp=types["builtin_interfaces/msg/Time"](sec=sec, nanosec=nanosec), frame_id=""
            )
            message = types[JOINT_STATE](
                header=header,
                name=list(names),
                position=np.array(position, dtype=float),
                velocity=np.empty(0),
                effort=np.array(effort, dtype=float),
            )
            data = bytes(typestore().serialize_cdr(message, JOINT_STATE))
            writer.write(topic, JOINT_STATE, data, round(1e9 * arrival))


@pytest.mark.parametrize("groups", [[[0], [1], [2], [3], [4], [5]], [[0, 1, 2], [3, 4, 5]]])
@pytest.mark.parametrize("topics", [False, True])
def test_joints_in_messages_of_their_own(tmp_path, truth, groups, topics):
    samples = [
        (f"/leg{g}" if topics else "/all", 1 + t, 1 + t, [STRUTS[i] for i in group], length[group], force[group])
        for t, length, force in zip(truth.time, truth.length, truth.force, strict=True)
        for g, group in enumerate(groups)
    ]  # fmt: skip
    # a message that comes twice, and another time much later, costs itself alone
    again = [samples[0], *samples[: len(samples) // 2], samples[0], *samples[len(samples) // 2 :]]
    write_joints(tmp_path / "bag", again)
    log = read_log(tmp_path / "bag")
    faults = log.faults
    same(log, truth)
    assert faults == {"duplicate": len(groups[0]), "late": len(groups[0])}
    if topics:
        with pytest.raises(LogError, match="/leg0: no usable message"):
            read_log(tmp_path / "bag", None, "leg0")
        same(read_log(tmp_path / "bag", None, ",".join(f"leg{g}" for g in range(len(groups)))), truth)


@pytest.mark.parametrize("ppm", [0.0, 60.0, -200.0])
def test_clocks_that_drift_apart_are_brought_to_one(tmp_path, ppm):
    random, time = np.random.default_rng(7), 0.02 * np.arange(1500)
    length = 0.4 + 0.02 * np.sin(3.0 * time)[:, None] + 0.01 * np.arange(6)
    groups, samples = ([0, 1, 2], [3, 4, 5]), []
    for k, row in enumerate(length):
        arrival = 100.0 + time[k] + 2e-3
        for stamp, group in zip((1 + time[k], 5 + time[k] * (1 + 1e-6 * ppm)), groups, strict=True):
            late = arrival + random.exponential(1e-3)
            stamp = stamp if ppm or group[0] == 0 else 1 + time[k]
            samples.append(("/all", late, stamp, [STRUTS[i] for i in group], row[group], row[group]))
    write_joints(tmp_path / "bag", sorted(samples, key=lambda sample: sample[1]))
    log = read_log(tmp_path / "bag")
    good = np.isfinite(log.length).all(axis=1)
    assert good.mean() > 0.99
    wanted = 0.4 + 0.02 * np.sin(3.0 * (log.time - 1.0))[:, None] + 0.01 * np.arange(6)
    # .3 ms at .06 m/s, where drift would make 1.8 ms and more
    assert np.max(np.abs(log.length - wanted)[good]) < 3e-4 * 0.06
    if ppm == 0.0:
        assert log.warnings == ()
    else:
        (note,) = log.warnings
        found, deviation = re.search(r"runs ([\d.]+) \+- ([\d.]+) ppm (faster|slower)", note).groups()[:2]
        assert float(found) == pytest.approx(abs(ppm), abs=4 * float(deviation) + 0.1)
        assert ("faster" in note) == (ppm > 0)


def test_messages_of_single_joints_that_are_left_out_are_counted(tmp_path, truth):
    rows = list(zip(truth.time, truth.length, truth.force, strict=True))
    samples = [
        ("/all", 1 + t, 1 + t if k != 7 else 0.0, [name], length[i : i + 1], force[i : i + 1])
        for k, (t, length, force) in enumerate(rows)
        for i, name in enumerate(STRUTS)
    ]
    write_joints(tmp_path / "bag", samples)
    log = read_log(tmp_path / "bag")
    faults = log.faults
    assert len(log) == len(truth) - 1
    assert faults == {"zero_stamp": 6}
    write_joints(tmp_path / "none", [(a, b, 0.0, *rest) for a, b, _, *rest in samples])
    with pytest.raises(LogError, match="--stamps receive"):
        read_log(tmp_path / "none")


def test_times_of_arrival_stand_for_stamps_that_are_zero(tmp_path, truth):
    samples = [
        ("/joint_states", 5 + t, 0.0, STRUTS, length, force)
        for t, length, force in zip(truth.time, truth.length, truth.force, strict=True)
    ]
    write_joints(tmp_path / "bag", samples)
    with pytest.raises(LogError, match="--stamps receive"):
        read_log(tmp_path / "bag")
    log = read_log(tmp_path / "bag", None, None, layout(stamps="receive"))
    faults = log.faults
    same(log, truth)
    assert faults == {}


@pytest.mark.parametrize("given", ["0.3", "0.3,0.31,0.32,0.33,0.34,0.35"])
@pytest.mark.parametrize("form", ["csv", "bag"])
def test_strokes_are_lengths_from_where_they_are_zero(tmp_path, truth, given, form):
    zero = np.array([float(part) for part in given.split(",")])
    strokes = type(truth)(truth.time, truth.length - zero, truth.force, "strokes")
    path = tmp_path / ("log.csv" if form == "csv" else "bag")
    write_log(path, strokes)
    same(read_log(path, None, None, layout(at_zero=given)), truth)
    assert LogLayout.of(None, None, None, None, at_zero=given).at_zero == tuple(zero)


@pytest.mark.slow
def test_fourteen_ways_of_writing_the_same_samples_give_one_digest(tmp_path):
    time = np.arange(1, 201) / 1000.0
    swing = np.sin(20.0 * time[:, None] + np.arange(6))
    # no more digits than a workbook keeps
    log = DriveLog(time, (0.4 + 0.02 * swing).round(9), (100.0 * swing).round(6), "made")
    for name, data in write_others(tmp_path, log).items():
        (tmp_path / name).write_bytes(data)
    write_log(tmp_path / "own.csv", log)
    write_log(tmp_path / "packed.csv.gz", log)
    text = (tmp_path / "own.csv").read_text()
    (tmp_path / "comma.csv").write_text(text.replace(",", ";").replace(".", ","))
    (tmp_path / "wide.csv").write_text(text, encoding="utf-16")
    for storage in STORAGES:
        write_strut_bag(tmp_path / storage, log, storage)
    as_written = ("own.csv", "packed.csv.gz", "comma.csv", "wide.csv", *STORAGES, "run.mcap.zstd")
    known = ("scope.csv", "book.xlsx", "run.mat", "run.parquet", "run.h5")
    ways = dict.fromkeys(as_written, layout()) | {name: layout(LAYOUTS[name][0]) for name in known}
    ways["dates.csv"] = layout(LAYOUTS["dates.csv"][0])
    ways["halsampler.txt"] = LogLayout.of(LAYOUTS["halsampler.txt"][0], None, None, 1000.0)
    digests = {}
    for name, way in ways.items():
        read = read_log(tmp_path / name, layout=way)
        instants = np.round(1e6 * (read.time - read.time[0]))
        digests[name] = sha256(np.column_stack([instants, read.coordinate, read.force]).tobytes()).hexdigest()
    assert len(digests) == 14
    assert len(set(digests.values())) == 1, digests
