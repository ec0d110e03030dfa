# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The 3PRS table: its numbers, its closed form against the general way, and a Lagrangian by differences."""

from __future__ import annotations

import re
from functools import cache

import numpy as np
import pytest

from pkm_identification.errors import MotionRefused, SettingsError
from pkm_identification.mechanisms.multibody import dynamics, kinematics
from pkm_identification.mechanisms.multibody.closed_forms import closed_form
from pkm_identification.mechanisms.multibody.description.reader import parse_text
from pkm_identification.mechanisms.multibody.kernels.codes import OK
from pkm_identification.mechanisms.multibody.mechanism import Mechanism, builtin_mechanisms

R, L, H = 0.35, 0.26, 0.40
HOME_MASS = [[0.8425, -0.2575, 0.515], [-0.2575, 0.585, -0.2575], [0.515, -0.2575, 0.8425]]


@cache
def mast() -> Mechanism:
    return Mechanism.load("mast")


def pose(z: float, psi: float, theta: float) -> np.ndarray:
    """Outputs (1, 3) of angles in degrees."""
    return np.array([[z, np.radians(psi), np.radians(theta)]])


def workspace(count: int, seed: int = 0) -> np.ndarray:
    """Outputs within the table's range: z in .3 to .5 m, both angles within 20 degrees."""
    rng = np.random.default_rng(seed)
    return np.column_stack([rng.uniform(0.3, 0.5, count), np.radians(rng.uniform(-20, 20, (count, 2)))])


def heights(z, psi, theta):
    """Slider heights by the closed form of the digest, independent of the package."""
    x_p = -R * np.sin(psi) * np.sin(theta)
    cosines = np.array(
        [
            (H - x_p - R * np.cos(theta)) / L,
            (H - R * np.cos(psi)) / L,
            (H + x_p - R * np.cos(theta)) / L,
        ]
    )
    tops = np.array([z - R * np.sin(theta), z + R * np.sin(psi) * np.cos(theta), z + R * np.sin(theta)])
    return tops - L * np.sqrt(1 - cosines**2)


def test_the_table_has_three_degrees_of_freedom_and_two_loops():
    assert (mast().degrees_of_freedom, mast().loops) == (3, 2)
    assert mast().redundant_constraints == ()


@pytest.mark.parametrize(
    ("outputs", "rho", "gamma", "x_p", "tolerance"),
    [
        ((0.40, 0, 0), [0.14485298] * 3, [78.91251079] * 3, 0.0, 1e-8),
        (
            (0.45, 10, -8),
            [0.24262523, 0.25613815, 0.14875672],
            [80.04494172, 77.7159262, 76.23494707],
            0.0084585044,
            1e-8,
        ),
        (
            (0.38, -15, 12),
            [0.05014445, 0.0388752, 0.20427272],
            [81.41445901, 76.22104306, 72.89264911],
            0.0188340268,
            1e-8,
        ),
    ],
)
def test_inverse_kinematics_has_the_numbers_of_the_digest(outputs, rho, gamma, x_p, tolerance):
    found = kinematics.close_outputs(mast(), pose(*outputs))
    assert found.status[0] == OK
    assert found.residual[0] < 1e-12
    np.testing.assert_allclose(kinematics.read(mast(), "drives", found.configuration)[0], rho, atol=tolerance)
    readings = kinematics.read(mast(), "readings", found.configuration)[0]
    np.testing.assert_allclose(np.degrees(readings[:3]), gamma, atol=1e-8)
    assert readings[3] == pytest.approx(x_p, abs=1e-10)


def test_forward_of_inverse_is_the_identity_everywhere_in_the_workspace():
    outputs = workspace(10_000)
    found = kinematics.close_outputs(mast(), outputs)
    assert found.found.all()
    back = kinematics.close_drives(mast(), kinematics.read(mast(), "drives", found.configuration))
    assert back.found.all()
    np.testing.assert_allclose(
        kinematics.read(mast(), "outputs", back.configuration), outputs, rtol=0, atol=1e-10
    )


