# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Base parameters of built-in machines by several routes: known counts and coefficients, and doubt that is said."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import numpy as np
import pytest
from core.mechanisms.hexapod.machine_variants import machine, rubbing

from pkm_identification.errors import MotionRefused, SettingsError
from pkm_identification.estimation.identifiability.base_parameters import base_parameters
from pkm_identification.mechanisms.multibody import dynamics, kinematics
from pkm_identification.mechanisms.multibody.analysis.routes import find_base_parameters
from pkm_identification.mechanisms.multibody.analysis.states import compute_structure_motion, random_drives
from pkm_identification.mechanisms.multibody.analysis.subject import Subject
from pkm_identification.mechanisms.multibody.description.reader import parse_text
from pkm_identification.mechanisms.multibody.mechanism import Mechanism, builtin_mechanisms

OUT = ("m_coupler", "J_coupler")
# Of the known-answer four-bar (Iriarte et al. 2017), l1 = .3, l2 = .7, l3 = .5, by hand: the coupler's mass goes to the
# crank's tip, its J to point masses at both of its ends.
KNOWN = {
    ("mx_crank", "m_coupler"): Fraction(3, 10),
    ("mx_crank", "J_coupler"): Fraction(-30, 49),
    ("J_crank", "m_coupler"): Fraction(9, 100),
    ("J_crank", "J_coupler"): Fraction(-9, 49),
    ("mx_coupler", "J_coupler"): Fraction(-10, 7),
    ("mx_rocker", "J_coupler"): Fraction(50, 49),
    ("J_rocker", "J_coupler"): Fraction(25, 49),
}


def subject(name, **constants) -> Subject:
    """A built-in mechanism with other constants, given as text."""
    document = parse_text(builtin_mechanisms()[name])
    document.get("constants", {}).update(constants)
    return Subject.of_mechanism(Mechanism.from_document(document))


def by_name(names, kept, given_up, coefficients):
    return {
        (names[i], names[j]): value
        for i, row in zip(kept, coefficients, strict=True)
        for j, value in zip(given_up, row, strict=True)
    }


@pytest.mark.slow
def test_four_bar_by_double_and_precise():
    found = find_base_parameters(subject("four-bar"), "all", wanted_out=OUT)
    assert found.disagreement == ""
    assert found.double.rank == found.double.spectrum.rank == found.precise.rank == 8
    assert found.double.sure
    assert found.precise.sure
    base = found.precise.base
    assert (base.kept, base.null, base.undecided) == (8, 4, 0)
    names = found.subject.names
    assert {names[k] for k in base.invisible} == {"m_crank", "m_rocker"}
    precise = by_name(names, base.elimination.kept, base.elimination.given_up, base.elimination.coefficients)
    double = by_name(
        names, found.double.base.independent, found.double.base.grouped, found.double.base.coefficients
    )
    assert {j for _, j in double} == set(OUT)
    for key, value in precise.items():
        known = KNOWN.get(key, Fraction(0))
        assert abs(value - mpmath.MPContext().mpf(known.numerator) / known.denominator) < 1e-14
        assert abs(value * known.denominator - known.numerator) < 1e-30
        if key in double:
            assert double[key] == pytest.approx(float(known), abs=1e-9)
    assert set(KNOWN) <= set(precise)
    assert found.exact.rank == 8
    # p = 7 divides the coupler's length, and meets nothing but singular configurations
    assert subject("four-bar").modular_columns(7) is None
    # singular values that were computed independently of this code
    expected = ["238.7", "69.88", "46.62", "16.3", "12.74", "1.087", ".3736", ".003289"]
    for value, text in zip(base.singular_values, expected, strict=False):
        assert float(value) == pytest.approx(float(text), rel=6e-4)


@pytest.mark.slow
def test_the_low_mobility_trap():
    """Double precision loses two, and says that it may; with the rank forced its coefficients are wrong."""
    found = find_base_parameters(subject("four-bar-low-mobility"), "all", wanted_out=OUT)
    assert found.double.spectrum.rank == 6
    assert not found.double.sure
    assert found.disagreement == ""
    base = found.precise.base
    assert (base.kept, base.null, base.undecided) == (8, 4, 0)
    assert float(base.singular_values[6]) == pytest.approx(2.029e-13, rel=6e-4)
    assert float(base.singular_values[7]) == pytest.approx(5.234e-14, rel=6e-4)
    assert found.forced.rank == 8
    assert found.forced.error > 1e-3
    assert found.forced.spurious > found.forced.zeros / 2
    _known_of_lengths(found, Fraction("0.30"), Fraction("0.8001"), Fraction("0.3001"))


