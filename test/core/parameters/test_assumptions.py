# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Fixed and tied parameters, stated priors: sets like any other, refused with a reason where they make no sense."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from core.estimation.toy_problems import equations, parameter_set, prior_of
from core.mechanisms.hexapod.machine_variants import machine, untidy
from core.platform_motions import states

from pkm_identification.errors import PkmError
from pkm_identification.estimation.batch.least_squares import least_squares
from pkm_identification.estimation.estimate import make_estimate
from pkm_identification.identification.online.online_estimator import OnlineEstimator
from pkm_identification.identification.settings import Settings
from pkm_identification.mechanisms.hexapod.dynamics import basis_parameters, regressor
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.mechanisms.hexapod.parameters.sets import NAMES, list_hexapod_parameters
from pkm_identification.parameters.assumptions import (
    Assumptions,
    Fix,
    PriorValue,
    Tie,
    read_prior,
)
from pkm_identification.parameters.prior import Prior


@pytest.mark.parametrize("which", NAMES)
def test_whatever_is_fixed_at_the_file_and_its_nominal_rest_is_the_machine(which):
    made = machine(untidy("uf"))
    whole = list_hexapod_parameters(made, which)
    fixed = tuple(Fix(name) for name in whole.names[::3])
    left = Assumptions(fixed=fixed).apply(whole)
    assert set(left.names) | {fix.name for fix in fixed} == set(whole.names)
    basis = basis_parameters(made)
    np.testing.assert_allclose(
        left.mapping @ left.nominal + left.known, basis, rtol=1e-12, atol=1e-12 * np.abs(basis).max()
    )


def test_fixed_value_acts_as_if_the_parameter_had_it():
    made = Machine.load("uf")
    whole = list_hexapod_parameters(made)
    left = Assumptions(fixed=(Fix("m_e", 2.5), Fix("coulomb_3", 7.0))).apply(whole)
    rng = np.random.default_rng(1)
    values = rng.normal(size=len(left.names)) * left.scale
    motion = states(made, 20, 2)
    force = regressor(made, motion, np.column_stack([left.mapping, left.known])) @ np.append(values, 1.0)
    full = dict(zip(left.names, values, strict=True)) | {"m_e": 2.5, "coulomb_3": 7.0}
    columns = regressor(made, motion, np.column_stack([whole.mapping, whole.known]))
    expected = columns @ np.array([*(full[name] for name in whole.names), 1.0])
    np.testing.assert_allclose(force, expected, atol=1e-11 * np.abs(expected).max())


def test_tied_parameters_move_together():
    made = Machine.load("uf")
    whole = list_hexapod_parameters(made)
    ties = (Tie("viscous_2", "viscous_1", 0.5), Tie("viscous_3", "viscous_1"), Tie("m_e", "m_b", 0.25))
    left = Assumptions(tied=ties, fixed=(Fix("m_b", 8.0),)).apply(whole)
    assert len(left.names) == len(whole.names) - 4
    rng = np.random.default_rng(3)
    values = rng.normal(size=len(left.names)) * left.scale
    full = dict(zip(left.names, values, strict=True))
    full |= {"viscous_2": 0.5 * full["viscous_1"], "viscous_3": full["viscous_1"], "m_b": 8.0, "m_e": 2.0}
    expected = whole.mapping @ np.array([full[name] for name in whole.names]) + whole.known
    np.testing.assert_allclose(left.mapping @ values + left.known, expected, atol=1e-12)


def test_stated_prior_is_the_prior():
    whole = list_hexapod_parameters(Machine.load("uf"))
    left = Assumptions(prior_values=(PriorValue("m_p", 5.1, 0.02), PriorValue("m_b", None, 0.1))).apply(whole)
    prior, plain = Prior.of(left), Prior.of(whole)
    k, other = left.names.index("m_p"), left.names.index("m_b")
    assert (prior.mean[k], prior.std[k]) == (5.1, 0.02)
    assert (prior.mean[other], prior.std[other]) == (plain.mean[other], 0.1)
    rest = [i for i in range(len(left.names)) if i not in (k, other)]
    np.testing.assert_array_equal(prior.mean[rest], plain.mean[rest])
    np.testing.assert_array_equal(left.nominal, whole.nominal)  # still what the file says


