# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""pkm init: machine files that load and are what was stated; guesses are marked; nothing is written over."""

from __future__ import annotations

import io
import re
import sys

import numpy as np
import pytest

from pkm_identification.cli import main
from pkm_identification.mechanisms.hexapod.machine import Machine

ROUND = [
    "--radius-base",
    "300",
    "--radius-platform",
    "200",
    "--height",
    "400",
    "--unit",
    "mm",
    "--mass",
    "12",
]
PAIRS = ["--angles-base", "20", "--angles-platform", "25"]


class Terminal(io.StringIO):
    """What a person types."""

    def isatty(self) -> bool:
        return True


@pytest.mark.slow
def test_a_machine_of_circles_is_what_was_stated(tmp_path, capsys):
    out = tmp_path / "mine.yaml"
    assert main(["init", str(out), *ROUND, *PAIRS]) == 0
    machine = Machine.load(out)
    assert machine.name == "mine"
    np.testing.assert_allclose(np.linalg.norm(machine.base_joints, axis=1), 0.3)
    np.testing.assert_allclose(np.linalg.norm(machine.platform_joints, axis=1), 0.2)
    np.testing.assert_allclose(machine.home_position, [0, 0, 0.4])
    angle = np.rad2deg(np.arctan2(machine.base_joints[:, 1], machine.base_joints[:, 0])) % 360
    np.testing.assert_allclose(angle, [350, 10, 110, 130, 230, 250], atol=1e-6)
    angle = np.rad2deg(np.arctan2(machine.platform_joints[:, 1], machine.platform_joints[:, 0])) % 360
    np.testing.assert_allclose(angle, [312.5, 47.5, 72.5, 167.5, 192.5, 287.5], atol=1e-6)
    # the law of cosines between joints 37.5 degrees apart, all struts alike
    length = np.sqrt(0.3**2 + 0.2**2 - 2 * 0.3 * 0.2 * np.cos(np.deg2rad(37.5)) + 0.4**2)
    tips = machine.platform_joints + machine.home_position
    np.testing.assert_allclose(np.linalg.norm(tips - machine.base_joints, axis=1), length, rtol=1e-8)
    # a disc of twice the platform's radius, a tenth as thick
    np.testing.assert_allclose(machine.platform.inertia[2, 2], 12 * 0.2**2 / 2)
    np.testing.assert_allclose(machine.platform.inertia[0, 0], 12 * (3 * 0.2**2 + 0.04**2) / 12)
    assert sum(strut.body_b.mass + strut.body_e.mass for strut in machine.struts) == pytest.approx(6 * 3)
    text = out.read_text()
    guessed = [line for line in text.splitlines() if "GUESSED:" in line]
    assert len(guessed) == 5
    assert any("struts do not spin" in line for line in guessed)  # no --joint-type was given
    assert max(map(len, text.splitlines())) <= 120
    assert (tmp_path / "mine.png").read_bytes().startswith(b"\x89PNG")
    assert "condition of the Jacobian at home" in capsys.readouterr().out


@pytest.mark.slow
def test_what_is_given_is_not_guessed(tmp_path):
    out = tmp_path / "mine.yaml"
    known = [
        "--size",
        "420,30",
        "--strut-mass",
        "3.3",
        "--limits",
        "380,520",
        "--rate",
        "500",
        "--name",
        "hexa",
    ]
    assert main(["init", str(out), *ROUND, *PAIRS, *known]) == 0
    machine = Machine.load(out)
    assert machine.name == "hexa"
    np.testing.assert_allclose(machine.length_limits, [0.38, 0.52])
    np.testing.assert_allclose(machine.platform.inertia[0, 0], 12 * (3 * 0.21**2 + 0.03**2) / 12)
    assert machine.struts[0].body_b.mass + machine.struts[0].body_e.mass == pytest.approx(3.3)
    assert machine.drive.sample_rate == 500.0


