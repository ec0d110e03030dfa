# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The same kernels in mpmath numbers: equal to float64 to rounding, and right to their own number of digits."""

from __future__ import annotations

from functools import cache

import mpmath
import numpy as np
import pytest

from pkm_identification.mechanisms.multibody import dynamics, kinematics
from pkm_identification.mechanisms.multibody.mechanism import Mechanism
from pkm_identification.mechanisms.multibody.parameters import build_rigid_basis, build_rigid_columns
from pkm_identification.mechanisms.multibody.series import compute_series_motion, series_drives

NAMES = ("four-bar", "mast", "suspension", "epaas", "pendulum")
# Digest 4.2: singular values of the observation matrices.
FOUR_BAR = [238.7, 69.88, 46.62, 16.3, 12.74, 1.087, 0.3736, 0.003289]
LOW_MOBILITY = [87.98, 13.08, 0.8707, 4.076e-5, 4.286e-7, 6.541e-8]


@cache
def mechanism(name: str) -> Mechanism:
    return Mechanism.load(name)


def states(name: str, seed: int = 0):
    rng = np.random.default_rng(seed)
    own = mechanism(name)
    n = own.degrees_of_freedom
    home = kinematics.read(own, "drives", own.home[None])
    return home + rng.uniform(-0.02, 0.02, (2, n)), rng.normal(size=(2, n)), rng.normal(0, 5, (2, n))


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_mpmath_and_float64_agree(name):
    drives, rate, second = states(name)
    own, many = mechanism(name), mechanism(name).with_digits(30)
    here = kinematics.motion_of_drives(own, drives, rate, second)
    there = kinematics.motion_of_drives(many, drives, rate, second)
    for function in (
        lambda m, motion: dynamics.regressor(m, motion),
        lambda m, motion: dynamics.forces(m, motion, friction=False),
        lambda m, motion: dynamics.mass_matrix(m, motion.configuration),
        lambda m, motion: sum(dynamics.energy(m, motion)),
        lambda m, motion: kinematics.read(m, "readings", motion.configuration),
    ):
        expected = function(own, here)
        found = np.array(function(many, there), dtype=float)
        scale = np.abs(expected).max(initial=1e-300)
        assert np.abs(found - expected).max(initial=0.0) <= 1e-13 * max(scale, 1.0)


def test_loops_close_to_the_digits_asked_for():
    for digits in (40, 80):
        many = mechanism("four-bar").with_digits(digits)
        found = kinematics.close_drives(many, [[1.3]])
        assert found.found.all()
        assert found.residual[0] < mpmath.mpf(10) ** (3 - digits)


def test_the_global_precision_does_not_matter():
    """Changed in the middle, it must not reach numbers that were asked for with fifty digits."""
    many = mechanism("four-bar").with_digits(50)
    time, value, rate, second = series_drives(many)
    with mpmath.workdps(15):
        short = dynamics.regressor(many, kinematics.motion_of_drives(many, value[:2], rate[:2], second[:2]))
    with mpmath.workdps(120):
        long = dynamics.regressor(many, kinematics.motion_of_drives(many, value[:2], rate[:2], second[:2]))
    assert (short == long).all()
    assert len(time) == 40


@pytest.mark.parametrize(
    ("name", "expected", "rank"),
    [("four-bar", FOUR_BAR, 8), ("four-bar-low-mobility", LOW_MOBILITY, 6), ("parallelogram", None, 3)],
)
def test_observation_matrices_have_the_singular_values_of_the_digest(name, expected, rank):
    own = mechanism(name)
    observed = dynamics.regressor(own, compute_series_motion(own))[:, :, build_rigid_columns(own)]
    matrix = observed.reshape(-1, 12)
    values = np.linalg.svd(matrix, compute_uv=False)
    assert np.linalg.matrix_rank(matrix) == rank
    if expected is not None:
        np.testing.assert_allclose(values[: len(expected)], expected, rtol=6e-4)


@pytest.mark.parametrize(("name", "rank"), [("four-bar-low-mobility", 8), ("parallelogram", 3)])
def test_with_many_digits_the_rank_is_the_structural_one(name, rank):
    """Pivots of an elimination: what is structural stays, the rest falls with the number of digits."""
    many = mechanism(name).with_digits(50)
    _, value, rate, second = series_drives(many)
    rows = slice(0, 40, 3)
    motion = kinematics.motion_of_drives(many, value[rows], rate[rows], second[rows])
    matrix = dynamics.regressor(many, motion)[:, :, build_rigid_columns(many)].reshape(-1, 12)
    pivots = _pivots(matrix)
    assert np.count_nonzero(pivots > 1e-30) == rank
    assert np.all(pivots[rank:] < 1e-45)


def _pivots(matrix: np.ndarray) -> np.ndarray:
    """Sizes of the pivots of an elimination with complete pivoting."""
    rest = matrix.copy()
    found = []
    for k in range(min(rest.shape)):
        sizes = np.abs(rest[k:, k:])
        i, j = np.unravel_index(int(np.argmax(sizes)), sizes.shape)
        rest[[k, k + i]] = rest[[k + i, k]]
        rest[:, [k, k + j]] = rest[:, [k + j, k]]
        found.append(float(abs(rest[k, k])))
        if rest[k, k] == 0:
            break
        factor = rest[k + 1 :, k] / rest[k, k]
        rest[k + 1 :, k:] = rest[k + 1 :, k:] - np.outer(factor, rest[k, k:])
    return np.array(found)


def test_planar_bodies_have_four_parameters_with_names():
    basis = build_rigid_basis(mechanism("four-bar"))
    assert basis.names[:4] == ("m_crank", "mx_crank", "my_crank", "J_crank")
    assert len(basis) == len(build_rigid_columns(mechanism("four-bar"))) == 12
    assert len(build_rigid_basis(mechanism("suspension"))) == 70