@pytest.mark.slow
def test_the_trap_nearer_to_a_parallelogram():
    found = find_base_parameters(
        subject("four-bar-low-mobility", l2="0.80001", l3="0.30001"), "all", wanted_out=OUT
    )
    assert not found.double.sure
    assert (found.precise.base.kept, found.precise.base.null) == (8, 4)
    assert float(found.precise.base.singular_values[6]) == pytest.approx(2.031e-15, rel=6e-4)
    assert found.forced.error > 0.1
    _known_of_lengths(found, Fraction("0.30"), Fraction("0.80001"), Fraction("0.30001"))


def _known_of_lengths(found, first, second, third):
    """The four-bar's coefficients by hand, for any lengths, to 1e-30."""
    names, out = found.subject.names, found.precise.base.elimination
    values = by_name(names, out.kept, out.given_up, out.coefficients)
    known = {
        ("mx_crank", "m_coupler"): first,
        ("mx_crank", "J_coupler"): -first / second**2,
        ("J_crank", "m_coupler"): first**2,
        ("J_crank", "J_coupler"): -(first**2) / second**2,
        ("mx_coupler", "J_coupler"): -1 / second,
        ("mx_rocker", "J_coupler"): third / second**2,
        ("J_rocker", "J_coupler"): third**2 / second**2,
    }
    assert set(known) <= set(values)
    if found.exact is not None:
        # fractions, with numerators and denominators beyond 2^30
        out = found.exact.base.elimination
        fractions = by_name(names, out.kept, out.given_up, out.coefficients)
        assert {key: value for key, value in fractions.items() if value} == known
    for key, value in values.items():
        number = known.get(key, Fraction(0))
        assert abs(value * number.denominator - number.numerator) < 1e-30 * number.denominator


@pytest.mark.slow
def test_parallelogram():
    found = find_base_parameters(subject("parallelogram"), "all")
    assert found.double.rank == 3
    assert found.double.sure
    base = found.precise.base
    assert (base.kept, base.null, base.undecided) == (3, 9, 0)
    # on the other branch there would be 8
    assert found.exact.rank == 3


@pytest.mark.slow
def test_loops_close_to_the_digits():
    mechanism = subject("four-bar").mechanism
    for digits in (30, 60):
        precise, motion = compute_structure_motion(mechanism, 0, digits)
        closed = kinematics.close_drives(precise, motion.drive, motion.configuration)
        assert max(closed.residual) < mpmath.mpf(10) ** (3 - digits)


@pytest.mark.slow
def test_a_global_precision_changed_in_the_middle_does_no_harm(monkeypatch):
    one = subject("four-bar")
    own = dynamics.regressor

    def disturbed(mechanism, motion):
        mpmath.mp.dps = 7
        return own(mechanism, motion)

    before = mpmath.mp.dps
    monkeypatch.setattr("pkm_identification.mechanisms.multibody.analysis.subject.regressor", disturbed)
    try:
        found = find_base_parameters(one, "precise", wanted_out=OUT)
    finally:
        mpmath.mp.dps = before
    _known_of_lengths(found, Fraction("0.3"), Fraction("0.7"), Fraction("0.5"))


@pytest.mark.slow
def test_a_joint_exchanged_changes_the_count():
    """With a slider instead of the rocker's pivot the rocker only translates: fewer of its parameters are felt."""
    document = parse_text(builtin_mechanisms()["four-bar"])
    document["joints"]["rocker_pivot"] = {
        "type": "prismatic",
        "bodies": ["ground", "rocker"],
        "axis": ["1", "0", "0"],
    }
    document["joints"]["rocker_tip"]["place"] = [["l2", "0", "0"], ["0", "0", "0"]]
    document["readings"] = {}
    document["home"]["guess"] = {"crank_pivot": "1.2", "crank_tip": "-1.6", "rocker_pivot": "0.75"}
    slider = Subject.of_mechanism(Mechanism.from_document(document))
    found = find_base_parameters(slider, "all")
    assert found.disagreement == ""
    # crank mx, my, J; coupler m, mx, my, J; slider m: less one mass for each of the two hinges that bodies share
    assert found.precise.rank == found.double.rank == found.exact.rank == 6


