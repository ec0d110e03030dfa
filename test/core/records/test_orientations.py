# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Orientations in tables: three forms of one rotation, and their singularities."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from pkm_identification.cli import main
from pkm_identification.errors import LogError
from pkm_identification.records.motion_csv import read_pose_csv, write_pose_csv
from pkm_identification.records.orientations import FORMS, find_singular, write_rotations

TURNS = Rotation.random(20, random_state=0).as_matrix()
PLACES = np.random.default_rng(0).normal(size=(20, 3))


@pytest.mark.parametrize("form", FORMS)
def test_what_is_written_is_read_back(tmp_path, form):
    path = tmp_path / "poses.csv"
    write_pose_csv(path, PLACES, TURNS, form=form)
    back = read_pose_csv(path)
    np.testing.assert_allclose(back.rotation, TURNS, atol=1e-12)
    np.testing.assert_allclose(back.position, PLACES, atol=1e-12)


def test_angles_are_those_of_scipy():
    zxz = np.column_stack(list(write_rotations(TURNS, "zxz").values()))
    np.testing.assert_allclose(Rotation.from_euler("ZXZ", zxz).as_matrix(), TURNS, atol=1e-12)
    rpy = np.column_stack(list(write_rotations(TURNS, "rpy").values()))
    np.testing.assert_allclose(Rotation.from_euler("xyz", rpy).as_matrix(), TURNS, atol=1e-12)


def test_degrees_of_the_text_are_read(tmp_path):
    """Oh 2003 l. 1599-1603: at home phi, theta, psi = 0, -90, 0 degrees; Yp = -Zw, Zp = Yw."""
    path = tmp_path / "page.csv"
    path.write_text("px,py,pz,phi_deg,theta_deg,psi_deg\n0,0,-0.35,0,-90,0\n")
    expected = [[1, 0, 0], [0, 0, 1], [0, -1, 0]]
    np.testing.assert_allclose(read_pose_csv(path).rotation[0], expected, atol=1e-15)


@pytest.mark.parametrize(
    ("form", "axes", "singular"), [("zxz", "ZXZ", (0.0, 180.0)), ("rpy", "xyz", (90.0, -90.0))]
)
def test_a_singular_pose_comes_back_and_is_told(form, axes, singular):
    for second in singular:
        turn = Rotation.from_euler(axes, [40.0, second, 25.0], degrees=True).as_matrix()[None]
        assert find_singular(turn, form).all()
        angles = [one[0] for one in write_rotations(turn, form).values()]
        assert angles[2] == 0.0
        np.testing.assert_allclose(Rotation.from_euler(axes, angles).as_matrix(), turn[0], atol=1e-7)
    assert not find_singular(TURNS, form).any()


def test_a_table_with_no_orientation_or_two_is_refused(tmp_path):
    path = tmp_path / "poses.csv"
    path.write_text("px,py,pz,phi,theta\n0,0,0,0,0\n")
    with pytest.raises(LogError, match=r"qx.*phi,theta,psi or roll,pitch,yaw"):
        read_pose_csv(path)
    path.write_text("px,py,pz,phi,theta,psi,roll,pitch,yaw\n0,0,0,0,0,0,0,0,0\n")
    with pytest.raises(LogError, match="two orientations"):
        read_pose_csv(path)


def test_commands_take_and_give_angles(tmp_path, capsys):
    poses, lengths, back = (str(tmp_path / name) for name in ("poses.csv", "lengths.csv", "back.csv"))
    (tmp_path / "poses.csv").write_text(
        "px,py,pz,roll,pitch,yaw\n0,0,-0.35,0.01,-0.02,0.03\n0,0,-0.35,0,0,0\n"
    )
    assert main(["inverse", "--machine", "uf", "--in", poses, "--out", lengths]) == 0
    for form, columns in (("rpy", "roll,pitch,yaw"), ("zxz", "phi,theta,psi")):
        assert main(["forward", "--machine", "uf", "--in", lengths, "--out", back, "--angles", form]) == 0
        assert columns in (tmp_path / "back.csv").read_text().splitlines()[0]
        expected, found = read_pose_csv(poses).rotation, read_pose_csv(back).rotation
        np.testing.assert_allclose(found, expected, atol=1e-8)
    assert "1 at theta = 0 or 180 degrees" in capsys.readouterr().err
