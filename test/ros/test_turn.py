"""Quaternion and matrix of one sample agree with the batched ones of the core."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pkm_identification.ros.turn import matrix_of, quaternion_of
from pkm_identification.rotation import matrix_from_quaternion, quaternion_from_matrix

components = st.floats(-1.0, 1.0, allow_subnormal=False)
quaternions = st.tuples(*[components] * 4).filter(lambda q: np.linalg.norm(q) > 1e-3)


@given(quaternions)
def test_they_agree_with_the_core(quaternion):
    rotation = matrix_from_quaternion(quaternion)
    np.testing.assert_allclose(matrix_of(*quaternion), rotation, atol=1e-15)
    found = np.array(quaternion_of(rotation))
    expected = quaternion_from_matrix(rotation)
    # at half turns both signs are right
    sign = np.sign(found @ expected)
    np.testing.assert_allclose(sign * found, expected, atol=1e-12)
    assert found[3] >= 0


@pytest.mark.parametrize("axis", range(3))
def test_half_turns(axis):
    quaternion = np.zeros(4)
    quaternion[axis] = 1.0
    np.testing.assert_allclose(np.abs(quaternion_of(matrix_of(*quaternion))), quaternion, atol=1e-15)


@pytest.mark.parametrize(
    "quaternion", [(0, 0, 0, 0), (np.nan, 0, 0, 1), (np.inf, 0, 0, 1), (1e200, 0, 0, 1e200)]
)
def test_what_is_no_rotation_is_refused(quaternion):
    with pytest.raises(ValueError, match="must be finite and not zero"):
        matrix_of(*quaternion)
