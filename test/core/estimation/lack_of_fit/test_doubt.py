# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""What a misfit does to statuses and deviations of an estimate."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from core.report.made_identification import made_estimate

from pkm_identification.estimation.identifiability import COMBINATION, IDENTIFIABLE, IN_DOUBT
from pkm_identification.estimation.lack_of_fit.doubt import flag_affected

NONE = np.empty((0, 0))


@pytest.fixture
def estimate():
    return made_estimate()


def test_without_explanation_all_that_is_shown_is_in_doubt_as_wide_as_before(estimate):
    """The covariance comes from a residual that has the misfit in it: nothing is multiplied once more."""
    found = flag_affected(estimate, NONE, unexplained=True)
    assert IDENTIFIABLE not in found.status
    assert [one.status for one in found.combinations] == [IN_DOUBT] * len(estimate.combinations)
    changed = [one == IN_DOUBT for one in found.status]
    assert changed == [one == IDENTIFIABLE for one in estimate.status]
    np.testing.assert_array_equal(found.std, estimate.std)
    np.testing.assert_array_equal(found.covariance, estimate.covariance)


def test_an_explanation_doubts_what_it_moves_and_widens_it(estimate):
    moved = np.zeros((1, len(estimate.names)))
    first = estimate.status.index(IDENTIFIABLE)
    moved[0, first] = 3.0 * estimate.std[first]
    found = flag_affected(estimate, moved)
    assert found.status == tuple(IN_DOUBT if k == first else one for k, one in enumerate(estimate.status))
    assert found.std[first] == pytest.approx(np.sqrt(10.0) * estimate.std[first])
    assert found.covariance[first, first] == pytest.approx(
        estimate.covariance[first, first] + moved[0, first] ** 2
    )


@pytest.mark.parametrize(("deviations", "status"), [(1.5, COMBINATION), (3.0, IN_DOUBT)])
def test_a_combination_is_in_doubt_if_it_is_moved(estimate, deviations, status):
    (one,) = estimate.combinations
    moved = deviations * one.std * one.weights / (one.weights @ one.weights)
    (found,) = flag_affected(replace(estimate), moved[None]).combinations
    assert found.status == status
    assert found.std == pytest.approx(one.std * np.hypot(1.0, deviations))