def test_the_general_way_finds_what_the_closed_form_finds():
    outputs = workspace(300, seed=3)
    form = closed_form(mast().description, mast().tree)
    by_form, refused = form(mast().arithmetic, mast().model, mast().home, outputs)
    general = kinematics.close_outputs(mast(), outputs, start=mast().home)
    assert general.found.all()
    assert not any(refused)
    assert general.iterations.max() > 1  # or nothing was tested
    drives = kinematics.read(mast(), "drives", general.configuration)
    np.testing.assert_allclose(kinematics.read(mast(), "drives", by_form), drives, atol=1e-12)
    np.testing.assert_allclose(heights(*outputs.T).T, drives, atol=1e-12)
    np.testing.assert_allclose(
        kinematics.frames(mast(), by_form)[1], kinematics.frames(mast(), general.configuration)[1], atol=1e-12
    )


def test_a_pose_out_of_reach_names_the_row_and_the_bar():
    outputs = np.vstack([pose(0.4, 0, 0), pose(0.4, 69, 0)])
    with pytest.raises(MotionRefused, match=r"row 2: outputs .*bar 2 does not reach: \|cos gamma_2\| = 1\.0"):
        kinematics.motion_of_outputs(mast(), outputs, np.zeros((2, 3)), np.zeros((2, 3)))


def test_a_pose_of_six_numbers_is_refused():
    still = np.zeros((1, 6))
    for ask in (
        lambda: kinematics.close_pose(mast(), [[0, 0, 0.4]], np.eye(3)[None]),
        lambda: kinematics.motion_of_pose(mast(), [[0, 0, 0.4]], np.eye(3)[None], still, still),
    ):
        with pytest.raises(SettingsError, match="a pose needs 'pose' and six degrees of freedom; it has 3"):
            ask()


@pytest.mark.parametrize("width", [2, 4])
def test_outputs_of_another_number_are_refused_before_the_closed_form_reads_them(width):
    with pytest.raises(ValueError, match=rf"shape \(1, {width}\), expected \(3,\) or \(N, 3\)"):
        kinematics.close_outputs(mast(), np.zeros((1, width)))


def test_forces_have_the_numbers_of_the_digest():
    drives = kinematics.read(
        mast(), "drives", kinematics.close_outputs(mast(), pose(0.45, 10, -8)).configuration
    )
    motion = kinematics.motion_of_drives(mast(), drives, [[0.1, 0.2, -0.05]], [[1, -0.5, 2]])
    forces = dynamics.forces(mast(), motion)
    np.testing.assert_allclose(forces[0], [12.359677, -0.618205, 13.826675], atol=1e-6)
    assert forces[0] @ motion.drive_rate[0] == pytest.approx(0.42099308, abs=1e-7)
    rest = dynamics.forces(mast(), kinematics.at_rest(mast(), motion.configuration))
    np.testing.assert_allclose(rest[0], [10.466005, 0.552776, 11.249919], atol=1e-6)
    np.testing.assert_allclose(
        dynamics.bias(mast(), motion)[0] - rest[0], [-0.00373, 0.036821, -0.065901], atol=1e-6
    )


def test_the_mass_matrix_at_home_is_that_of_the_digest():
    mass = dynamics.mass_matrix(mast(), mast().home)[0]
    np.testing.assert_allclose(mass, HOME_MASS, atol=1e-9)
    np.testing.assert_allclose(mass.sum(axis=1), [1.10, 0.07, 1.10], atol=1e-9)


def test_without_a_closed_form_the_loop_that_stays_open_is_named():
    given = parse_text(builtin_mechanisms()["mast"])
    del given["closed_form"]
    made = Mechanism.from_document(given)
    with pytest.raises(MotionRefused, match=r"row 1: .*: out of reach: the loop ") as refused:
        kinematics.motion_of_outputs(made, [[0.4, 1.2, 0.0]], np.zeros((1, 3)), np.zeros((1, 3)))
    # bar 2 is too short by far; it is not of the loop of the third bar
    assert "bar_2, slider_2, slider_1, bar_1, platform stays open by 0.01366 m at ball_2" in str(
        refused.value
    )
    found = kinematics.close_outputs(made, [[0.4, 0.0, -1.2]])
    assert not found.found[0]
    assert float(re.findall(r"by ([\d.]+)", found.reason(0))[0]) == pytest.approx(found.residual[0], rel=0.01)
