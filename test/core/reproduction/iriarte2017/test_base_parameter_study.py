# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The study of base parameters: counts of the text, and verdicts that turn with what was found."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest
from core.reproduction.iriarte2017.four_bar_equations import count_kept, regressor

from pkm_identification.reproduction.iriarte2017 import run_study
from pkm_identification.reproduction.number import AGREES, NOT_REPRODUCED
from pkm_identification.reproduction.study_file import assess_study

pytestmark = pytest.mark.slow
PACKAGE = "pkm_identification.reproduction.iriarte2017"


class Short:
    """The study without many digits of the suspension, whose count is known."""

    def __init__(self, values):
        self.values = {**values, "precise": 41}


@pytest.fixture(scope="module")
def study():
    return Short(run_study(many_digits=False).values)


def judge(study):
    return {one["name"]: one["verdict"] for one in assess_study(PACKAGE, study).document["numbers"]}


def test_the_rules_give_the_text_s_tables(study):
    values = study.values
    assert (values["vanish"], values["transfer"], values["symbolic"], values["exact"]) == (13, 16, 41, 41)
    assert values["transfers_listed"] == (
        "0-1: 1, 0-2: 1, 0-4: 1, 1-3: 1, 1-7: 1, 2-3: 1, 3-4: 1, 3-5: 3, 6-7: 6"
    )
    assert all(values["same_as_rules"])


def test_the_four_bars_rank_is_eight_where_numpy_finds_six(study):
    for name in ("low", "nearer"):
        assert (study.values[f"{name}_precise"], study.values[f"{name}_exact"]) == (8, 8)
        assert study.values[f"{name}_numpy"] == 6


@pytest.mark.parametrize(
    ("name", "lengths"),
    [("low", ("0.30", "0.8001", "0.3001", "0.80")), ("nearer", ("0.30", "0.80001", "0.30001", "0.80"))],
)
def test_four_bars_by_equations_of_their_own(study, name, lengths):
    rows = regressor(lengths, "0.02")
    assert count_kept(lengths, "0.02") == 8 == study.values[f"{name}_exact"]
    # in double precision the same columns have fewer
    assert np.linalg.matrix_rank(np.array(rows.tolist(), dtype=float)) < 8
    # crank's mx takes l1 m2, its J l1^2 m2: the coupler's mass at the crank's tip, in 40 digits
    with mp.workdps(40):
        exact = regressor(lengths, "0.02", 6)
        length = mp.mpf(lengths[0])
        for k in range(exact.rows):
            gap = exact[k, 4] - length * exact[k, 1] - length**2 * exact[k, 3]
            assert abs(gap) < mp.mpf(10) ** -15


def test_every_verdict_turns(study):
    found = judge(study)
    kept = {name for name, one in found.items() if one == AGREES}
    opposite = {
        key: [not one for one in value]
        if isinstance(value, list)
        else value + 50
        if isinstance(value, int)
        else value
        for key, value in study.values.items()
    }
    wrong = Short(opposite)
    wrong.values["precise"] = 27
    after = judge(wrong)
    assert kept
    assert all(after[name] not in (AGREES, "cannot be judged") for name in kept)
    assert NOT_REPRODUCED in after.values()
