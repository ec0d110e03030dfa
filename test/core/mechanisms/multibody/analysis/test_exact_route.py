# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Base parameters without rounding: fractions by hand, ranks of the table, numbers modulo a prime power."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import yaml

from pkm_identification.errors import SettingsError
from pkm_identification.estimation.identifiability.exact import (
    ModularRows,
    NotConfirmed,
    list_exact_base_parameters,
    rational,
)
from pkm_identification.mechanisms.multibody.analysis.exact_states import why_not_exact
from pkm_identification.mechanisms.multibody.analysis.routes import PRIMES, find_base_parameters
from pkm_identification.mechanisms.multibody.analysis.subject import Subject
from pkm_identification.mechanisms.multibody.mechanism import Mechanism, builtin_mechanisms
from pkm_identification.mechanisms.multibody.numbers.exact import exact as number
from pkm_identification.mechanisms.multibody.numbers.padic import NotAlgebraic, NotInThisField, Padic, Residue

OUT = ("m_coupler", "J_coupler")


def changed(name, **constants):
    """A built-in mechanism with other constants; numbers stay text."""
    text = builtin_mechanisms()[name].read_text(encoding="utf-8")
    document = yaml.load(text, Loader=yaml.BaseLoader)
    document["constants"].update(constants)
    document["bodies"] = {
        key: {**body, "planar": True} if "planar" in body else body
        for key, body in document["bodies"].items()
    }
    return Subject.of_mechanism(Mechanism.from_document(document))


def found_by(name_or_subject):
    subject = Subject.load(name_or_subject) if isinstance(name_or_subject, str) else name_or_subject
    exact = find_base_parameters(subject, "exact").exact
    assert exact is not None
    return exact.base


def terms(base, parameter):
    """The coefficients of an eliminated parameter in all kept ones, those that are not zero."""
    elimination = base.elimination
    column = [base.names[k] for k in elimination.given_up].index(parameter)
    return {
        base.names[k]: value
        for k, value in zip(elimination.kept, elimination.coefficients[:, column], strict=True)
        if value
    }


@pytest.mark.slow
def test_other_branches_and_trees():
    """Mechanisms with all routes are in test_routes.py."""
    # no parallelogram any more
    assert found_by(changed("parallelogram", l3="0.31")).rank == 8
    assert found_by("pendulum").rank == 7
    assert found_by("epaas").rank == 29


@pytest.mark.slow
@pytest.mark.parametrize(("name", "rank"), [("suspension", 41), ("hexel", 79)])
def test_many_bodies_without_rounding(name, rank):
    """Where double precision is in doubt, and where hinges on one line cost three of 82."""
    assert found_by(name).rank == rank


def test_fractions_agree_with_a_null_space_by_hand():
    """Columns c, 2c/3 and d modulo powers of two primes."""

    def rows(prime):
        modulus = prime**60
        c = np.array([3, 33, 5, 77], dtype=object)
        d = np.array([prime, 1, 2, 0], dtype=object)
        return ModularRows(prime, modulus, np.array([c, c * 2 * pow(3, -1, modulus) % modulus, d, 0 * d]).T)

    base = list_exact_base_parameters(rows, ("a", "b", "c", "d"), (11, 7), wanted_out=("b",))
    assert base.rank == 2
    assert base.invisible.tolist() == [3]
    assert terms(base, "b") == {"a": Fraction(2, 3)}
    with pytest.raises(NotConfirmed):
        list_exact_base_parameters(
            lambda prime: rows(prime) if prime == 7 else None, ("a", "b", "c", "d"), PRIMES
        )