@pytest.mark.slow
def test_the_table_has_19():
    found = find_base_parameters(subject("mast"), "all")
    assert (found.double.rank, found.double.sure) == (19, True)
    assert (found.precise.base.kept, found.precise.base.null, found.precise.base.undecided) == (19, 51, 0)
    assert found.exact.rank == 19


def test_random_states_are_the_same_in_every_arithmetic():
    mechanism = subject("mast").mechanism
    states = random_drives(mechanism, 5, seed=3)
    assert all(isinstance(value, Fraction) for part in states for value in part.ravel())
    _, rough = compute_structure_motion(mechanism, 5, seed=3)
    _, precise = compute_structure_motion(mechanism, 5, 30, seed=3)
    for a, b in ((rough.drive, precise.drive), (rough.velocity, precise.velocity)):
        np.testing.assert_allclose(b.astype(float), a, atol=1e-9)
    other = random_drives(mechanism, 5, seed=4)
    assert (other[0] != states[0]).any()


def test_hexapods_follow_their_own_analysis():
    for symmetry, count in (("general", 82), ("axisymmetric_alike", 14)):
        found = find_base_parameters(Subject.load("uf", symmetry), "double")
        assert found.double.rank == count
        assert found.double.sure
        assert found.precise is None


@pytest.mark.slow
def test_a_hexapod_in_thirty_digits_has_the_columns_of_the_compiled_one():
    one = Subject.of_machine(machine("hexel"), "axisymmetric_alike")
    columns = one._chosen(dynamics.regressor(*compute_structure_motion(one.mechanism, 4, 30))).astype(float)
    rough = one._chosen(dynamics.regressor(*compute_structure_motion(one.mechanism, 4)))
    np.testing.assert_allclose(columns, rough, atol=1e-9 * np.abs(rough).max())
    assert columns.shape == (4, 6, 18)
    # the same fourteen combinations span both
    whole = one._chosen(dynamics.regressor(*compute_structure_motion(one.mechanism, 30)))
    assert base_parameters(whole, one.names).count == 14


def test_what_cannot_be_used_is_refused():
    floats = parse_text(builtin_mechanisms()["four-bar"])
    floats["constants"]["l1"] = 0.3
    one = Subject.of_mechanism(Mechanism.from_document(floats))
    with pytest.raises(SettingsError, match=r"constants\.l1 = 0\.3 is a floating-point number"):
        find_base_parameters(one, "precise")
    assert find_base_parameters(one, "double").double.rank == 8
    with pytest.raises(SettingsError, match="'fast': must be one of double, precise, symbolic, exact, all"):
        find_base_parameters(one, "fast")
    with pytest.raises(SettingsError, match="parameter 'm_9' is none of four-bar"):
        find_base_parameters(one, "double", wanted_out=("m_9",))
    with pytest.raises(SettingsError, match="only a hexapod"):
        Subject.load("four-bar", "alike")
    with pytest.raises(MotionRefused, match="gravity: 1 combinations"):
        find_base_parameters(subject("parallelogram", A="0"), "double")
    short = parse_text(builtin_mechanisms()["four-bar"])
    short["motion"]["samples"] = "9"
    with pytest.raises(SettingsError, match=r"9 equations .* 12 parameters"):
        find_base_parameters(Subject.of_mechanism(Mechanism.from_document(short)), "double")


@pytest.mark.slow
def test_friction_of_the_joints_changes_no_base_parameter_of_the_bodies():
    plain, rubs = (
        find_base_parameters(Subject.of_machine(machine(d)), "symbolic").symbolic.base
        for d in ("uf", rubbing("uf"))
    )
    assert np.array_equal(rubs.elimination.kept, plain.elimination.kept)
    assert np.array_equal(rubs.elimination.given_up, plain.elimination.given_up)
