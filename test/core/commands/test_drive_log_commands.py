# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""pkm identify, check and import of logs of drives: other units and names make no difference; exit codes and words."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
import yaml
from core.machines.every_machine import WRITTEN
from core.records.made_log import write_joint_bag

from pkm_identification.cli import main
from pkm_identification.machines.load import load_machine
from pkm_identification.mechanisms.builtin import list_builtin_files
from pkm_identification.mechanisms.multibody import dynamics
from pkm_identification.motion import DriveLog
from pkm_identification.records.log import read_log, write_log
from pkm_identification.simulation.multibody.motions import generate_motion

MACHINES = ("five_bar", "mast")
UNITS = {"m": ("mm", 1e3), "rad": ("deg", 180 / np.pi), "N": ("kN", 1e-3), "N m": ("Nmm", 1e3)}
PERIOD, DURATION = 2e-3, 8.0  # s


def make(folder, name: str):
    """Write a machine's file with friction and a log of it with 1 % noise; return machine, its path and the log."""
    built_in = list_builtin_files("mechanisms")
    document = yaml.safe_load(built_in[name].read_text()) if name in built_in else WRITTEN[name]()
    count = len(document["drives"])
    document["friction"] = {"viscous": ["2"] * count, "coulomb": ["3"] * count}
    path = folder / f"{name}.yaml"
    path.write_text(yaml.safe_dump(document, sort_keys=False))
    machine = load_machine(path)
    return machine, path, record(machine, np.arange(0.0, DURATION, PERIOD))


def record(machine, time: np.ndarray) -> DriveLog:
    """Return a log of a motion sampled at these stamps, forces with 1 % noise."""
    moved = generate_motion("rich", machine.mechanism, DURATION)
    force = dynamics.forces(machine.mechanism, moved.motion(machine.mechanism, time))
    noise = 0.01 * np.sqrt(np.mean(force**2, axis=0))
    force = force + noise * np.random.default_rng(1).standard_normal(force.shape)
    return DriveLog(time, moved.drives(time)[0], force)


@pytest.fixture(scope="module", params=MACHINES)
def made(request, tmp_path_factory):
    return make(tmp_path_factory.mktemp("machine"), request.param)


@pytest.fixture(scope="module")
def five_bar(tmp_path_factory):
    return make(tmp_path_factory.mktemp("five_bar"), "five_bar")


def values(path) -> tuple[np.ndarray, np.ndarray]:
    entries = json.loads(path.read_text())["parameters"]
    shown = [entry for entry in entries if entry["value"] is not None]
    return np.array([entry["value"] for entry in shown]), np.array([entry["std"] for entry in shown])


