# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Coulomb friction that differs by direction: a law with three coefficients, from the machine file to the estimate."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from core.mechanisms.hexapod.machine_variants import changed, machine
from core.platform_motions import states

import pkm_identification as pkm
from pkm_identification.errors import MachineError
from pkm_identification.identification.estimate_file import write_estimate_json
from pkm_identification.identification.identify import identify
from pkm_identification.identification.settings import Settings
from pkm_identification.mechanisms.friction import friction_force, friction_slopes, friction_terms
from pkm_identification.mechanisms.hexapod.dynamics import strut_forces
from pkm_identification.mechanisms.hexapod.dynamics.regressor import regressor
from pkm_identification.mechanisms.hexapod.kinematics.inverse import strut_motion_from_platform
from pkm_identification.mechanisms.hexapod.parameters.builder import build_hexapod_basis
from pkm_identification.parameters.parameter import Kind
from pkm_identification.simulation.perturbation import perturb_machine
from pkm_identification.simulation.sensors import SensorSettings
from pkm_identification.simulation.simulator import simulate

VISCOUS = [1258.0, 1012.0, 1098.0, 3517.0, 962.0, 1309.0]
COULOMB = [50.0, 49.0, 58.0, 99.0, 43.0, 63.0]
ASYMMETRY = [10.0, -9.0, 12.0, 20.0, -8.0, 13.0]
KEYS = {"viscous": VISCOUS, "coulomb": COULOMB, "transition_rate": 0.004}


def asymmetric(asymmetry=ASYMMETRY):
    return machine(changed("uf", friction={**KEYS, "law": "asymmetric", "asymmetry": list(asymmetry)}))


def test_formula():
    m = asymmetric()
    rate = np.linspace(-0.1, 0.1, 801)[:, None] * np.ones(6)
    bend = np.clip(rate / 0.004, -1, 1)
    expected = np.array(VISCOUS) * rate + np.array(COULOMB) * bend + np.array(ASYMMETRY) * np.abs(bend)
    np.testing.assert_allclose(friction_force(rate, m.friction), expected, rtol=1e-13, atol=1e-12)


def test_slopes_are_those_of_the_terms():
    law = asymmetric().friction.law_parameters
    for rate in (-0.05, -0.003, 0.001, 0.0035, 0.2):
        step = 1e-7
        finite = (np.array(friction_terms(rate + step, law)) - friction_terms(rate - step, law)) / (2 * step)
        np.testing.assert_allclose(friction_slopes(rate, law), finite, rtol=1e-6, atol=1e-6)


def test_forces_and_regressor_have_it():
    m = asymmetric()
    motion = states(m, 40, 2)
    basis = build_hexapod_basis(m)
    assert len(basis) == 70
    assert [entry.name for entry in basis if entry.kind is Kind.FRICTION] == [
        f"asymmetry_{i}" for i in range(1, 7)
    ]
    force = strut_forces(m, motion)
    np.testing.assert_allclose(
        regressor(m, motion, np.eye(70)) @ basis.nominal, force, rtol=1e-10, atol=1e-10
    )
    rate = strut_motion_from_platform(m, motion)[1]
    friction = force - strut_forces(m, motion, friction=False)
    np.testing.assert_allclose(friction, friction_force(rate, m.friction), rtol=1e-9, atol=1e-9)


@cache
def log():
    """8 s of a machine whose masses and friction differ from the file, with encoders and noisy currents."""
    nominal = asymmetric(np.zeros(6))
    truth = perturb_machine(asymmetric(), 3, 0.1)
    sensors = SensorSettings(current_noise=0.005)
    return nominal, truth, simulate(truth, "rich", 8.0, nominal=nominal, sensors=sensors, seed=4).log()


@cache
def identified(estimator="ls", **settings):
    nominal, _, recorded = log()
    return identify([recorded], nominal, Settings.of(estimator=estimator, **settings))


@pytest.mark.slow
@pytest.mark.usefixtures("unjudged")
@pytest.mark.parametrize(
    "settings",
    [{"estimator": name} for name in ("ls", "robust", "rls", "ukf")]
    + [{"estimator": "ukf", "causal": True}, {"estimator": "ls", "consistent": True}],
    ids=lambda values: "-".join(map(str, values.values())),
)
def test_it_is_estimated(settings):
    truth, estimate = log()[1], identified(**settings).estimate
    places = [estimate.names.index(f"asymmetry_{i}") for i in range(1, 7)]
    true = truth.friction.coefficients[2]
    assert {estimate.status[k] for k in places} == {"identifiable"}
    z = (estimate.values[places] - true) / estimate.std[places]
    assert np.abs(z).max() < 4.0
    assert estimate.std[places].max() < 0.05 * np.abs(true).max()


@pytest.mark.slow
@pytest.mark.usefixtures("unjudged")
def test_without_it_the_residual_shows_that_something_is_missing():
    symmetric = machine(changed("uf", friction=dict(KEYS)))
    missing = identify([log()[2]], symmetric, Settings.of(estimator="ls")).residual_rms
    assert np.all(missing > 3.0 * identified().residual_rms)


@pytest.mark.slow
def test_an_estimate_of_it_is_exported_and_loaded(tmp_path):
    write_estimate_json(tmp_path / "e.json", identified(consistent=True))
    result = pkm.load(tmp_path / "e.json", log()[0])
    again = pkm.load_machine(pkm.export(result.machine_identified(), tmp_path / "identified.yaml"))
    assert again.friction.law.name == "asymmetric"
    true = log()[1].friction.coefficients[2]
    np.testing.assert_allclose(again.friction.coefficients[2], true, atol=1.0)


@pytest.mark.parametrize(
    ("friction", "words"),
    [
        ({"law": "asymmetric"}, "asymmetry"),
        ({"asymmetry": ASYMMETRY}, "asymmetry"),
        ({"law": "asymmetric", "asymmetry": [1.0] * 5}, "asymmetry"),
        ({"law": "asymmetric", "asymmetry": [51.0, 0, 0, 0, 0, 0]}, "asymmetry"),
    ],
)
def test_wrong_keys_are_named(friction, words):
    with pytest.raises(MachineError, match=words):
        machine(changed("uf", friction={**KEYS, **friction}))


def test_a_machine_without_asymmetry_is_a_coulomb_machine():
    m = asymmetric(np.zeros(6))
    plain = machine(changed("uf", friction=dict(KEYS)))
    motion = states(m, 20, 5)
    np.testing.assert_array_equal(strut_forces(m, motion), strut_forces(plain, motion))
    assert replace(m, friction=plain.friction).friction.law.name == "coulomb"
