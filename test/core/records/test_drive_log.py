# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Logs of a mechanism's drives: the same in every kind of file, and one line for what cannot be read."""

from __future__ import annotations

import gzip

import numpy as np
import pytest
from scipy.io import savemat

from pkm_identification.errors import LogError
from pkm_identification.machines.contract import Drive
from pkm_identification.records.bags.writer import BagWriter
from pkm_identification.records.interfaces import typestore
from pkm_identification.records.joint_state import JOINT_STATE
from pkm_identification.records.log import read_log
from pkm_identification.signals.steady_period import period_of_stamps

DRIVES, FORCES = ("slide_1", "slide_2", "turn"), ("force_1", "force_2", "torque")
MACHINE = tuple(
    Drive(name, name, unit, force)
    for name, unit, force in zip(DRIVES, ("m", "m", "rad"), FORCES, strict=True)
)
TIME = 0.01 * np.arange(40)
PLACE = np.sin(TIME[:, None] + np.arange(3.0))
PULL = 10.0 * np.cos(TIME[:, None] - np.arange(3.0))
COLUMNS = {
    "t": TIME,
    **dict(zip(DRIVES, PLACE.T, strict=True)),
    **dict(zip(FORCES, PULL.T, strict=True)),
}


def text():
    rows = np.column_stack(list(COLUMNS.values()))
    lines = [",".join(f"{value:.17g}" for value in row) for row in rows]
    return "\n".join([",".join(COLUMNS), *lines]) + "\n"


def message(row, names=DRIVES, effort=True):
    types = typestore().types
    stamp = types["builtin_interfaces/msg/Time"](sec=1, nanosec=round(1e9 * TIME[row]))
    made = types[JOINT_STATE](
        header=types["std_msgs/msg/Header"](stamp=stamp, frame_id=""),
        name=["other", *reversed(names)],
        position=np.append(9.0, PLACE[row, ::-1][: len(names)]),
        velocity=np.zeros(0),
        effort=np.append(9.0, PULL[row, ::-1][: len(names)]) if effort else np.zeros(0),
    )
    return bytes(typestore().serialize_cdr(made, JOINT_STATE))


def bag(path, topics, **options):
    with BagWriter(path, "mcap" if path.name.endswith("m") else "sqlite3") as writer:
        for topic in topics:
            writer.add_topic(topic, JOINT_STATE)
            for row in range(len(TIME)):
                writer.write(topic, JOINT_STATE, message(row, **options), round(1e9 * (1 + TIME[row])))
    return path


def parquet(path):
    pyarrow = pytest.importorskip("pyarrow")
    pytest.importorskip("pyarrow.parquet").write_table(pyarrow.table(COLUMNS), path)


def hdf5(path):
    with pytest.importorskip("h5py").File(path, "w") as file:
        for name, values in COLUMNS.items():
            file[name] = values


@pytest.mark.parametrize(
    ("name", "write"),
    [
        ("log.csv", lambda path: path.write_text(text())),
        ("log.csv.gz", lambda path: path.write_bytes(gzip.compress(text().encode()))),
        ("log.mat", lambda path: savemat(path, COLUMNS)),
        ("log.parquet", parquet),
        ("log.h5", hdf5),
        ("recording", lambda path: bag(path, ["/cell/joint_states"])),
        ("recording_m", lambda path: bag(path, ["/joint_states"])),
    ],
)
def test_every_kind_of_file_has_the_same_log(tmp_path, name, write):
    path = tmp_path / name
    write(path)
    log = read_log(path, MACHINE)
    np.testing.assert_allclose(log.time - log.time[0], TIME, atol=1e-6)
    np.testing.assert_allclose(log.coordinate, PLACE, rtol=1e-15)
    np.testing.assert_allclose(log.force, PULL, rtol=1e-15)
    assert period_of_stamps(log.time, 0.01) == pytest.approx(0.01)


def refusal(path, topic=None):
    with pytest.raises(LogError) as caught:
        read_log(path, MACHINE, topic)
    (line,) = str(caught.value).splitlines()
    return line


def test_of_several_topics_with_the_joints_one_must_be_named(tmp_path):
    path = bag(tmp_path / "two", ["/left/joint_states", "/right/joint_states"])
    assert "/left/joint_states, /right/joint_states have the joints" in refusal(path)
    assert len(read_log(path, MACHINE, "/left/joint_states")) == len(TIME)
    assert "no topic /middle" in refusal(path, "/middle")


def test_recordings_without_what_is_needed_are_refused(tmp_path):
    assert "has the joints slide_1, slide_2, turn" in refusal(
        bag(tmp_path / "names", ["/joint_states"], names=DRIVES[:2])
    )
    bag(tmp_path / "effort", ["/joint_states"], effort=False)
    assert read_log(tmp_path / "effort", MACHINE).force is None