@pytest.mark.slow
def test_other_units_names_and_bags_give_the_same_estimate(made, tmp_path, capsys):
    machine, path, log = made
    drives, count = machine.drives, len(machine.drives)
    write_log(tmp_path / "log.csv", log, drives=drives)
    place = log.coordinate * [UNITS[drive.unit][1] for drive in drives]
    force = log.force * [UNITS[drive.force_unit][1] for drive in drives]
    units = ",".join(dict.fromkeys(UNITS[one][0] for d in drives for one in (d.unit, d.force_unit)))
    names = ["Zeit", *(f"q{i + 1}" for i in range(count)), *(f"F{i + 1}" for i in range(count))]
    table = np.column_stack([1e3 * log.time, place, force])
    np.savetxt(
        tmp_path / "foreign.txt", table, fmt="%.17g", delimiter=";", header=";".join(names), comments=""
    )
    joints = [f"axis_{i}" for i in range(count)]
    write_joint_bag(tmp_path / "bag", ["/left", "/right"], joints, log.time, place, force)
    ways = {
        "log.csv": [],
        "foreign.txt": [
            "--columns", f"t=Zeit,coordinate=q1..q{count},force=F1..F{count}", "--units", f"ms,{units}"
        ],
        "bag": ["--topic", "/right", "--joints", ",".join(joints), "--units", units],
    }  # fmt: skip
    found, checked = [], []
    for name, options in ways.items():
        given = [str(tmp_path / name), "--machine", str(path), *options]
        # what is imported is equal to 1e-12: each command reads some of the ways itself
        if name != "foreign.txt":
            assert main(["identify", *given, "--estimator", "ls", "--json", str(tmp_path / "e.json")]) == 0
            found.append(values(tmp_path / "e.json"))
        if name != "log.csv":
            assert main(["check", *given, "--json", str(tmp_path / "c.json")]) == 0
            checked.append(json.loads((tmp_path / "c.json").read_text()))
        imported = tmp_path / f"{name}.imported.csv"
        assert main(["import", *given[:1], str(imported), *given[1:]]) == 0
        again = read_log(imported, drives)
        np.testing.assert_allclose(again.coordinate, log.coordinate, rtol=1e-12, atol=1e-15)
        np.testing.assert_allclose(again.force, log.force, rtol=1e-12, atol=1e-12)
    capsys.readouterr()
    for value, _ in found[1:]:
        # stamps of the bag are whole nanoseconds, 1 s later
        assert np.abs((value - found[0][0]) / found[0][1]).max() < 1e-4
    for one in checked:
        assert one["drives"] == [drive.name for drive in drives]
        assert one["usable"]
        assert one["fit"]["adequate"]
        assert one["faults"] == {}
        assert one["rate"] == pytest.approx(1 / PERIOD)
        np.testing.assert_allclose(
            one["coordinate_range"], np.stack([log.coordinate.min(0), log.coordinate.max(0)], 1)
        )


def run(command, machine, path, log, folder, capsys, *options):
    """Write a log, run a command of it, and return exit code, stdout and stderr."""
    write_log(folder / "log.csv", log, drives=machine.drives)
    out = [str(folder / "out.csv")] if command == "import" else []
    code = main([command, str(folder / "log.csv"), *out, "--machine", str(path), *options])
    said = capsys.readouterr()
    return code, said.out, said.err


@pytest.mark.slow
def test_the_check_finds_what_is_wrong_with_a_log(five_bar, tmp_path, capsys):
    machine, path, log = five_bar
    drive, force = log.coordinate.copy(), log.force.copy()
    drive[500, 1] += 0.5
    force[800, 0] = np.nan
    rows = np.delete(np.arange(len(log)), [1200, *range(2000, 2300)])
    rows = np.insert(rows, 1000, rows[999])
    damaged = DriveLog(log.time[rows], drive[rows], force[rows])
    code, out, _ = run("check", machine, path, damaged, tmp_path, capsys, "--json", "-")
    document = json.loads(out)
    assert code == 0
    assert document["faults"] == {"missing": 1, "not_finite": 1, "duplicate": 1, "spike": 1, "gap": 1}
    assert document["segments"] == 2
    assert document["usable_samples"] == len(damaged) - 3
    assert re.search(r": [1-9]\d* of \d+ ", document["verdict"])
    code, out, _ = run("check", machine, path, damaged, tmp_path, capsys)
    assert code == 0
    for word in ("spike", "not_finite", "gap", "standstill %", "The model fits", "limits: "):
        assert word in out


@pytest.mark.slow
def test_standstill_is_a_share_of_each_drive(five_bar, tmp_path, capsys):
    machine, path, log = five_bar
    drive, force = log.coordinate.copy(), log.force.copy()
    half = len(log) // 2
    # the second drive stands for half of the time; its force is not asked then
    drive[half:, 1] = drive[half, 1]
    time, place = log.time, drive
    document = json.loads(
        run("check", machine, path, DriveLog(time, place, force), tmp_path, capsys, "--json", "-")[1]
    )
    assert document["standstill"][0] < 0.1
    assert document["standstill"][1] == pytest.approx(0.5, abs=0.1)


@pytest.mark.slow
def test_samples_between_uneven_stamps_are_said(five_bar, tmp_path, capsys):
    machine, path, _ = five_bar
    time = np.arange(0.0, DURATION, 1e-3)
    time += np.random.default_rng(5).uniform(0.0, 4e-4, len(time))
    code, out, _ = run("check", machine, path, record(machine, time), tmp_path, capsys)
    assert code == 0
    assert "even clock" in out


