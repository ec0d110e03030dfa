# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""pkm inverse, forward, forces and mechanism with a mechanism where a machine is taken."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from pkm_identification.cli import main
from pkm_identification.mechanisms.multibody.mechanism import builtin_mechanisms


def write(path: Path, header: str, rows: list[list[float]]) -> str:
    lines = [header, *(",".join(repr(float(x)) for x in row) for row in rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


def columns(path: Path) -> tuple[list[str], list[list[str]]]:
    lines = path.read_text(encoding="utf-8").splitlines()
    return lines[0].split(","), [line.split(",") for line in lines[1:]]


def run(*arguments: str | Path) -> int:
    return main([str(argument) for argument in arguments])


POSES = [[0.45, np.radians(10), np.radians(-8)], [0.38, np.radians(-15), np.radians(12)]]


def test_heights_of_poses_and_poses_of_heights(tmp_path):
    poses = write(tmp_path / "poses.csv", "z,psi,theta", POSES)
    assert run("inverse", "--machine", "mast", "--in", poses, "--out", tmp_path / "heights.csv") == 0
    names, rows = columns(tmp_path / "heights.csv")
    assert names == ["length_1", "length_2", "length_3"]
    np.testing.assert_allclose(
        np.array(rows[0], dtype=float), [0.24262523, 0.25613815, 0.14875672], atol=1e-7
    )
    assert (
        run("forward", "--machine", "mast", "--in", tmp_path / "heights.csv", "--out", tmp_path / "back.csv")
        == 0
    )
    names, rows = columns(tmp_path / "back.csv")
    assert names == ["z", "psi", "theta", "status"]
    assert [row[3] for row in rows] == ["ok", "ok"]
    np.testing.assert_allclose(np.array([row[:3] for row in rows], dtype=float), POSES, atol=1e-10)


def test_a_pose_out_of_reach_is_refused_with_row_and_bar(tmp_path, capsys):
    poses = write(tmp_path / "poses.csv", "z,psi,theta", [POSES[0], [0.4, 1.2, 0.0]])
    assert run("inverse", "--machine", "mast", "--in", poses, "--out", tmp_path / "out.csv") == 2
    message = capsys.readouterr().err.strip()
    assert "row 2" in message
    assert "bar 2 does not reach: |cos gamma_2| = 1.05" in message
    assert "\n" not in message
    assert not (tmp_path / "out.csv").exists()


def test_forces_of_a_motion_at_rest_carry_the_weight(tmp_path):
    header = "t,z,psi,theta,z_rate,psi_rate,theta_rate,z_acceleration,psi_acceleration,theta_acceleration"
    motion = write(tmp_path / "motion.csv", header, [[k, *pose, *[0] * 6] for k, pose in enumerate(POSES)])
    assert run("forces", "--machine", "mast", "--in", motion, "--out", tmp_path / "forces.csv") == 0
    names, rows = columns(tmp_path / "forces.csv")
    assert names == ["t", "force_1", "force_2", "force_3"]
    np.testing.assert_allclose(np.array(rows, dtype=float)[:, 1:].sum(axis=1), 22.2687, atol=1e-9)


DERIVATIVES = [f"length_{i}_{what}" for what in ("rate", "acceleration") for i in (1, 2, 3)]


@pytest.mark.parametrize(
    ("place", "values"),
    [
        (["z", "psi", "theta"], POSES[0]),
        (["length_1", "length_2", "length_3"], [0.242625230, 0.256138146, 0.148756722]),
    ],
)
def test_forces_of_heights_that_move_have_the_numbers_of_the_text(tmp_path, place, values):
    """rho' and rho'' are the sliders', wherever the pose is given."""
    header = ",".join([*place, *DERIVATIVES])
    motion = write(tmp_path / "motion.csv", header, [[*values, 0.1, 0.2, -0.05, 1, -0.5, 2]])
    assert run("forces", "--machine", "mast", "--in", motion, "--out", tmp_path / "forces.csv") == 0
    _, rows = columns(tmp_path / "forces.csv")
    np.testing.assert_allclose(np.array(rows[0], dtype=float), [12.359677, -0.618205, 13.826675], atol=1e-5)


def test_a_motion_without_derivatives_is_refused(tmp_path, capsys):
    motion = write(tmp_path / "motion.csv", "z,psi,theta,length_1_rate", [[*POSES[0], 0.1]])
    assert run("forces", "--machine", "mast", "--in", motion, "--out", tmp_path / "forces.csv") == 2
    error = capsys.readouterr().err.strip()
    assert "no column z_rate" in error
    assert " or length_1_rate" in error
    assert "\n" not in error


def test_a_height_that_no_pose_has_fails_in_its_row(tmp_path):
    heights = write(
        tmp_path / "heights.csv", "length_1,length_2,length_3", [[0.14, 0.14, 0.14], [0.0, 0.3, 0.9]]
    )
    assert run("forward", "--machine", "mast", "--in", heights, "--out", tmp_path / "out.csv") == 1
    _, rows = columns(tmp_path / "out.csv")
    assert rows[0][3] == "ok"
    assert rows[1][3] != "ok"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["check", "log.csv", "--machine", "mast", "--encoder", "motor"],
            "encoder motor: drives of machine 'mast' have one encoder each",
        ),
        (["mechanism", "--machine", "nothing"], "is neither built in"),
        (
            ["forward", "--machine", "mast", "--all", "--in", "x.csv", "--out", "y.csv"],
            "--all: needs a machine whose",
        ),
        (
            ["workspace", "--machine", "four-bar", "--out", "x"],
            "'four-bar'",
        ),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_line(arguments, message, capsys):
    assert main(arguments) == 2
    error = capsys.readouterr().err.strip()
    assert message in error
    assert "\n" not in error


@pytest.mark.parametrize("name", [*sorted(builtin_mechanisms()), "uf"])
def test_mechanisms_are_shown(name, capsys):
    assert main(["mechanism", "--machine", name, "--json", "-"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["mechanism"] == name
    assert document["degrees_of_freedom"] == len(document["drives"])
    assert document["loops"] == sum(joint["closes_loop"] for joint in document["joints"])


@pytest.mark.slow
def test_a_mechanism_is_drawn_and_told_in_words(tmp_path, capsys):
    assert run("mechanism", "--machine", "suspension", "--out", tmp_path) == 0
    assert (tmp_path / "mechanism.png").read_bytes().startswith(b"\x89PNG")
    assert "7 moving bodies, 10 joints, 3 loops, 2 degrees of freedom" in capsys.readouterr().out


def test_the_sensitivity_of_a_machine_without_a_platform_is_that_of_its_last_body(capsys):
    assert main(["sensitivity", "--machine", "four-bar", "--trajectory", "rich", "--json", "-"]) == 0
    assert json.loads(capsys.readouterr().out)["body"] == "coupler"
