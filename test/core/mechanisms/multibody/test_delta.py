# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The delta robot that docs/mechanisms.md describes, against the geometry of a delta."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import yaml

from pkm_identification.cli import main
from pkm_identification.document import TextScalars
from pkm_identification.mechanisms.multibody import dynamics, kinematics
from pkm_identification.mechanisms.multibody.mechanism import Mechanism

PAGE = Path(__file__).resolve().parents[4] / "docs" / "mechanisms.md"
BASE, PLATE, ARM, ROD = 0.20, 0.05, 0.25, 0.60
AROUND = np.radians([0.0, 120.0, 240.0])


@cache
def delta() -> Mechanism:
    found = re.search(r"```yaml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S)
    assert found
    return Mechanism.from_document(yaml.load(found.group(1), Loader=TextScalars), source="docs/mechanisms.md")


def test_it_is_what_the_page_says():
    assert len(delta().description.bodies) == 7
    assert len(delta().description.joints) == 9
    assert (delta().loops, delta().degrees_of_freedom) == (2, 3)
    home = kinematics.read(delta(), "outputs", delta().home)[0]
    np.testing.assert_allclose(home, [0, 0, -np.sqrt(ROD**2 - (BASE + ARM - PLATE) ** 2)], atol=1e-12)


def test_rods_keep_their_length_and_the_platform_its_rotation():
    rng = np.random.default_rng(0)
    places = np.array([0, 0, -0.45]) + rng.uniform(-0.1, 0.1, (200, 3))
    found = kinematics.close_outputs(delta(), places)
    assert found.found.all()
    rotation, _ = kinematics.body_poses(delta(), found.configuration)
    np.testing.assert_allclose(rotation[:, 6], np.broadcast_to(np.eye(3), (200, 3, 3)), atol=1e-10)
    angle = kinematics.read(delta(), "drives", found.configuration)
    outwards = np.stack([np.cos(AROUND), np.sin(AROUND), 0 * AROUND], axis=1)
    elbow = (BASE + ARM * np.cos(angle))[:, :, None] * outwards - ARM * np.sin(angle)[:, :, None] * [0, 0, 1]
    wrist = places[:, None] + PLATE * outwards
    np.testing.assert_allclose(np.linalg.norm(wrist - elbow, axis=2), ROD, atol=1e-10)


def test_at_rest_the_torques_are_the_slope_of_the_potential_energy():
    rng = np.random.default_rng(1)
    angles = rng.uniform(-0.3, 0.5, (10, 3))
    torque = dynamics.forces(
        delta(), kinematics.at_rest(delta(), kinematics.close_drives(delta(), angles).configuration)
    )
    h = 1e-6
    for i, step in enumerate(h * np.eye(3)):
        high, low = (
            dynamics.energy(
                delta(), kinematics.at_rest(delta(), kinematics.close_drives(delta(), at).configuration)
            )[1]
            for at in (angles + step, angles - step)
        )
        np.testing.assert_allclose(torque[:, i], (high - low) / (2 * h), atol=1e-7)


@pytest.mark.slow
def test_it_is_simulated_from_the_page(tmp_path):
    """From the drawing to `pkm simulate`: the log's torques are those its own angles need."""
    found = re.search(r"```yaml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S)
    (tmp_path / "delta.yaml").write_text(found.group(1), encoding="utf-8")
    command = [
        "simulate",
        "--machine",
        str(tmp_path / "delta.yaml"),
        "--trajectory",
        "rich",
        "--duration",
        "2",
    ]
    assert main([*command, "--perfect", "--out", str(tmp_path / "log.csv")]) == 0
    log = np.loadtxt(tmp_path / "log.csv", delimiter=",", skiprows=1)
    assert np.ptp(log[:, 1:4], axis=0).min() > 0.01
    place = kinematics.close_drives(delta(), log[2:-2, 1:4]).configuration
    rate = np.gradient(log[:, 1:4], 1e-3, axis=0)
    second = np.gradient(rate, 1e-3, axis=0)[2:-2]
    expected = dynamics.forces(delta(), kinematics.moving(delta(), place, rate[2:-2], second))
    np.testing.assert_allclose(log[2:-2, 4:], expected, atol=1e-3 * np.abs(expected).max())