@pytest.mark.slow
@pytest.mark.parametrize("form", ["six rows", "twelve rows, semicolons, decimal commas, a header"])
def test_twelve_points_from_a_file(tmp_path, form):
    known = Machine.load("uf")
    base, platform = known.base_joints * 1e3, known.platform_joints * 1e3
    rows = np.hstack([base, platform]) if form == "six rows" else np.vstack([base, platform])
    text = "\n".join(",".join(f"{x:.7f}" for x in row) for row in rows)
    if form != "six rows":
        text = "x;y;z\n" + text.replace(",", ";").replace(".", ",")
    joints = tmp_path / "joints.csv"
    joints.write_text(text)
    out = tmp_path / "mine.yaml"
    options = ["--joints", str(joints), "--unit", "mm", "--height", "-350", "--mass", "4.8"]
    assert main(["init", str(out), *options]) == 0
    machine = Machine.load(out)
    np.testing.assert_allclose(machine.base_joints, known.base_joints, atol=1e-9)
    np.testing.assert_allclose(machine.platform_joints, known.platform_joints, atol=1e-9)
    np.testing.assert_allclose(machine.home_position, known.home_position)


@pytest.mark.slow
def test_a_terminal_is_asked_for_what_is_missing_until_it_is_understood(tmp_path, monkeypatch, capsys):
    answers = ["inch", "mm", "300", "", "-5", "200", "25", "400", "ball", ""]
    answers.insert(3, "20")
    monkeypatch.setattr(sys, "stdin", Terminal("\n".join(answers) + "\n"))
    out = tmp_path / "mine.yaml"
    assert main(["init", str(out), "--mass", "12"]) == 0
    err = capsys.readouterr().err
    assert "unit of lengths (m, mm or in): " in err
    assert "expected m, mm or in; did you mean 'in'?" in err
    assert "must be greater than zero" in err
    assert "universal joint (cross)" in err  # the picture
    assert "1 to 6" in err
    other = tmp_path / "other.yaml"
    assert main(["init", str(other), *ROUND, *PAIRS, "--name", "mine"]) == 0
    assert other.read_text() == out.read_text()
    monkeypatch.setattr(sys, "stdin", Terminal("in\n"))
    assert main(["init", str(tmp_path / "none.yaml"), "--mass", "12"]) == 2
    assert re.search(r"no answer: .*base joints.* inches", capsys.readouterr().err)
    # every joint below its own: refused as soon as that is known, the mass is not asked for
    star = "0,60,120,180,240,300"
    monkeypatch.setattr(sys, "stdin", Terminal("\n".join(["m", ".3", star, ".2", star, ".4"]) + "\n"))
    assert main(["init", str(tmp_path / "none.yaml")]) == 2
    assert "architecturally singular" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("joint_type", "base", "platform"),
    [
        ("base-tangential", "universal", "spherical"),
        ("platform-radial", "no_spin", "universal"),
        ("spherical", "spherical", "spherical"),
        ("unknown", "no_spin", "spherical"),
    ],
)
def test_the_joint_type_is_in_the_file(joint_type, base, platform, tmp_path):
    out = tmp_path / "mine.yaml"
    assert main(["init", str(out), *ROUND, *PAIRS, "--mass", "12", "--joint-type", joint_type]) == 0
    machine = Machine.load(out)
    assert (machine.platform_joint, machine.base_joint) == (
        platform,
        "spherical" if platform == "universal" else base,
    )
    assert ("GUESSED: struts do not spin" in out.read_text()) is (joint_type == "unknown")


