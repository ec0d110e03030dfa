# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""pkm simulate of mechanisms: the log a table with the description's names."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pkm_identification.cli import main
from pkm_identification.machines.load import load_machine
from pkm_identification.mechanisms.multibody import dynamics
from pkm_identification.mechanisms.multibody.mechanism import Mechanism
from pkm_identification.mechanisms.multibody.series import compute_series_motion
from pkm_identification.records.log import read_log
from pkm_identification.simulation.motion_file import format_motion_text
from pkm_identification.simulation.multibody.motions import generate_motion


def simulate(machine: str, out: Path, *more: str) -> int:
    return main(["simulate", "--machine", machine, "--out", str(out), *more])


def read(path: Path) -> tuple[list[str], np.ndarray]:
    header = path.read_text().splitlines()[0].split(",")
    return header, np.loadtxt(path, delimiter=",", skiprows=1)


def test_the_log_has_the_names_of_the_description(tmp_path, capsys):
    options = ("--trajectory", "rest", "--duration", "0.1")
    assert simulate("mast", tmp_path / "a.csv", *options, "--perfect") == 0
    assert "101 samples of 'rest'" in capsys.readouterr().err
    header, rows = read(tmp_path / "a.csv")
    assert header == ["t", "length_1", "length_2", "length_3", "force_1", "force_2", "force_3"]
    np.testing.assert_allclose(rows[:, 0], np.arange(101) * 1e-3)
    np.testing.assert_allclose(rows[:, 4:].sum(axis=1), 22.2687, atol=1e-6)
    for name, seed in (("b", "1"), ("c", "1"), ("d", "2")):
        assert simulate("mast", tmp_path / f"{name}.csv", *options, "--seed", seed) == 0
    same, again, other = (read(tmp_path / f"{name}.csv")[1] for name in "bcd")
    np.testing.assert_array_equal(same, again)
    assert np.abs(same - other).max() > 0.01


@pytest.mark.slow
def test_a_motion_file_is_followed(tmp_path, capsys):
    made = Mechanism.load("mast")
    file = tmp_path / "motion.yaml"
    file.write_text(
        format_motion_text(made, generate_motion("rich", made, 2.0).signal.scale(0.5), 2.0, "a test")
    )
    log = tmp_path / "log.csv"
    assert simulate("mast", log, "--trajectory", str(file), "--perfect") == 0
    _, rows = read(log)
    wanted = generate_motion(str(file), made).drives(rows[:, 0])[0]
    reach = np.abs(wanted - wanted[0]).max()
    assert reach > 0.01
    np.testing.assert_allclose(rows[:, 1:4], wanted, atol=0.02 * reach)
    file.write_text(file.read_text().partition("end:")[0])
    capsys.readouterr()
    assert simulate("mast", tmp_path / "other.csv", "--trajectory", str(file)) == 2
    assert "key 'end' is missing" in capsys.readouterr().err


@pytest.mark.slow
def test_without_a_trajectory_the_descriptions_own_motion_is_taken(tmp_path):
    assert simulate("four-bar", tmp_path / "log.csv.gz", "--perfect") == 0
    assert simulate("four-bar", tmp_path / "log.csv", "--perfect") == 0
    header, rows = read(tmp_path / "log.csv")
    assert header == ["t", "q", "torque"]
    made = Mechanism.load("four-bar")
    motion = compute_series_motion(made)
    expected = np.column_stack([motion.drive[:, 0], dynamics.forces(made, motion)[:, 0]])
    np.testing.assert_allclose(rows[:1000:25, 1:], expected, rtol=0.02, atol=0.02 * np.abs(expected).max())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--trajectory", "xy"], "needs a hexapod"),
        (["--trajectory", "rest", "--payload", "1,-2"], "mass = -2 kg"),
        (["--trajectory", "rest", "--fault", "geometry_2=0.001"], "needs a hexapod"),
        (["--trajectory", "rest", "--fault", "force_gain_4=1.1"], "N from 1 to 3"),
        (["--trajectory", "rest", "--fault", "exchanged_struts=1-4"], "213"),
        (["--trajectory", "rest", "--fault", "friction_stribeck=0.5"], "no Coulomb friction"),
        ([], "has no 'motion'"),
    ],
)
def test_what_a_mechanism_has_not_is_refused(options, message, tmp_path, capsys):
    assert simulate("mast", tmp_path / "log.csv", *options) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_a_bag_holds_what_the_table_does(tmp_path):
    options = ("--trajectory", "rest", "--duration", "0.1")
    assert simulate("mast", tmp_path / "bag", *options) == 0
    assert simulate("mast", tmp_path / "log.csv", *options) == 0
    drives = load_machine("mast").drives
    bag, table = (read_log(tmp_path / name, drives) for name in ("bag", "log.csv"))
    np.testing.assert_allclose(bag.coordinate, table.coordinate, atol=1e-12)
    np.testing.assert_allclose(bag.force, table.force, atol=1e-9)
    np.testing.assert_allclose(bag.time - bag.time[0], table.time - table.time[0], atol=1e-9)


def test_hexapods_without_a_trajectory_are_refused(tmp_path, capsys):
    assert simulate("uf", tmp_path / "log.csv") == 2
    assert "give one of x, z, xy, rich" in capsys.readouterr().err