def test_online_estimator_has_what_is_left():
    assumptions = Assumptions(fixed=(Fix("Ia_b+Ia_e"),), tied=(Tie("m_e", "m_b"),))
    machine = Machine.load("uf")
    online = OnlineEstimator(machine, Settings.of(estimator="rls", assumptions=assumptions).resolve(machine))
    assert "Ia_b+Ia_e" not in online.estimate.names
    assert len(online.estimate.names) == 18


@pytest.mark.parametrize(
    ("assumptions", "words"),
    [
        (Assumptions(fixed=(Fix("mass"),)), "no parameter 'mass'.*identifiable.*m_p, m_b"),
        (Assumptions(tied=(Tie("m_b", "m_q"),)), "tie m_b=m_q.*'m_q'"),
        (Assumptions(tied=(Tie("m_b", "m_b"),)), "itself"),
        (Assumptions(tied=(Tie("m_b", "viscous_1"),)), "m_b is in kg, viscous_1 in N s/m"),
        (Assumptions(tied=(Tie("m_b", "m_e"), Tie("m_p", "m_b"))), "'m_b'"),
        (Assumptions(fixed=(Fix("m_p"), Fix("m_p"))), "'m_p'"),
        (
            Assumptions(fixed=(Fix("m_p"),), prior_values=(PriorValue("m_p", 1.0, 1.0, "cad.yaml"),)),
            "cad.yaml.*'m_p'",
        ),
        (
            Assumptions(fixed=tuple(map(Fix, list_hexapod_parameters(Machine.load("uf")).names))),
            "no parameter remains",
        ),
    ],
)
def test_what_makes_no_sense_is_refused(assumptions, words):
    with pytest.raises(PkmError, match=words):
        assumptions.apply(list_hexapod_parameters(Machine.load("uf")))


def test_arguments_are_read():
    assert Fix.parse("It_b+It_e=0.5") == Fix("It_b+It_e", 0.5)
    assert Fix.parse("m_p") == Fix("m_p", None)
    assert Tie.parse("m_e=m_b") == Tie("m_e", "m_b", 1.0)
    assert Tie.parse("m_e=m_b*0.25") == Tie("m_e", "m_b", 0.25)
    for text in ("=3", "m_p=", "m_p=heavy", "m_p=nan"):
        with pytest.raises(PkmError, match=r"^fix "):
            Fix.parse(text)
    for text in ("m_e", "m_e=", "=m_b", "m_e=m_b*", "m_e=m_b*x", "m_e=m_b*inf"):
        with pytest.raises(PkmError, match=r"^tie "):
            Tie.parse(text)


def test_prior_file_is_read(tmp_path):
    path = tmp_path / "cad.yaml"
    path.write_text("m_p: {value: 4.9, std: 0.05}\nIt_b+It_e: {std: 0.01}\n")
    assert read_prior(path) == (
        PriorValue("m_p", 4.9, 0.05, str(path)),
        PriorValue("It_b+It_e", None, 0.01, str(path)),
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("m_p: {value: 4.9, std: 0}", "m_p.std = 0: must be greater than zero"),
        ("m_p: {value: 4.9, std: -1.0}", "m_p.std = -1"),
        ("m_p: {value: 4.9}", "'m_p.std' is missing"),
        ("m_p: {value: x, std: 1}", "m_p.value = 'x': must be a number"),
        ("m_p: {value: .nan, std: 1}", "m_p.value.*finite"),
        ("m_p: {value: 1, std: 1, unit: kg}", "unknown key 'unit' in 'm_p'"),
        ("m_p: 4.9", "m_p must be a mapping"),
        ("m_p: {std: 1}\nm_p: {std: 2}", "'m_p' is given twice"),
        ("", "expected a mapping"),
        ("- m_p", "expected a mapping"),
        ("m_p: [", "line 1"),
        ("? [a]\n: 1", "cad.yaml"),
    ],
)
def test_wrong_prior_file_is_refused_by_key(tmp_path, text, words):
    path = tmp_path / "cad.yaml"
    path.write_text(text)
    with pytest.raises(PkmError, match=words) as stop:
        read_prior(path)
    assert "cad.yaml" in str(stop.value)
    assert "\n" not in str(stop.value)


