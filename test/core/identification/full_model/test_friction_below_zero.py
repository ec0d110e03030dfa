# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Friction that comes out negative: no per cent say how well that is known."""

from __future__ import annotations

import pytest

from pkm_identification.estimation.posterior.status import AFFECTED, IDENTIFIED, NOISY, KnownValue
from pkm_identification.identification.full_model.values import judge_sign
from pkm_identification.report.total_deviations import write_status


@pytest.mark.parametrize(
    ("value", "size", "status", "text"),
    [
        (-1.68, 5.0, AFFECTED, "affected by the misfit"),
        (-1.0, 5.0, NOISY, "known to 0.5 N s/m"),
        (-1.0, 50.0, IDENTIFIED, "identified: 0 within 0.5"),
        (1.68, 5.0, NOISY, "known to 30 %"),
    ],
)
def test_negative_friction_is_judged_as_none_or_as_wrong(value, size, status, text):
    one = KnownValue("viscous_1", "N s/m", value, 0.5, 0.5, 0.0, 0.9, NOISY, size=size)
    judged = judge_sign(one)
    assert judged.status == status
    assert write_status(judged) == text
    assert judged.widen(2.0).status in (status, NOISY)
