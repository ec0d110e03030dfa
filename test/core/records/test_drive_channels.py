# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Logs of any machine's drives in other programs' words: the same numbers, or one line of what is wrong."""

from __future__ import annotations

import numpy as np
import pytest
import yaml
from core.machines.every_machine import machine
from core.records.made_log import write_joint_bag
from scipy.io import savemat

from pkm_identification.errors import DocumentError, LogError, SettingsError
from pkm_identification.machines.encoders import with_encoder
from pkm_identification.machines.load import read_machine
from pkm_identification.mechanisms.builtin import list_builtin_files
from pkm_identification.motion import DriveLog
from pkm_identification.records.channels import build_drive_channels
from pkm_identification.records.foreign import LogLayout, find_layout_file, layout_text
from pkm_identification.records.log import read_log, write_log

MACHINES = ("delta", "five_bar", "mast", "serial_arm", "epaas")
UNITS = {"m": ("mm", 1e3), "rad": ("deg", 180 / np.pi), "N": ("kN", 1e-3), "N m": ("Nmm", 1e3)}
ROWS = 60


def truth(name: str) -> DriveLog:
    drives = machine(name).drives
    random, time = np.random.default_rng(len(name)), 1e-3 * np.arange(ROWS)
    low, high = (
        np.array([getattr(drive, end) if np.isfinite(getattr(drive, end)) else default for drive in drives])
        for end, default in (("lowest", -0.5), ("highest", 0.5))
    )
    place = low + (high - low) * random.uniform(0.2, 0.8, (ROWS, len(drives)))
    return DriveLog(time, place, random.normal(0.0, 50.0, (ROWS, len(drives))))


def in_units(name: str) -> tuple[list[np.ndarray], list[str]]:
    """Columns of the truth in ms, mm, deg, kN and Nmm, and the units."""
    log, drives = truth(name), machine(name).drives
    units = [drive.unit for drive in drives], [drive.force_unit for drive in drives]
    columns = [np.arange(float(ROWS))]
    for values, own in zip((log.coordinate, log.force), units, strict=True):
        columns += [values[:, i] * UNITS[unit][1] for i, unit in enumerate(own)]
    return columns, ["ms", *(UNITS[unit][0] for own in units for unit in own)]


def write(path, columns, header, delimiter=";"):
    np.savetxt(path, np.column_stack(columns), fmt="%.17g", delimiter=delimiter, header=header, comments="")


def assert_same(log: DriveLog, name: str) -> None:
    expected = truth(name)
    np.testing.assert_allclose(log.time - log.time[0], expected.time, atol=1e-12)
    np.testing.assert_allclose(log.coordinate, expected.coordinate, rtol=1e-12)
    np.testing.assert_allclose(log.force, expected.force, rtol=1e-12)


def layout(name: str, columns=None, units=None, joints=None, rate=None) -> LogLayout | None:
    return LogLayout.of(columns, units, joints, rate, build_drive_channels(machine(name).drives))


def said_units(name: str) -> str:
    return ",".join(dict.fromkeys(in_units(name)[1]))


@pytest.mark.parametrize("name", MACHINES)
def test_other_names_and_units_are_the_same_log(name, tmp_path):
    path, drives = tmp_path / "log.txt", machine(name).drives
    columns, _ = in_units(name)
    count = len(drives)
    write(
        path,
        columns,
        ";".join(["Zeit", *(f"q{i + 1}" for i in range(count)), *(f"F{i + 1}" for i in range(count))]),
    )
    given = f"t=Zeit,coordinate=q1..q{count},force=F1..F{count}"
    if count == 1:
        given = "t=Zeit,coordinate=q1,force=F1"
    assert_same(read_log(path, drives, layout=layout(name, given, said_units(name))), name)
    # by numbers, counted samples
    counted = (
        f"coordinate=2..{count + 1},force={count + 2}..{2 * count + 1}"
        if count > 1
        else "coordinate=2,force=3"
    )
    units = ",".join(said_units(name).split(",")[1:])
    assert_same(read_log(path, drives, layout=layout(name, f"t=1,{counted}", units, rate=1000.0)), name)
    # kept beside the log
    find_layout_file(path).write_text(layout_text(layout(name, given, said_units(name))))
    assert_same(read_log(path, drives), name)


@pytest.mark.parametrize("name", MACHINES)
def test_units_behind_our_names_and_below_them_hold(name, tmp_path):
    path, drives = tmp_path / "log.csv", machine(name).drives
    columns, units = in_units(name)
    names = ["t", *(drive.name for drive in drives), *(drive.force_name for drive in drives)]
    write(path, columns, ",".join(f"{one} [{unit}]" for one, unit in zip(names, units, strict=True)), ",")
    assert_same(read_log(path, drives), name)
    assert_same(read_log(path, drives, layout=layout(name, units=said_units(name))), name)
    write(path, columns, ",".join(names) + "\n" + ",".join(units), ",")
    assert_same(read_log(path, drives), name)
    other = "m" if drives[0].unit == "m" else "rad"
    with pytest.raises(
        LogError, match=f"says {UNITS[other][0]}, and {other} was expected; the names ask for"
    ):
        read_log(path, drives, layout=layout(name, units=f"ms,{other}"))


