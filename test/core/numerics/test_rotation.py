# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Rotations against SciPy's, and there and back again."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.spatial.transform import Rotation

from pkm_identification.numerics.rotation import (
    axes_across,
    build_quaternion_from_matrix,
    matrix_from_quaternion,
    matrix_from_vector,
)

# a handful of roundings of numbers of size one
ROUNDING = 1e-14

quaternions = hnp.arrays(float, 4, elements=st.floats(-1.0, 1.0)).filter(lambda q: np.linalg.norm(q) > 1e-3)


def random_rotations(count: int, seed: int) -> Rotation:
    return Rotation.random(count, np.random.default_rng(seed))


def test_matrices_are_scipys():
    rotations = random_rotations(500, 1)
    np.testing.assert_allclose(
        matrix_from_quaternion(rotations.as_quat()), rotations.as_matrix(), atol=ROUNDING
    )
    np.testing.assert_allclose(
        matrix_from_vector(rotations.as_rotvec()), rotations.as_matrix(), atol=ROUNDING
    )


def test_quaternions_are_scipys_with_w_not_negative():
    rotations = random_rotations(500, 2)
    np.testing.assert_allclose(
        build_quaternion_from_matrix(rotations.as_matrix()), rotations.as_quat(canonical=True), atol=ROUNDING
    )


@pytest.mark.slow
@given(quaternions)
def test_quaternion_there_and_back(q):
    unit = q / np.linalg.norm(q)
    back = build_quaternion_from_matrix(matrix_from_quaternion(q))
    assert back[3] >= 0
    # at w = 0 both signs are the same rotation
    error = min(np.abs(back - unit).max(), np.abs(back + unit).max())
    assert error < 1e-12


@pytest.mark.parametrize("axis", np.vstack([np.eye(3), -np.eye(3), np.ones((1, 3)) / np.sqrt(3)]))
@pytest.mark.parametrize("angle", [0.0, 1e-12, 1e-6, 3.0, np.pi - 1e-9, np.pi])
def test_half_turns_and_tiny_turns(axis, angle):
    expected = Rotation.from_rotvec(axis * angle).as_matrix()
    np.testing.assert_allclose(matrix_from_vector(axis * angle), expected, atol=ROUNDING)
    again = matrix_from_quaternion(build_quaternion_from_matrix(expected))
    np.testing.assert_allclose(again, expected, atol=ROUNDING)


def test_tiny_turn_keeps_its_digits():
    turned = matrix_from_vector([1e-9, -2e-9, 3e-9])
    skew = [turned[2, 1] - turned[1, 2], turned[0, 2] - turned[2, 0], turned[1, 0] - turned[0, 1]]
    np.testing.assert_allclose(np.array(skew) / 2, [1e-9, -2e-9, 3e-9], rtol=1e-12)


def test_axes_across_a_vector():
    np.testing.assert_array_equal(axes_across(np.array([0.0, 0.0, -9.81])), [[1, 0, 0], [0, 1, 0]])
    for vector in np.random.default_rng(0).normal(size=(200, 3)):
        first, second = axes_across(vector)
        whole = np.array([first, second, -vector / np.linalg.norm(vector)])
        np.testing.assert_allclose(whole @ whole.T, np.eye(3), atol=ROUNDING)
        assert np.linalg.det(whole) == pytest.approx(1.0)
    # a little tilt turns them little, and around a circle all first ones turn the same way
    tilted = axes_across(np.array([0.05, -0.02, -1.0]))
    np.testing.assert_allclose(tilted, np.eye(3)[:2], atol=0.06)
    for angle in np.linspace(0, 2 * np.pi, 25):
        around = np.array([np.cos(angle), np.sin(angle), 0.0])
        expected = [[np.sin(angle), -np.cos(angle), 0], [0, 0, 1]]
        np.testing.assert_allclose(axes_across(around), expected, atol=ROUNDING)


def test_batches_of_any_shape():
    rotations = random_rotations(6, 4)
    batch = rotations.as_quat().reshape(2, 3, 4)
    matrices = matrix_from_quaternion(batch)
    assert matrices.shape == (2, 3, 3, 3)
    assert build_quaternion_from_matrix(matrices).shape == (2, 3, 4)
    np.testing.assert_array_equal(matrices[1, 2], matrix_from_quaternion(batch[1, 2]))


@pytest.mark.parametrize("bad", [[0.0] * 4, [np.nan, 0, 0, 1], [np.inf, 0, 0, 1], [1e200, 0, 0, 1e200]])
def test_quaternion_without_direction_is_refused(bad):
    with pytest.raises(ValueError, match="finite and not zero"):
        matrix_from_quaternion([[0.0, 0.0, 0.0, 1.0], bad])
