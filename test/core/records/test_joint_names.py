# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""`joint_names` of the machine file: one meaning for recordings, columns, messages that are written, and URDF."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from core.records.made_log import assert_same

from pkm_identification.errors import LogError, MachineError
from pkm_identification.exporting.formats import format_machine_text
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import STRUT_NAMES, DriveLog
from pkm_identification.records.foreign import LogLayout
from pkm_identification.records.log import read_log, write_log

LEGS = ("leg_c", "leg_a", "axis/3", "leg_b", "leg_f", "leg_e")
ROWS = 30


@pytest.fixture(scope="module")
def legs() -> Machine:
    return Machine.from_document(Machine.load("uf").document | {"joint_names": list(LEGS)})


@pytest.fixture(scope="module")
def truth() -> DriveLog:
    rng = np.random.default_rng(7)
    length = np.round(rng.uniform(0.35, 0.45, (ROWS, 6)), 6)
    return DriveLog(1.0 + np.arange(ROWS) / 1000, length, np.round(rng.normal(0, 300, (ROWS, 6)), 3))


def columns(truth: DriveLog, length: str, force: str, time: str = "t", delimiter: str = ",") -> str:
    """The log as text whose columns stand by name, in the order of the alphabet."""
    table = {time: truth.time}
    for i, name in enumerate(LEGS):
        table |= {length.format(name): truth.length[:, i], force.format(name): truth.force[:, i]}
    names = sorted(table)
    rows = zip(*(table[name].tolist() for name in names), strict=True)
    return "\n".join([delimiter.join(names), *(delimiter.join(map(repr, row)) for row in rows)]) + "\n"


def test_a_file_without_names_has_ours_and_every_bad_list_is_refused(legs):
    document = Machine.load("uf").document
    assert Machine.load("uf").joint_names == STRUT_NAMES
    assert legs.joint_names == LEGS
    for bad in (
        "leg",
        [*LEGS[:5]],
        [*LEGS[:5], "leg_a"],
        [*LEGS[:5], 6],
        [*LEGS[:5], "leg g"],
        [*LEGS[:5], ""],
    ):
        with pytest.raises(MachineError, match="joint_names"):
            Machine.from_document(document | {"joint_names": bad})


@pytest.mark.parametrize("storage", ["sqlite3", "mcap"])
def test_recordings_are_written_and_read_by_the_names(tmp_path, truth, legs, storage):
    path = tmp_path / "bag"
    write_log(path, truth, storage, struts=legs.joint_names)
    log = read_log(path, legs)
    faults = log.faults
    assert_same(log, truth)
    assert not faults
    # what is said of the log itself goes before the machine file
    other = replace(legs, joint_names=STRUT_NAMES)
    assert_same(read_log(path, other, layout=LogLayout(joints=LEGS)), truth)
    with pytest.raises(LogError) as refused:
        read_log(path, other)
    for said in ("strut_1 is missing", *LEGS, "joint_names"):
        assert said in str(refused.value)


@pytest.mark.parametrize(
    ("length", "force"),
    [
        ("length_{}", "force_{}"),
        # as PlotJuggler writes the fields of a JointState
        ("/joint_states/{}/position", "/joint_states/{}/effort"),
        ("{}/position", "{}/effort"),
    ],
)
@pytest.mark.parametrize("delimiter", [",", ";"])
def test_columns_may_be_called_after_the_joints(tmp_path, truth, legs, length, force, delimiter):
    path = tmp_path / "log.csv"
    path.write_text(columns(truth, length, force, delimiter=delimiter))
    assert_same(read_log(path, legs), truth)
    with pytest.raises(LogError, match=re.escape(length.format("leg_f"))):
        read_log(path, Machine.load("uf"))


def test_the_time_of_such_a_log_may_be_named(tmp_path, truth, legs):
    path = tmp_path / "plotjuggler.csv"
    path.write_text(columns(truth, "/joint_states/{}/position", "/joint_states/{}/effort", "__time"))
    assert_same(read_log(path, legs, layout=LogLayout({"t": "__time"})), truth)


def test_our_own_names_go_first_and_two_topics_are_not_guessed(tmp_path, truth, legs):
    path = tmp_path / "log.csv"
    own = columns(truth, "length_{}", "force_{}").splitlines()
    double = [f"{row},{'length_1' if k == 0 else 0.5}" for k, row in enumerate(own)]
    path.write_text("\n".join(double) + "\n")
    assert read_log(path, legs).length[0, 0] == 0.5
    two = [f"{row},{'/other/leg_a/position' if k == 0 else 0.5}" for k, row in enumerate(own)]
    path.write_text("\n".join(two) + "\n")
    with pytest.raises(LogError, match="no column length_2"):
        read_log(path, legs)


def test_the_urdf_has_the_names_and_no_other_joint_may_have_one(legs):
    slides = re.findall(r'<joint name="([^"]+)" type="prismatic"', format_machine_text(legs, "urdf"))
    assert slides == list(LEGS)
    for taken in ("base_1", "base_1_1", "platform_1_roll"):
        with pytest.raises(MachineError, match=f"'{taken}'.*another joint of the tree"):
            format_machine_text(replace(legs, joint_names=(taken, *LEGS[1:])), "urdf")
