# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Poses and motions as CSV."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pkm_identification.errors import LogError
from pkm_identification.motion import PlatformMotion
from pkm_identification.numerics.rotation import matrix_from_vector
from pkm_identification.records.motion_csv import (
    read_motion_csv,
    read_pose_csv,
    write_motion_csv,
    write_pose_csv,
)

HEADER = "px,py,pz,qx,qy,qz,qw,vx,vy,vz,wx,wy,wz,ax,ay,az,alx,aly,alz"


def sample_motion(seed: int, count: int = 5, timed: bool = True) -> PlatformMotion:
    rng = np.random.default_rng(seed)
    return PlatformMotion(
        time=np.arange(count) * 0.01 if timed else np.full(count, np.nan),
        position=rng.normal(size=(count, 3)),
        rotation=matrix_from_vector(rng.normal(size=(count, 3))),
        twist=rng.normal(size=(count, 6)),
        acceleration=rng.normal(size=(count, 6)),
    )


@given(seed=st.integers(0, 1000), timed=st.booleans())
@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_motion_reads_back(tmp_path, seed, timed):
    motion = sample_motion(seed, timed=timed)
    path = tmp_path / "motion.csv"
    write_motion_csv(path, motion)
    assert path.read_text().splitlines()[0] == ("t," if timed else "") + HEADER
    read = read_motion_csv(path)
    np.testing.assert_array_equal(read.time, motion.time)
    np.testing.assert_array_equal(read.position, motion.position)
    np.testing.assert_allclose(read.rotation, motion.rotation, atol=1e-14)
    np.testing.assert_array_equal(read.twist, motion.twist)
    np.testing.assert_array_equal(read.acceleration, motion.acceleration)


def test_pose_with_status_and_without_time(tmp_path):
    motion = sample_motion(3)
    path = tmp_path / "pose.csv"
    write_pose_csv(path, motion.position, motion.rotation, status=np.array([0, 0, 1, 2, 0], dtype=np.uint8))
    lines = path.read_text().splitlines()
    assert lines[0] == "px,py,pz,qx,qy,qz,qw,status"
    assert [line.rpartition(",")[2] for line in lines[1:]] == ["0", "0", "1", "2", "0"]
    poses = read_pose_csv(path)
    assert poses.time is None
    np.testing.assert_allclose(poses.rotation, motion.rotation, atol=1e-14)


def test_poses_of_a_motion_file_with_other_columns_first(tmp_path):
    path = tmp_path / "pose.csv"
    path.write_text("note,qw,qz,qy,qx,pz,py,px\nhome,1,0,0,0,3,2,1\n")
    poses = read_pose_csv(path)
    np.testing.assert_array_equal(poses.position, [[1, 2, 3]])
    np.testing.assert_array_equal(poses.rotation, [np.eye(3)])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("px,py,pz\n1,2,3\n", "line 1: no column qx, qy, qz, qw; expected qx,qy,qz,qw or phi"),
        ("px,py,pz,qx,qy,qz,qw\n0,0,0,0,0,0,0.5\n", "line 2: the quaternion qx,qy,qz,qw has length 0.5"),
        (
            "px,py,pz,qx,qy,qz,qw\n0,0,0,0,0,0,1\n0,nan,0,0,0,0,1\n",
            "line 3, column py: must be a finite number",
        ),
        ("px,py,pz,qx,qy,qz,qw\n0,0,0,0,0,,1\n", "line 2, column qz: must be a finite number"),
    ],
)
def test_poses_that_are_none_are_refused_with_their_place(tmp_path, text, message):
    path = tmp_path / "pose.csv"
    path.write_text(text)
    with pytest.raises(LogError, match=f"pose.csv: {message}"):
        read_pose_csv(path)