def test_arrays_without_what_is_needed_are_refused(tmp_path):
    missing, broken = tmp_path / "missing.mat", tmp_path / "broken.mat"
    savemat(missing, {name: values for name, values in COLUMNS.items() if name != "torque"})
    assert "no column torque; expected t,slide_1" in refusal(missing)
    assert "--topic is for recordings" in refusal(missing, "/joint_states")
    # what single samples lack is for the input validation
    savemat(broken, COLUMNS | {"slide_2": np.where(np.arange(len(TIME)) == 4, np.nan, PLACE[:, 1])})
    log = read_log(broken, MACHINE)
    assert np.flatnonzero(~np.isfinite(log.coordinate).all(axis=1)).tolist() == [4]


IN_UNITS = {"t": ("ms", 1e-3), "slide_1": ("mm", 1e-3), "turn": ("deg", np.pi / 180), "force_1": ("kN", 1e3)}


def foreign_text(below):
    """Columns the other way round, decimal commas, a comment, units in brackets or in a line of their own."""
    names, rows = list(reversed(COLUMNS)), []
    for row in np.column_stack([COLUMNS[name] / IN_UNITS.get(name, ("", 1.0))[1] for name in names]):
        rows.append(";".join(f"{value:.17g}".replace(".", ",") for value in row))
    units = [IN_UNITS.get(name, ("", 1.0))[0] for name in names]
    full = [
        f"{name} [{unit}]" if unit and not below else name for name, unit in zip(names, units, strict=True)
    ]
    head = ["# of a logger", ";".join(full)] + ([";".join(unit or "-" for unit in units)] if below else [])
    return "\n".join([*head, *rows]) + "\n"


@pytest.mark.parametrize("below", [False, True])
@pytest.mark.parametrize("commas", [False, True])
def test_text_of_other_programs_is_read_in_the_units_it_states(below, commas, tmp_path):
    """Commas divide the columns too, and nothing but units tells it from our own."""
    path, text = tmp_path / "log.txt", foreign_text(below)
    path.write_text(text.replace(",", ".").replace(";", ",").partition("\n")[2] if commas else text)
    log = read_log(path, MACHINE)
    np.testing.assert_allclose(log.time, TIME, rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(log.coordinate, PLACE, rtol=1e-12)
    np.testing.assert_allclose(log.force, PULL, rtol=1e-12)
    assert log.faults == {}


def test_lines_that_are_left_out_of_such_a_text_are_counted(tmp_path):
    path, (comment, header, *rows) = tmp_path / "log.txt", foreign_text(False).splitlines()
    path.write_text("\n".join([comment, header, *rows[:20], "overrun", header, *rows[20:]]) + "\n")
    log = read_log(path, MACHINE)
    assert log.faults == {"overrun": 1, "repeated_header": 1}
    np.testing.assert_allclose(log.force, PULL, rtol=1e-12)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("[kN]", "[lbs]", r"column 'force_1 \[lbs\]' says lbs, .*expected one of N, kN"),
        ("slide_2", "slide_3", r"found the columns torque, .*no column slide_2; expected"),
        ("slide_2", "torque", r"no column slide_2"),
        ("turn [deg]", "force_2 [kN]", r"no column turn"),
        ("[ms]", "[kN]", r"column 't \[kN\]' says kN, .*expected one of s, ms"),
    ],
)
def test_what_such_a_text_does_not_say_is_one_line(old, new, message, tmp_path):
    path = tmp_path / "log.txt"
    path.write_text(foreign_text(False).replace(old, new))
    with pytest.raises(LogError, match=message) as caught:
        read_log(path, MACHINE)
    assert "\n" not in str(caught.value)


def test_stamps_that_are_rounded_have_the_period_they_have_on_average(tmp_path):
    """8 % of a period off: all steps but few are .012 s, though samples come every .0121 s."""
    time = np.round(0.0121 * np.arange(400), 3)
    path = tmp_path / "log.csv"
    wave = np.sin(time[:, None] + np.arange(6.0))
    np.savetxt(path, np.column_stack([time, wave]), delimiter=",", header=",".join(COLUMNS), comments="")
    assert period_of_stamps(read_log(path, MACHINE).time, 0.012) == pytest.approx(0.0121, rel=1e-4)


def test_unsorted_rows_are_named(tmp_path):
    path = tmp_path / "log.csv"
    head, *rows = text().splitlines()
    path.write_text("\n".join([head, *(rows[i] for i in np.random.default_rng(0).permutation(len(rows)))]))
    with pytest.raises(LogError, match="order of time"):
        read_log(path, MACHINE)


def test_a_column_of_time_is_read_as_the_time(tmp_path):
    log = tmp_path / "log.csv"
    log.write_text(text().replace("t,", "time,", 1))
    np.testing.assert_allclose(read_log(log, MACHINE).time, TIME)
