# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Numbers of drives from logs of steps and sweeps: the truth within deviations, or a verdict that says no."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import yaml

from benchmarks import drive_rig
from pkm_identification.cli import main
from pkm_identification.errors import LogError, SettingsError
from pkm_identification.exporting.formats import write_drive_numbers
from pkm_identification.identification.drives.fit import identify_drives, measure_noise
from pkm_identification.identification.drives.numbers import list_numbers, with_factors
from pkm_identification.identification.drives.response_model import ResponseModel
from pkm_identification.machines.load import load_machine
from pkm_identification.records.commanded_log import CommandedLog, read_commanded_log, write_commanded_log

ROWS = 40


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "motion", "sure"),
    [
        ("servo_reduced", "step", "oil_compliance"), ("belt", "step", "torque_constant"),
        ("screw_in_percent", "step", "force_gain"),
    ],
)  # fmt: skip
def test_drawn_numbers_are_found_within_their_deviations(kind, motion, sure):
    fit, truth = drive_rig.identify_drawn(kind, motion, seed=3)
    z = [(one.value - truth[one.number.quantity.name]) / one.deviation for one in fit.estimates]
    assert fit.fits
    assert np.max(np.abs(z)) < 3.5
    assert np.sqrt(np.mean(np.square(z))) < 2.0
    found = {one.number.quantity.name: one for one in fit.estimates}
    one = found[sure]
    assert one.status == "identified"
    assert one.deviation < 0.01 * one.value
    # the file is further off than the estimate
    assert abs(one.value / truth[sure] - 1.0) < 0.02
    assert 0.3 < one.forecast / one.deviation < 3.0
    if kind == "belt":  # both inertias turn together: their sum is known
        assert found["load_inertia"].status == "combination"
        assert found["load_inertia"].partner == "piston.motor_inertia"


@pytest.mark.slow
def test_a_response_that_the_drives_cannot_give_is_no_answer():
    random = np.random.default_rng(2)
    kind = drive_rig.KINDS["screw"]
    rig = drive_rig.build_rig(kind)
    log = drive_rig.make_log(rig, kind, "step", random)
    shaken = log.coordinate + 2e-4 * np.sin(2 * np.pi * 30.0 * log.time)[:, None]
    fit = identify_drives(replace(log, coordinate=shaken), rig, ["inertia", "viscous"])
    assert not fit.fits
    assert fit.ratio > 10


@pytest.mark.slow
def test_the_command_writes_a_file_that_simulates_the_log(tmp_path, capsys):
    random = np.random.default_rng(4)
    kind = drive_rig.KINDS["screw"]
    rig, truth = drive_rig.draw_rig(kind, random)
    log = drive_rig.make_log(rig, kind, "step", random)
    write_commanded_log(tmp_path / "log.csv", log, rig.drives)
    (tmp_path / "rig.yaml").write_text(write_drive_numbers(drive_rig.build_rig(kind), {}))
    out = tmp_path / "out"
    assert (
        main(["drive", str(tmp_path / "log.csv"), "--machine", str(tmp_path / "rig.yaml"), "--out", str(out)])
        == 0
    )
    assert "are identified" in capsys.readouterr().out
    written = yaml.safe_load((out / "machine.yaml").read_text())["actuators"][0]
    del truth["force_gain"]
    for key, value in truth.items():
        assert float(written[key]) == pytest.approx(value, rel=0.02)
    shown, _ = ResponseModel(log, load_machine(str(out / "machine.yaml"))).simulate(
        load_machine(str(out / "machine.yaml")).actuators
    )
    assert np.std(shown - log.coordinate) < 1.1 * kind.noise[0]


def still_log(kind: str = "servo") -> tuple[CommandedLog, object]:
    rig = drive_rig.build_rig(drive_rig.KINDS[kind])
    time = 1e-3 * np.arange(ROWS)
    command = np.where(time < 0.01, 0.0, 1e-3)[:, None]
    return CommandedLog(time, command, 0.9 * command, 10.0 + 0.0 * command), rig


@pytest.mark.parametrize("forces", [True, False])
def test_a_log_is_read_as_it_is_written(tmp_path, forces):
    log, rig = still_log()
    log = log if forces else replace(log, force=None)
    write_commanded_log(tmp_path / "log.csv", log, rig.drives)
    again = read_commanded_log(tmp_path / "log.csv", rig.drives)
    for name in ("time", "command", "coordinate"):
        np.testing.assert_array_equal(getattr(again, name), getattr(log, name))
    assert (again.force is None) == (not forces)


def test_what_is_of_no_use_is_refused_with_its_reason(tmp_path):
    log, rig = still_log()
    path = tmp_path / "log.csv"
    short = CommandedLog(log.time[:5], log.command[:5], log.coordinate[:5], None)
    cases = {
        "only 5 samples": short,
        "no drive is commanded to move": replace(log, command=0.0 * log.command),
        "at standstill": replace(log, command=np.arange(ROWS)[:, None] * 1e-4),
        "not finite": replace(log, coordinate=np.where(log.time[:, None] > 0.02, np.nan, log.coordinate)),
    }
    for words, one in cases.items():
        write_commanded_log(path, one, rig.drives)
        with pytest.raises(LogError, match=words):
            read_commanded_log(path, rig.drives)
    path.write_text("t,piston\n" + "".join(f"{k},{k}\n" for k in range(30)))
    with pytest.raises(LogError, match="no column command_piston"):
        read_commanded_log(path, rig.drives)
    uneven = replace(log, time=log.time + 4e-4 * (np.arange(ROWS) % 2))
    with pytest.raises(LogError, match="even clock"):
        ResponseModel(uneven, rig)


def test_numbers_are_chosen_and_changed_by_their_keys():
    rig = drive_rig.build_rig(drive_rig.KINDS["servo"])
    numbers = list_numbers(rig.actuators, ["piston"], [True])
    names = [one.quantity.name for one in numbers]
    assert "oil_compliance" in names
    assert "current_limit" not in names
    changed = with_factors(rig.actuators, numbers[:1], [2.0])[0]
    assert changed.loop.gain == 2.0 * rig.actuators[0].loop.gain
    assert [one.name for one in list_numbers(rig.actuators, ["piston"], [True], ["viscous"])] == [
        "piston.viscous"
    ]
    with pytest.raises(SettingsError, match="did you mean 'viscous'"):
        list_numbers(rig.actuators, ["piston"], [True], ["viscos"])
    with pytest.raises(SettingsError, match="no number"):
        list_numbers(rig.actuators, ["piston"], [False])


def test_noise_is_read_beside_a_step():
    random = np.random.default_rng(0)
    channel = 1e-5 * random.normal(size=(2000, 1)) + np.where(np.arange(2000) > 900, 1e-3, 0.0)[:, None]
    assert measure_noise([channel], ["m"])[0, 0] == pytest.approx(1e-5, rel=0.1)


def test_machines_without_actuators_say_so(tmp_path, capsys):
    path = tmp_path / "log.csv"
    path.write_text("t\n0\n")
    assert main(["drive", str(path), "--machine", "mast"]) == 2
    assert "needs drives with actuators" in capsys.readouterr().err
