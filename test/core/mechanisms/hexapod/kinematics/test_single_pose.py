# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""One pose of six lengths, and one clear error when there is none."""

from __future__ import annotations

import numpy as np
import pytest
from core.mechanisms.hexapod.kinematics.test_forward_kinematics import near_singular
from core.mechanisms.hexapod.machine_variants import BUILTIN, document
from core.platform_motions import lengths, poses
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from pkm_identification.errors import NotConverged
from pkm_identification.mechanisms.hexapod.kinematics.assembly.modes import assembly_modes
from pkm_identification.mechanisms.hexapod.kinematics.pose_of_lengths import pose_of_lengths
from pkm_identification.mechanisms.hexapod.machine import Machine


@pytest.mark.parametrize("name", BUILTIN)
def test_pose_is_found(name):
    m = Machine.load(name)
    position, rotation = poses(m, 20, 1)
    for n, length in enumerate(lengths(m, position, rotation)):
        pose = pose_of_lengths(m, length)
        np.testing.assert_allclose(pose.position, position[n], atol=1e-10)
        np.testing.assert_allclose(pose.rotation, rotation[n], atol=1e-10)
        assert pose.residual <= 1e-12
        assert not pose.degraded
        assert pose.outside == ()


def test_struts_outside_the_limits_are_named():
    made = document("uf")
    made["geometry"]["length_limits"] = [0.37, 0.47]
    m = Machine.from_document(made)
    length = lengths(m, m.home_position[None], m.home_rotation[None])[0]
    length[[1, 4]] = 0.365, 0.475
    assert pose_of_lengths(m, length).outside == (2, 5)


@pytest.mark.slow
@settings(max_examples=40)
@given(st.integers(0, 10_000))
def test_real_poses_are_never_called_a_misfit(seed):
    """Any pose at all, also of other modes: its lengths may be behind a singularity, but they do fit."""
    m, rng = Machine.load(BUILTIN[seed % 3]), np.random.default_rng(seed)
    position, rotation = rng.normal(0, 0.5, (1, 3)), Rotation.random(random_state=rng).as_matrix()[None]
    refused = ""
    try:
        pose_of_lengths(m, lengths(m, position, rotation)[0])
    except NotConverged as error:
        refused = str(error)
    assert refused == "" or "singularity" in refused


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({2: 5.0}, r"struts 1 and 3 differ by 4\.\d+ m, their joints allow at most \d"),
        (
            dict.fromkeys(range(6), 0.01),
            r"struts \d and \d are 0\.0200 m together, their joints need at least 0\.",
        ),
    ],
)
def test_lengths_that_fit_no_pose_say_which_struts(change, message):
    m = Machine.load("uf")
    length = lengths(m, m.home_position[None], m.home_rotation[None])[0]
    for i, value in change.items():
        length[i] = value
    with pytest.raises(NotConverged, match=message) as caught:
        pose_of_lengths(m, length)
    assert "\n" not in str(caught.value)
    assert len(assembly_modes(m, length)) == 0


def test_way_that_ends_in_a_singularity_says_where():
    m, _, rotation = near_singular(0.0)
    flat = lengths(m, np.zeros((1, 3)), rotation)[0]
    with pytest.raises(NotConverged, match=r"singularity after (99|100)\.\d %"):
        pose_of_lengths(m, flat)


@pytest.mark.parametrize("length", [np.ones(5), np.ones((1, 6)), [0.4] * 5 + [np.nan], [0.4] * 5 + [-0.4]])
def test_bad_lengths_are_refused(length):
    with pytest.raises(ValueError, match="length"):
        pose_of_lengths(Machine.load("uf"), length)
