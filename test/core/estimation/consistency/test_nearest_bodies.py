# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Bodies nearest to known ones with given sums of parameters: exact, possible, and no farther than others that are."""

from __future__ import annotations

import numpy as np
import pytest

from pkm_identification.errors import NotConverged
from pkm_identification.estimation.consistency.nearest_bodies import (
    find_likeliest_bodies,
    find_nearest_bodies,
    keep_bodies_of_nothing,
)
from pkm_identification.estimation.consistency.pseudo_inertia import list_ten_parameters, pseudo_inertia


def draw_body(rng: np.random.Generator) -> np.ndarray:
    points = 0.3 * rng.standard_normal((20, 3))
    rays = np.hstack([points, np.ones((20, 1))])
    return list_ten_parameters((rays.T * rng.uniform(0.05, 0.2, 20)) @ rays)


@pytest.fixture(params=range(3))
def case(request):
    """Two bodies, others than the file's, and some sums of them."""
    rng = np.random.default_rng(request.param)
    true, file = (np.concatenate([draw_body(rng), draw_body(rng)]) for _ in range(2))
    sums = rng.standard_normal((9, 20))
    return sums, sums @ true, file, true


def least(parameters: np.ndarray) -> float:
    return float(np.linalg.eigvalsh(pseudo_inertia(parameters.reshape(-1, 10))).min())


def test_sums_are_exact_and_bodies_can_be(case):
    sums, values, file, _ = case
    for physical in (False, True):
        found = find_nearest_bodies(sums, values, file, (False, False), physical)
        np.testing.assert_allclose(sums @ found, values, rtol=1e-12, atol=1e-13)
    assert least(found) > -1e-12
    np.testing.assert_allclose(find_nearest_bodies(sums, sums @ file, file, (False, False)), file, atol=1e-14)


def test_no_other_bodies_with_these_sums_are_nearer(case):
    """Along any way to other possible bodies the distance grows: the problem is convex."""
    sums, values, file, true = case
    found = find_nearest_bodies(sums, values, file, (False, False), physical=True)
    nearer = find_nearest_bodies(sums, values, file, (False, False))
    assert np.linalg.norm(nearer - file) <= np.linalg.norm(true - file)
    if least(nearer) > 0.0:
        np.testing.assert_allclose(found, nearer, atol=1e-6)
    # what is found does not change when the file is what was found
    again = find_nearest_bodies(sums, values, found, (False, False), physical=True)
    np.testing.assert_allclose(again, found, atol=1e-5)


def test_sums_that_no_bodies_have_are_refused_or_approached_in_their_deviations():
    rng = np.random.default_rng(5)
    file = draw_body(rng)
    sums = np.eye(10)[:7]
    values = sums @ file
    values[4] = -0.2 * values[5]  # a negative moment of inertia
    with pytest.raises(NotConverged, match="no rigid bodies"):
        find_nearest_bodies(sums, values, file, (False,), physical=True)
    covariance = np.diag(np.full(7, 1e-4)) ** 2
    covariance[4, 4] = 0.5**2  # hardly known
    found = find_likeliest_bodies(sums, values, covariance, file, (False,))
    assert least(found) > 0.0
    shift = (sums @ found - values) / np.sqrt(np.diag(covariance))
    assert np.abs(np.delete(shift, 4)).max() < 0.1
    assert shift[4] > 0.0


def test_a_file_without_masses_does_not_outweigh_the_sums():
    """What a file leaves out is no statement: bodies with these sums are found, and the likeliest have them, too."""
    rng = np.random.default_rng(5)
    for scale in (1e-2, 1.0, 1e3):
        true = scale * draw_body(rng)
        sums, nothing = rng.standard_normal((6, 10)), np.zeros(10)
        values = sums @ true
        deviations = 0.01 * np.abs(values)
        found = find_nearest_bodies(sums, values, nothing, (False,), physical=True)
        np.testing.assert_allclose(sums @ found, values, rtol=1e-9)
        assert least(found) > 0.0
        found = find_likeliest_bodies(sums, values, np.diag(deviations**2), nothing, (False,))
        assert least(found) > 0.0
        assert np.abs((sums @ found - values) / deviations).max() < 0.1


def test_a_planar_body_keeps_its_own_condition():
    file = np.array([1.0, 0.2, 0.0, 0.05])
    sums = np.eye(4)[[1, 3]]
    found = find_nearest_bodies(sums, np.array([0.2, 0.01]), file, (True,), physical=True)
    m, mx, my, turn = found
    np.testing.assert_allclose([mx, turn], [0.2, 0.01], atol=1e-12)
    assert m * turn > mx**2 + my**2  # heavier than the file's 1 kg, which has no body
    assert m >= 4.0


@pytest.mark.parametrize("seed", range(4))
def test_a_body_of_nothing_stays_so_unless_the_sums_contradict_it(seed):
    """A value that the second body has alone: within chance of zero it is no reason to give it mass."""
    rng = np.random.default_rng(seed)
    file, planar = np.concatenate([draw_body(rng), np.zeros(10)]), (False, False)
    sums = np.vstack([rng.standard_normal((6, 20)), np.eye(20)[[11, 17]]])
    deviation = 1e-3 * np.ones(8)
    noise = deviation * rng.uniform(-1.5, 1.5, 8)
    kept, values, covariance = keep_bodies_of_nothing(
        sums, sums @ file + noise, np.diag(deviation**2), file, planar
    )
    found = find_nearest_bodies(kept, values, file, planar)
    assert not np.any(found[10:])
    # the six sums of the first body are shared with nothing else: they are met
    np.testing.assert_allclose(sums[:6] @ found, (sums @ file + noise)[:6], rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(np.linalg.eigvalsh(covariance) > 0.0, True)
    heavier = sums @ file + noise
    heavier[6] += 20 * deviation[6]
    same, unchanged, _ = keep_bodies_of_nothing(sums, heavier, np.diag(deviation**2), file, planar)
    assert same is sums
    assert unchanged is heavier
    assert np.any(find_nearest_bodies(same, unchanged, file, planar)[10:])