def unusable(log: DriveLog) -> dict[str, tuple[DriveLog, str]]:
    """Logs that nothing can be used of, and what is said of them."""
    still = np.repeat(log.coordinate[:1], len(log), axis=0)
    return {
        "short": (
            DriveLog(log.time[:60], log.coordinate[:60], log.force[:60]),
            "a longer uninterrupted log is needed",
        ),
        "still": (DriveLog(log.time, still, log.force), "stand still"),
        "far": (DriveLog(log.time, log.coordinate + 9.0, log.force), "out of reach of"),
    }


def bad(log: DriveLog) -> dict[str, tuple[DriveLog, str]]:
    """Logs that are no input, and what is said of them."""
    order = np.random.default_rng(0).permutation(len(log))
    return {
        "zero": (DriveLog(log.time, log.coordinate, 0.0 * log.force), "all forces are 0"),
        "silent": (DriveLog(log.time, log.coordinate, log.force * [1.0, 0.0]), "0 throughout"),
        "copies": (DriveLog(log.time, log.coordinate[:, [0, 0]], log.force), "copies of one"),
        "sums": (
            DriveLog(log.time, log.coordinate, log.force @ np.ones((2, 2))),
            "are the same in every sample",
        ),
        "unsorted": (
            DriveLog(log.time[order], log.coordinate[order], log.force[order]),
            "not in the order of time",
        ),
        "unsigned": (DriveLog(log.time, log.coordinate, np.abs(log.force)), "forces are unsigned"),
        "seconds": (DriveLog(1e3 * log.time, log.coordinate, log.force), "--units ms"),
    }


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["short", "still", "far"])
def test_what_nothing_can_be_used_of_is_1(kind, five_bar, tmp_path, capsys):
    machine, path, log = five_bar
    log, words = unusable(log)[kind]
    code, out, error = run("check", machine, path, log, tmp_path, capsys)
    assert code == 1
    assert "not usable for identification" in out
    assert words in error.splitlines()[-1]


@pytest.mark.parametrize("kind", ["zero", "silent", "copies", "sums", "unsorted", "unsigned", "seconds"])
def test_what_is_no_input_is_2_in_one_line(kind, five_bar, tmp_path, capsys):
    machine, path, log = five_bar
    log, words = bad(log)[kind]
    for command in ("check", "identify"):
        code, out, error = run(command, machine, path, log, tmp_path, capsys)
        assert (code, out) == (2, "")
        assert words in error
        assert error.count("\n") == 1


@pytest.mark.parametrize("command", ["check", "import"])
def test_options_that_make_no_sense_are_2(command, five_bar, tmp_path, capsys):
    machine, path, log = five_bar
    for options, words in (
        (["--units", "kN"], "is of force, which no column has"),
        (["--columns", "length=a..b"], "'length' is no column"),
        (["--columns", "t=a"], "t=a: no such column"),
        (["--joints", "a,b"], "names the joints of a recording"),
        (["--topic", "/a"], "--topic is for recordings"),
        (["--rate", "-1"], "--rate -1"),
    ):
        code, _, error = run(command, machine, path, log, tmp_path, capsys, *options)
        assert code == 2
        assert words in error
        assert error.count("\n") == 1
        assert not (tmp_path / "out.csv").exists()


@pytest.mark.slow
def test_drives_that_move_alike_with_forces_that_are_alike_are_no_copies(five_bar, tmp_path, capsys):
    """A symmetric machine does so where it is simulated."""
    machine, path, log = five_bar
    force = log.force[:, [0, 0]] + np.random.default_rng(3).normal(0.0, 1e-3, (len(log), 2))
    code, _, error = run(
        "check", machine, path, DriveLog(log.time, log.coordinate[:, [0, 0]], force), tmp_path, capsys
    )
    assert code in (0, 1)
    assert "copies" not in error
