# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The assembly mode: guess and drives' home together, the mode that the guess is nearest to, and what is told of it."""

from __future__ import annotations

import json

import numpy as np
import pytest
import yaml
from core.mechanisms.multibody.test_mechanism_units import five_bar

from benchmarks.field.drawn_machines import draw_mechanism
from benchmarks.field.machine_files import count_modes
from pkm_identification.cli import main
from pkm_identification.mechanisms.multibody.mechanism import Mechanism

CRANK, ROD, APART = 0.2, 0.3, 0.3
LEFT, RIGHT = np.radians([110.0, 70.0])


def joints(side: int) -> dict[str, float]:
    """Angles of the five-bar's passive joints with its tip above (1) or below (-1) the line of its elbows."""
    left = CRANK * np.array([np.cos(LEFT), np.sin(LEFT)])
    right = [APART, 0] + CRANK * np.array([np.cos(RIGHT), np.sin(RIGHT)])
    along = (right - left) / 2
    half = np.linalg.norm(along)
    tip = (left + right) / 2 + side * np.sqrt(ROD**2 - half**2) * np.array([-along[1], along[0]]) / half
    lean = [np.arctan2(*(tip - elbow)[::-1]) for elbow in (left, right)]
    angles = {"elbow_l": lean[0] - LEFT, "elbow_r": lean[1] - RIGHT, "tip": lean[1] - lean[0]}
    return {name: (angle + np.pi) % (2 * np.pi) - np.pi for name, angle in angles.items()}


@pytest.mark.parametrize("side", [1, -1])
@pytest.mark.parametrize("names", [("elbow_l", "elbow_r"), ("elbow_l",), ("tip",), ("elbow_r", "tip")])
def test_the_mode_is_the_one_that_the_guess_is_nearest_to(side, names):
    """Driven joints are not guessed; the joint that closes the loop may be."""
    wanted = joints(side)
    rng = np.random.default_rng(len(names))
    guess = {name: f"{wanted[name] + np.radians(4) * rng.normal():.6f}" for name in names}
    made = Mechanism.from_document(five_bar(("home.guess", guess)))
    for name, angle in wanted.items():
        assert made.joints_at_home[name][0] == pytest.approx(angle, abs=1e-6)
    assert {one.joint for one in made.guess_distances} == set(names)
    assert not any(one.is_far for one in made.guess_distances)


def test_a_guess_that_no_mode_is_near_to_is_told(tmp_path, capsys):
    path = tmp_path / "fivebar.yaml"
    changed = five_bar(("home.guess", {"elbow_l": "deg(70)", "elbow_r": "deg(70)"}))
    path.write_text(yaml.safe_dump(changed))
    assert main(["mechanism", "--machine", str(path), "--json", str(tmp_path / "m.json")]) == 0
    text = capsys.readouterr().out
    assert "FAR from home.guess" in text
    told = json.loads((tmp_path / "m.json").read_text())
    assert told["assembly"]["far"]
    assert told["assembly"]["unit"] == "rad"
    wanted = {"elbow_l": 70, "elbow_r": 70}
    found = {joint["name"]: joint["home"] for joint in told["joints"]}
    away = [(np.degrees(found[name][0]) - angle + 180) % 360 - 180 for name, angle in wanted.items()]
    assert np.degrees(told["assembly"]["from_guess"]) == pytest.approx(np.abs(away).max(), abs=1e-6)


def test_a_near_guess_and_the_joints_at_home_are_told(tmp_path, capsys):
    path = tmp_path / "fivebar.yaml"
    path.write_text(yaml.safe_dump(five_bar()))
    assert main(["mechanism", "--machine", str(path)]) == 0
    text = capsys.readouterr().out
    assert "the one of home.guess" in text
    assert f"{joints(1)['elbow_r']:.6f}".rstrip("0") in text


def test_distances_are_those_of_rotations_also_of_joints_that_close_loops():
    """Of the delta: universal joints in the tree and closing loops, each turned by a known angle from its guess."""
    rng = np.random.default_rng(3)
    made = draw_mechanism(rng)
    while "wrist_0" not in made["joints"]:
        made = draw_mechanism(rng)
    turned = float(made["home"]["guess"]["wrist_0"][0])
    for name, angle in (("wrist_1", 0.1), ("elbow_2", 0.2)):
        made["home"]["guess"][name] = [f"{turned + angle:.9f}", "0"]
    distances = {one.joint: one.apart for one in Mechanism.from_document(made).guess_distances}
    assert distances["wrist_1"] == pytest.approx(0.1, abs=1e-6)
    assert distances["elbow_2"] == pytest.approx(0.2, abs=1e-6)
    assert distances["elbow_0"] == pytest.approx(0.0, abs=1e-6)


@pytest.mark.slow
def test_guesses_turned_by_four_degrees_keep_the_mode_of_drawn_machines():
    assert set(count_modes(7, 15)) == {"same mode"}
