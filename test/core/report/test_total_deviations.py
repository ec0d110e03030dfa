# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Values with total deviations: in per cent of what has a size, in units of what is near zero."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pkm_identification.estimation.posterior.answer import Answer, FoundEffect
from pkm_identification.estimation.posterior.status import (
    IDENTIFIED,
    NOISY,
    RESTS_ON_FILE,
    KnownValue,
    Leaning,
)
from pkm_identification.estimation.posterior.verdict import assess
from pkm_identification.report.total_deviations import (
    MOST_EFFECTS,
    answer_table,
    format_effects_sentences,
    format_help_sentences,
    format_table_notes,
)

MASS = KnownValue("m_p", "kg", 4.5, 0.09, 0.05, 0.075, 0.9, IDENTIFIED)
MOMENT = KnownValue(
    "mx_p", "kg m", 0.0021, 0.017, 0.0095, 0.014, 0.9, IDENTIFIED,
    (Leaning("platform.center_of_mass.0", 0.6, 0.00031, "mm"),), near_zero=True,
)  # fmt: skip
LOOSE = KnownValue("Ixy_p", "kg m^2", 0.01, 0.02, 0.02, 0.001, 0.9, NOISY)


@pytest.mark.parametrize(
    ("value", "shown", "status"),
    [
        (MASS, ("2 %", "1.1 %", "1.7 %"), "identified"),
        (MOMENT, ("0.017", "0.0095", "0.014"), "identified: 0 within 0.017"),
        (replace(MOMENT, value=0.2), ("0.017", "0.0095", "0.014"), "identified"),
        (LOOSE, ("0.02", "0.02", "0.001"), "known to 0.02 kg m^2"),
    ],
)
def test_deviations_are_in_units_near_zero(value, shown, status):
    answer = Answer((value,), (), assess(1.0, 0.002, 1.1, 1.0, (), False))
    (row,) = answer_table(answer).rows
    assert row[4:7] == shown
    assert row[7] == status
    assert len(format_table_notes(answer)) == ("%" not in row[4])
    assert "kg m" not in row[8]
    assert ("/mm" in row[8]) == value.near_zero


def test_of_many_effects_the_surest_have_sentences():
    effects = tuple(FoundEffect(f"force_offset_{k}", 9.0 - k, 0.1, "N") for k in range(8))
    said = format_effects_sentences(Answer((MASS,), effects, assess(1.0, 0.002, 1.1, 1.0, (), False)))
    assert len(said) == MOST_EFFECTS + 1
    assert "force_offset_0 = 9.00 ± 0.10 N" in said[0]
    assert said[-1].startswith("3 ")


def test_what_no_file_states_is_not_to_be_measured():
    keys = (Leaning("bodies.rod.mass", 0.3, 1.0, "%"), Leaning("platform_damper_phi", 0.6, 1.0, "", False))
    resting = replace(LOOSE, status=RESTS_ON_FILE, rests_on=keys)
    first, second = format_help_sentences(Answer((resting,), (), assess(1.0, 0.002, 1.1, 1.0, (), False)))
    assert "60 % of the variance of Ixy_p" in first
    assert "Measure" not in first
    assert second.startswith("Measure bodies.rod.mass")
