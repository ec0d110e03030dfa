# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Exact numbers: what is read, what is kept, what is refused."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pkm_identification.mechanisms.multibody.numbers.arithmetic import FLOAT64, Multiprecision
from pkm_identification.mechanisms.multibody.numbers.exact import Expression, NotANumber, exact, square_root


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0.30", Fraction(3, 10)),
        ("1/3", Fraction(1, 3)),
        ("5e-5", Fraction(5, 100000)),
        ("-.5", Fraction(-1, 2)),
        ("2^-3", Fraction(1, 8)),
        ("-2^2", Fraction(-4)),
        ("2^3^2", Fraction(512)),
        ("1 - 2 - 3", Fraction(-4)),
        ("8/4/2", Fraction(1)),
        ("(1+2)*3", Fraction(9)),
        ("sqrt(0.09)", Fraction(3, 10)),
        ("2*a + b/4", Fraction(21, 20)),
        (0.3, Fraction(3, 10)),
        (7, Fraction(7)),
        ("sin(0) + cos(0)", Fraction(1)),
    ],
)
def test_fractions_stay_fractions(text, value):
    constants = {"a": Fraction(1, 2), "b": Fraction(1, 5)}
    found = exact(text, constants)
    assert isinstance(found, Fraction)
    assert found == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("sqrt(2)", math.sqrt(2)),
        ("pi/6", math.pi / 6),
        ("deg(30)", math.pi / 6),
        ("sin(pi/6)", 0.5),
        ("acos(1/2)", math.pi / 3),
        ("atan2(1, -1)", 3 * math.pi / 4),
        ("2*sqrt(2)^2 - tan(pi/4)", 3.0),
    ],
)
def test_roots_and_angles_are_evaluated_in_the_arithmetic_that_is_wanted(text, value):
    found = exact(text)
    assert isinstance(found, Expression)
    assert FLOAT64.number(found) == pytest.approx(value, rel=1e-15)
    many = Multiprecision(50)
    assert abs(many.number(found) - FLOAT64.number(found)) < 1e-14
    # fifty digits: the same again with sixty differs only beyond them
    assert abs(Multiprecision(60).number(found) - many.number(found)) < 1e-48


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("abc", "neither a constant"),
        ("1/0", "divides by zero"),
        ("", "no number"),
        ("1 +", "no number"),
        ("(1", "missing"),
        ("1 2", "no number"),
        ("1_000", "no number"),
        (".nan", "no number"),
        (".inf", "no number"),
        ("0x10", "no number"),
        ("1e999999", "exponent"),
        ("2^999999999", "power"),
        ("2^(1/2)", "power"),
        ("__import__('os')", "no number"),
        ("os", "neither a constant"),
        ("sin(1, 2)", "arguments"),
        ("9" * 1000, "longer"),
        (True, "no number"),
        (None, "no number"),
        ([1], "no number"),
    ],
)
def test_what_is_no_number_says_why(text, reason):
    with pytest.raises(NotANumber, match=reason):
        exact(text)


def test_a_number_of_as_many_operations_as_are_allowed_is_evaluated():
    constants = {"a": Fraction(1)}
    terms = 0
    while terms < 240:
        constants["a"] = exact("a" + 40 * "+pi", constants)
        terms += 40
    assert FLOAT64.number(constants["a"]) == pytest.approx(1 + 240 * math.pi, rel=1e-13)
    assert float(Multiprecision(30).number(constants["a"])) == pytest.approx(1 + 240 * math.pi, rel=1e-15)
    with pytest.raises(NotANumber, match="too many operations"):
        exact("a" + 40 * "+pi", constants)


@pytest.mark.slow
@given(st.fractions(max_denominator=10**6), st.fractions(max_denominator=10**6))
def test_arithmetic_is_that_of_fractions(a, b):
    found = exact("a*b - (a + b)", {"a": a, "b": b})
    assert found == a * b - (a + b)


@given(st.decimals(min_value=-1000, max_value=1000, places=6))
def test_decimal_text_is_exact_and_its_float_the_nearest(number):
    found = exact(str(number) if number >= 0 else f"-{abs(number)}")
    assert found == Fraction(number)
    assert FLOAT64.number(found) == float(number)


@given(st.integers(0, 10**6), st.integers(1, 10**6))
def test_the_root_of_a_square_is_a_fraction(a, b):
    assert square_root(Fraction(a, b) ** 2) == Fraction(a, b)