@pytest.mark.parametrize("name", MACHINES)
def test_bags_with_other_joints_and_units_and_arrays(name, tmp_path):
    drives, (columns, _) = machine(name).drives, in_units(name)
    count = len(drives)
    joints = [f"axis_{i}" for i in range(count)]
    place, force = np.column_stack(columns[1 : count + 1]), np.column_stack(columns[count + 1 :])
    write_joint_bag(
        tmp_path / "bag", ["/a/joint_states", "/b/joint_states"], joints, columns[0] * 1e-3, place, force
    )
    units = ",".join(said_units(name).split(",")[1:])
    wanted = layout(name, joints=",".join(joints), units=units)
    assert_same(read_log(tmp_path / "bag", drives, "/b/joint_states", wanted), name)
    with pytest.raises(LogError, match="name the one to read"):
        read_log(tmp_path / "bag", drives, layout=wanted)
    for options, message in (
        ({"columns": "t=a"}, "--columns: a recording has no columns"),
        ({"rate": 100.0}, "--rate: the messages of a recording have stamps"),
        ({"units": "ms"}, "--units ms: of a recording, expected units of"),
    ):
        with pytest.raises(LogError, match=message):
            read_log(tmp_path / "bag", drives, layout=layout(name, **options))
    savemat(tmp_path / "log.mat", {"time": columns[0], "q": place, "tau": force})
    given = f"t=time,coordinate=q_1..q_{count},force=tau_1..tau_{count}"
    given = given if count > 1 else "t=time,coordinate=q,force=tau"
    assert_same(read_log(tmp_path / "log.mat", drives, layout=layout(name, given, said_units(name))), name)


def test_columns_after_a_joint_and_a_restarted_logger(tmp_path):
    """As PlotJuggler writes the fields of a JointState."""
    drives, log = machine("delta").drives, truth("delta")
    names = [f"/joint_states/{drive.joint}/position" for drive in drives]
    names += [f"/joint_states/{drive.joint}/effort" for drive in drives]
    write(tmp_path / "log.csv", [log.time, log.coordinate, log.force], ",".join(["t", *names]), ",")
    head, *rows = (tmp_path / "log.csv").read_text().splitlines()
    (tmp_path / "log.csv").write_text("\n".join([head, *rows[:20], head, *rows[20:]]))
    read = read_log(tmp_path / "log.csv", drives)
    assert_same(read, "delta")
    assert read.faults == {"repeated_header": 1}
    write_log(tmp_path / "own.csv.gz", read, drives=drives)
    assert_same(read_log(tmp_path / "own.csv.gz", drives), "delta")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"columns": "angel=a..c"},
            "'angel' is no column.*expected t, angle_1.*did you mean 'angle'",
        ),
        ({"columns": "angle=a1..a4"}, "expected three columns, as angle=A1..A3 or angle=2..4, found 4"),
        ({"columns": "t=a,torque_2=a"}, "both 'a'"),
        ({"columns": "length=L1..L3"}, "'length' is no column"),
        ({"units": "mm"}, "'mm' is of length, which no column has; expected some of s, ms"),
        ({"units": "Nm,Nmm"}, "both of torque"),
        ({"units": "dg"}, "'dg' is unknown.*did you mean 'deg'"),
        ({"joints": "a,b,b"}, "three different names, of drives angle_1, angle_2, angle_3"),
        ({"units": "ms", "rate": 100.0}, "t counts samples"),
    ],
)
def test_options_that_cannot_be(options, message):
    with pytest.raises(SettingsError, match=message) as caught:
        layout("delta", **options)
    assert "\n" not in str(caught.value)


def test_what_is_wrong_with_a_log_is_said_with_what_would_do(tmp_path):
    path, drives = tmp_path / "log.txt", machine("delta").drives
    columns, _ = in_units("delta")
    write(path, columns, "time;A1;A2;A3;M1;M2;M3")
    with pytest.raises(LogError, match=r"perhaps --columns t=time,coordinate=A1..A3,force=M1..M3"):
        read_log(path, drives)
    given = "t=time,angle=A1..A3,torque=M1..M3"
    with pytest.raises(LogError, match=r"t=Time: no such column"):
        read_log(path, drives, layout=layout("delta", given.replace("time", "Time")))
    with pytest.raises(LogError, match=r"samples are 1 s apart.*--units ms"):
        read_log(path, drives, layout=layout("delta", given, "deg"))
    write(path, columns, "time;A1;A2;A3;M1 [N];M2;M3")
    with pytest.raises(LogError, match=r"says N, .*no unit of torque"):
        read_log(path, drives, layout=layout("delta", given.replace("M1..M3", "5..7"), "ms,deg"))
    find_layout_file(path).write_text(yaml.safe_dump({"columns": {"length": ["a", "b", "c"]}}))
    with pytest.raises((DocumentError, SettingsError), match="'length' is no column"):
        read_log(path, drives)


def test_lengths_in_millimetres_are_told_by_the_limits(tmp_path):
    log, drives = truth("mast"), machine("mast").drives
    write_log(tmp_path / "log.csv", DriveLog(log.time, 1e3 * log.coordinate, log.force), drives=drives)
    with pytest.raises(
        LogError, match=r"length_1 is about .* m, expected 0 to 0.3 m: in mm\? give --units mm"
    ):
        read_log(tmp_path / "log.csv", drives)


@pytest.mark.parametrize("kind", ["log.csv", "bag"])
def test_second_encoders_of_any_machine_are_those_that_are_asked_for(tmp_path, kind):
    document = yaml.safe_load(list_builtin_files("mechanisms")["mast_belt"].read_text())
    document["actuator"]["encoder"] = "both"
    both = read_machine(document)
    time, place = np.arange(1.0, 3.0, 0.01), np.full((200, 3), 0.1)
    log = DriveLog(time, place, np.ones((200, 3)))
    write_log(tmp_path / kind, log, motors=place + 0.01, drives=both.drives)
    for side, expected in (("load", place), ("motor", place + 0.01)):
        np.testing.assert_allclose(read_log(tmp_path / kind, with_encoder(both, side)).coordinate, expected)
    with pytest.raises(SettingsError, match="one encoder each"):
        with_encoder(machine("mast"), "motor")
