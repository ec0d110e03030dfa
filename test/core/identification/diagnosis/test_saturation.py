# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Which forces look clipped, and that what they enter misleads nobody."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from core.synthetic import log, nominal, truth

from pkm_identification.identification.diagnosis.saturation import _find_limit
from pkm_identification.identification.identify import identify
from pkm_identification.identification.settings import FULL, Settings


def find_limits(force):
    limits = [_find_limit(one) for one in force.T]
    return {drive: one[0] for drive, one in enumerate(limits, 1) if one is not None}


def test_readings_in_steps_are_not_taken_for_clipped_ones():
    """At nearly constant forces a step of the readings holds more samples than a thousandth of the largest force."""
    step = 1.5
    force = step * np.round((100.0 + np.random.default_rng(5).standard_normal((20000, 6))) / step)
    force[:, 4] = np.minimum(force[:, 4], 99.0)
    assert find_limits(force) == {5: 99.0}


def test_clipping_is_seen_whatever_the_resolution():
    force = 50.0 * np.random.default_rng(7).standard_normal((20000, 6))
    for step in (1e-9, 0.01, 1.5):
        limited = step * np.round(force / step)
        limited[:, 2] = np.clip(limited[:, 2], -60.0, 60.0)
        assert list(find_limits(limited)) == [3]


@pytest.mark.slow
@pytest.mark.parametrize("causal", [False, True])
def test_what_clipped_forces_enter_is_left_out_and_said(causal):
    """Struts 3 and 5 end where a seventh of their samples are: values stay those of the whole log, and less sure."""
    settings = Settings(causal=True) if causal else Settings.of(estimator=FULL, hold_out=0.0)
    right = log(truth(), 16, seed=3, real=True)
    force, drives = right.force.copy(), [2, 4]
    ends = np.quantile(np.abs(force[:, drives]), 6 / 7, axis=0)
    force[:, drives] = np.clip(force[:, drives], -ends, ends)
    clipped = identify([replace(right, force=force)], nominal(), settings)
    whole = identify([right], nominal(), settings)
    assert clipped.answer.verdict.good
    assert {one.name for one in clipped.fit.causes} == {"saturation_3", "saturation_5"}
    assert all(one.correction for one in clipped.fit.causes)
    others = {one.name: one for one in whole.answer.values}
    off = [(one.value - others[one.name].value) / one.std for one in clipped.answer.values]
    assert max(map(abs, off)) < 3.0
    assert sum(one.std > others[one.name].std for one in clipped.answer.values) > 0.8 * len(off)
    assert not whole.fit.causes
