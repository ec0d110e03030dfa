# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Friction of a machine that has none: small, of either sign, and no reason for an alarm."""

from __future__ import annotations

import numpy as np
import pytest
from core import synthetic

from pkm_identification.identification.estimate_file import estimate_document
from pkm_identification.identification.identify import identify
from pkm_identification.identification.settings import Settings
from pkm_identification.report.sentences import verdicts
from pkm_identification.report.summary import summary

FRICTION = [f"{kind}_{i}" for kind in ("viscous", "coulomb") for i in range(1, 7)]


@pytest.fixture(scope="module", params=[0, 1])
def frictionless(request):
    log = synthetic.log(synthetic.truth(False), 12.0, request.param, real=True)
    return identify([log], synthetic.nominal(False), Settings.of(estimator="ls"))


@pytest.mark.slow
def test_friction_that_is_not_there_is_not_distinguishable_from_zero(frictionless):
    """Three deviations: of 12 normal errors one lies beyond in 3 % of the logs; the seeds are fixed."""
    assert list(frictionless.near_zero) == FRICTION
    assert "not distinguishable from 0" in summary(frictionless)
    assert estimate_document(frictionless)["near_zero"] == FRICTION


@pytest.mark.slow
def test_negative_friction_within_its_deviation_is_no_alarm(frictionless):
    assert np.any(frictionless.estimate.values[8:] < 0.0)
    assert frictionless.answer.verdict.good
    alarms = [text for good, text in verdicts(frictionless) if not good and "are identified" not in text]
    assert not any(name in text for text in alarms for name in FRICTION)


@pytest.mark.slow
def test_friction_that_is_there_is_told_from_zero():
    log = synthetic.log(synthetic.truth(), 12.0, real=True)
    result = identify([log], synthetic.nominal(), Settings.of(estimator="ls"))
    assert result.near_zero == ()
    assert "distinguishable" not in summary(result)
