# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

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