SINGULAR = ["--angles-base", "0,60,120,180,240,300", "--angles-platform", "0,60,120,180,240,300"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (ROUND, "--angles-base is missing"),
        (
            [*ROUND, *PAIRS, "--unit", "m"],
            "base joints are 563.8 m apart, expected 0.001 to 50 m: in mm? give --unit mm",
        ),
        ([*ROUND, *PAIRS, "--radius-base", "0.3"], "base joints are 0.0005638 m apart.*in m? give --unit m"),
        (
            [*ROUND, *PAIRS, "--unit", "in", "--height", "4000"],
            "m long at home, expected 0.001 to 50 m: in mm? give --unit mm",
        ),
        ([*ROUND, *PAIRS, "--height", "4e5"], "struts are 400 to 400 m long at home"),
        ([*ROUND, *PAIRS, "--angles-base", "1,2,3"], "expected six angles with commas, or one, found 3"),
        ([*ROUND, *PAIRS, "--angles-base", "0,1,2,3,4,5"], "expected six angles in both, or one in both"),
        ([*ROUND, *PAIRS, "--mass", "heavy"], "--mass heavy: expected a number"),
        ([*ROUND, *PAIRS, "--mass", "-1"], "--mass -1: must be greater than zero"),
        ([*ROUND, *PAIRS, "--limits", "520,380"], "0 < MIN < MAX"),
        ([*ROUND, *PAIRS, "--limits", "480,520"], "outside length_limits"),
        ([*ROUND, *PAIRS, "--joints", "a.csv"], "--radius-base does not go"),
        ([*ROUND, *SINGULAR], "singular"),
        (["--joints", "none.csv", "--height", "1", "--mass", "1"], "none.csv: cannot be read"),
    ],
)
def test_what_is_wrong_is_one_line_and_nothing_is_written(tmp_path, capsys, monkeypatch, options, message):
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    assert main(["init", str(tmp_path / "mine.yaml"), *options]) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    pieces = [err.find(piece) for piece in message.split(".*")]
    assert min(pieces) >= 0
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_nothing_is_written_over_without_force(tmp_path, capsys):
    out = tmp_path / "mine.yaml"
    out.write_text("a file of somebody")
    assert main(["init", str(out), *ROUND, *PAIRS]) == 2
    assert "mine.yaml: exists; --force" in capsys.readouterr().err
    assert out.read_text() == "a file of somebody"
    assert main(["init", str(out), *ROUND, *PAIRS, "--force"]) == 0
    out.unlink()
    assert main(["init", str(out), *ROUND, *PAIRS]) == 2
    assert "mine.png: exists" in capsys.readouterr().err
    assert not out.exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["a: b", "x # y", "123", "true", "- z", 'a "b"', "Roboter für " + "lang " * 40]
)
def test_a_name_is_text_whatever_it_looks_like(tmp_path, name):
    out = tmp_path / "mine.yaml"
    assert main(["init", str(out), *ROUND, *PAIRS, "--name", name]) == 0
    assert Machine.load(out).name == name


@pytest.mark.slow
def test_a_file_called_by_a_number_names_its_machine_so(tmp_path):
    assert main(["init", str(tmp_path / "123.yaml"), *ROUND, *PAIRS]) == 0
    assert Machine.load(tmp_path / "123.yaml").name == "123"


@pytest.mark.parametrize("rate", ["1e-12", "0", "1e8", "nan"])
def test_a_rate_that_no_log_has_is_refused(tmp_path, capsys, rate):
    assert main(["init", str(tmp_path / "mine.yaml"), *ROUND, *PAIRS, "--rate", rate]) == 2
    assert f"--rate {rate}: " in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_a_machine_without_motors_is_simulated_in_si_units(tmp_path):
    machine, log = str(tmp_path / "mine.yaml"), tmp_path / "log.csv"
    assert main(["init", machine, *ROUND, *PAIRS]) == 0
    motion = ["--trajectory", "rich", "--duration", "2"]
    assert main(["simulate", "--machine", machine, *motion, "--out", str(log)]) == 0
    header = log.read_text().splitlines()[0].split(",")
    assert header == ["t", *(f"length_{k}" for k in range(1, 7)), *(f"force_{k}" for k in range(1, 7))]