def test_missing_prior_file_is_named(tmp_path):
    with pytest.raises(PkmError, match=r"prior file '.*none.yaml': cannot be read: No such file"):
        read_prior(tmp_path / "none.yaml")


# what a stated prior does to the statuses


def assessed(believed_std: dict[int, float], information: float = 1e6, together: bool = False) -> tuple:
    """Statuses of three parameters of scale 1: the data know a to 1e-3 (alone, or only a + b), b not, c to 1e-3."""
    parameters = parameter_set(Prior(np.ones(3), np.ones(3)))
    std = np.ones(3)
    for k, value in believed_std.items():
        std[k] = value
    parameters = replace(parameters, prior_mean=np.ones(3), prior_std=std)
    prior = Prior.of(parameters)
    rows = np.array([[1.0, 1.0 if together else 0.0, 0.0], [0.0, 0.0, 1.0]])
    covariance = np.linalg.inv(information * rows.T @ rows + np.diag(1.0 / prior.std**2))
    return make_estimate(
        parameters, prior, np.ones(3), covariance, nis=1.0, nis_dof=1, count=9, time=0.0, estimator="ls", model="force"
    )  # fmt: skip


def test_nothing_stated_the_status_is_the_datas():
    assert assessed({}).status == ("identifiable", "unidentifiable", "identifiable")


@pytest.mark.parametrize(
    ("std", "status"),
    [(0.5, "identifiable"), (0.01, "identifiable"), (1.2e-3, "unidentifiable"), (1e-4, "unidentifiable")],
)
def test_parameter_that_is_mostly_its_stated_prior_is_not_shown(std, status):
    """The data know it to 1e-3: twice as well as was stated is found, hardly better is not."""
    estimate = assessed({0: std})
    assert estimate.status[0] == status
    assert (estimate.shown("a") is None) == (status != "identifiable")


def test_stated_prior_of_what_the_data_do_not_show_is_never_shown():
    for std in (1e-6, 1e-3, 0.04, 0.3):
        assert assessed({1: std}).status == ("identifiable", "unidentifiable", "identifiable")


def test_stated_prior_of_one_resolves_the_other_of_a_sum():
    assert assessed({}, together=True).status[:2] == ("combination", "combination")
    found = assessed({1: 1e-3}, together=True)
    assert found.status[:2] == ("identifiable", "unidentifiable")
    # and its standard deviation holds that of the prior
    assert found.std[0] == pytest.approx(np.hypot(1e-3, 1e-3), rel=0.01)


def test_prior_wider_than_a_large_error_makes_nothing_identifiable():
    """1 in 100 is resolved to 1 %, but 1 is a large error."""
    assert assessed({0: 100.0}, information=1.0).status[0] == "unidentifiable"


def test_stated_prior_is_weighed_against_the_data():
    """Least squares with a prior is the mean weighted with precisions."""
    parameters = parameter_set(prior_of(1, 2))
    parameters = replace(parameters, prior_mean=np.array([3.0]), prior_std=np.array([0.1]))
    measured = np.random.default_rng(4).normal(2.0, 1.0, (400, 1))
    fit = least_squares(equations(np.ones((400, 1, 1)), measured), Prior.of(parameters), noise=np.eye(1))
    weight = np.array([400.0, 100.0])
    assert fit.mean[0] == pytest.approx(weight @ [measured.mean(), 3.0] / weight.sum(), rel=1e-9)
