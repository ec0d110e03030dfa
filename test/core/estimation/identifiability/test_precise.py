# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Many digits: what falls with the digits is rounding, what stays is kept, and what is neither is said."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

from pkm_identification.errors import SettingsError
from pkm_identification.estimation.identifiability.precise import checked_digits, list_precise_base_parameters

NAMES = ("a", "b", "c", "d", "e")


def faint(digits, size="1e-20", disturb=False):
    """a, b, a + b / 3 + size d, 0, d: the last combination is shown by `size` alone."""
    context = mpmath.MPContext()
    context.dps = digits
    rng = np.random.default_rng(2)
    rows = []
    for p, q, r in rng.integers(-9, 9, (12, 3)).tolist():
        if disturb:
            mpmath.mp.dps = 5
        a, b, d = (context.mpf(x) / 7 for x in (p, q, r))
        # d enters together with c's small part: e is d times the same small size
        rows.append([a, b, a + b / 3 + d * context.mpf(size), context.mpf(0), d * context.mpf(size)])
    return np.array(rows, dtype=object)


def test_what_is_faint_is_kept_and_what_is_rounding_is_not():
    found = list_precise_base_parameters(faint, NAMES, wanted_out=("c",))
    assert (found.kept, found.null, found.undecided) == (3, 2, 0)
    assert found.decided
    assert found.digits == (30, 60)
    assert found.invisible.tolist() == [3]
    # in double precision the faint one is lost
    assert np.linalg.matrix_rank(faint(30).astype(float)) == 2
    assert found.elimination.given_up.tolist() == [2, 3]
    expected = [[1, 0], ["1/3", 0], [1, 0]]
    for row, wanted in zip(found.elimination.coefficients, expected, strict=True):
        for value, number in zip(row, wanted, strict=True):
            exact = mpmath.mpf(1) / 3 if number == "1/3" else mpmath.mpf(number)
            assert abs(value - exact) < 1e-15
    third = found.elimination.coefficients[1, 0]
    assert abs(3 * third - 1) < 1e-30
    assert found.coefficient_error < 1e-30


def test_the_global_precision_does_not_matter():
    before = mpmath.mp.dps
    try:
        found = list_precise_base_parameters(
            lambda digits: faint(digits, disturb=True), NAMES, wanted_out=("c",)
        )
        assert mpmath.mp.dps == 5
    finally:
        mpmath.mp.dps = before
    assert found.kept == 3
    assert abs(3 * found.elimination.coefficients[1, 0] - 1) < 1e-30


def test_digits_are_doubled_while_a_value_is_undecided():
    # 1e-29 of a value is wrong by more than a millionth in thirty digits
    found = list_precise_base_parameters(lambda digits: faint(digits, "1e-27"), NAMES)
    assert found.decided
    assert found.kept == 3
    assert found.digits == (60, 120)
    stuck = list_precise_base_parameters(lambda digits: faint(digits, "1e-27"), NAMES, (30, 60, 90))
    assert not stuck.decided
    assert stuck.undecided == 1


def test_what_is_rounding_at_either_setting_need_not_fall():
    """A value that fewer digits leave at the square of their rounding, by chance, is null all the same."""

    def rows(digits):
        made = faint(digits)[:, :3]
        made[:, 2] = made[:, 0]
        made[0] = made[0] * 0
        made[0, 2] = made[1, 0].context.mpf(10) ** (-61 if digits == 30 else -60)
        return made

    found = list_precise_base_parameters(rows, ("a", "b", "c"))
    assert found.digits == (30, 60)
    assert (found.kept, found.null) == (2, 1)


def test_nothing_at_all_has_rank_zero():
    found = list_precise_base_parameters(lambda digits: faint(digits)[:, [3, 3]], ("a", "b"))
    assert (found.kept, found.null) == (0, 2)
    assert found.coefficient_error == 0.0


@pytest.mark.parametrize("digits", [(15, 30), (60, 30), (30,), (30, 30), (30, 60, 50), (30, 40, 50, 60)])
def test_digits_that_cannot_decide_are_refused(digits):
    with pytest.raises(SettingsError, match="rising numbers from 30"):
        checked_digits(digits)


def test_fewer_rows_than_columns_are_refused():
    with pytest.raises(ValueError, match=r"4 equations .* 5 parameters"):
        list_precise_base_parameters(lambda digits: faint(digits)[:4], NAMES)
