# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Records of single logs, of which a history is made."""

from __future__ import annotations

import pytest
from core.synthetic import log, nominal, truth

from pkm_identification.identification.identify import identify
from pkm_identification.identification.many_logs.one_log import _list_parameters
from pkm_identification.identification.settings import FULL, Settings


@pytest.mark.slow
def test_a_mass_that_no_parameter_has_is_recorded():
    result = identify([log(truth(), 16, seed=3, real=True)], nominal(), Settings.of(estimator=FULL))
    assert "m_b" not in result.estimate.names
    (record,) = [one for one in _list_parameters(result) if one["name"] == "m_b"]
    value = next(one for one in result.answer.values if one.name == "m_b")
    assert (record["value"], record["status"]) == (value.value, value.status)
    assert 0.0 < record["own_std"] < record["std"]