def test_a_modulus_too_short_for_the_fractions_is_no_answer():
    """Where 90 digits of seven do, 20 either say so or would have to count a number as zero that is none."""

    def rows(prime, exponent):
        c = np.array([[1, prime**15], [prime**15, 5], [prime, 3]], dtype=object)
        return ModularRows(prime, prime**exponent, c % prime**exponent)

    assert list_exact_base_parameters(lambda prime: rows(prime, 90), ("a", "b"), (7, 11)).rank == 2
    # a wide fraction: a third column 2^60 / 3^40 times the first
    wide = Fraction(2**60, 3**40)

    def combined(prime, exponent):
        made = rows(prime, exponent)
        factor = wide.numerator * pow(wide.denominator, -1, made.modulus)
        return replace(made, rows=np.column_stack([made.rows, made.rows[:, 0] * factor % made.modulus]))

    base = list_exact_base_parameters(lambda prime: combined(prime, 90), ("a", "b", "c"), (7, 11), ("c",))
    assert terms(base, "c") == {"a": wide}
    # a prime whose modulus is too short is passed over
    base = list_exact_base_parameters(
        lambda prime: combined(prime, 8 if prime == 13 else 90), ("a", "b", "c"), (13, 7, 11), ("c",)
    )
    assert base.primes == (7, 11)
    for short in (8, 20, 40):
        with pytest.raises(NotConfirmed):
            list_exact_base_parameters(
                lambda prime, short=short: combined(prime, short), ("a", "b", "c"), (7, 11), ("c",)
            )


@pytest.mark.slow
def test_fractions_of_many_digits_are_found_with_a_longer_modulus():
    """A crank of 25 digits: its sums are fractions that 200 bits do not hold."""
    base = found_by(changed("four-bar", l1="0.3000000000000000000000001"))
    assert base.rank == 8
    assert max(value.denominator for value in base.elimination.coefficients.ravel()) > 2**100


def test_fractions_of_residues():
    modulus = 11**60
    for fraction in (Fraction(3, 10), Fraction(-49, 123456789), Fraction(0), Fraction(2**90, 3**50)):
        value = fraction.numerator * pow(fraction.denominator, -1, modulus) % modulus
        assert rational(value, modulus) == fraction
    # modulo another prime the fraction of a number that is none is another number
    other = 7**70
    found = rational(pow(3, 1001, modulus), modulus)
    assert found is None or (found.numerator - found.denominator * pow(3, 1001, other)) % other


def test_numbers_modulo_a_prime_power():
    field = Padic(11, 20)
    assert field.number(number("0.3")) * 10 == 3
    root = field.number(number("sqrt(3)"))
    assert root * root == 3
    assert field.number(number("sqrt(3)*sqrt(5)")) == field.number(number("sqrt(15)"))
    assert abs(field.number(number("242"))) == pytest.approx(11.0**-2)
    turn = field.turn(0, 1, 5) + field.number(number("33"))
    c, s = field.cos(turn), field.sin(turn)
    assert c * c + s * s == 1
    with pytest.raises(NotInThisField):
        field.number(number("1/22"))
    with pytest.raises(NotInThisField):
        field.number(number("sqrt(2)"))
    with pytest.raises(NotAlgebraic):
        field.number(number("pi/3"))


def test_many_numbers_in_one_are_each_computed_as_by_itself():
    field = Padic(11, 20)
    same = [4 + 11 * k for k in (0, 3, 12345, 11**7)]
    many, other = (Residue(np.array(values, dtype=object), field) for values in (same, same[::-1]))

    def one(a, b):
        return (a / b - 3) * a + (a * a + b * b * 0) ** 0.5 - 1 / b

    together = one(many, other).value
    alone = [one(Residue(a, field), Residue(b, field)).value for a, b in zip(same, same[::-1], strict=True)]
    assert together.tolist() == alone
    assert abs(many) == 1.0
    assert abs(many - 4) == pytest.approx(1 / 11)
    assert many != other
    assert many - many == 0


@pytest.mark.slow
def test_what_has_no_exact_route_says_so(tmp_path):
    subject = changed("four-bar", l1="0.2+pi/31")
    assert "pi" in why_not_exact(subject.mechanism)
    with pytest.raises(SettingsError, match=r"route 'exact' .* pi\b"):
        find_base_parameters(subject, "exact")
    routes = find_base_parameters(subject, "all", wanted_out=OUT)
    assert routes.exact is None
    assert "pi" in routes.why_not_exact
    assert routes.best.rank == 8
