# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Identification through drives: what a file says of them is taken into account, what it does not say shows."""

from __future__ import annotations

import copy
from dataclasses import replace

import numpy as np
import pytest

from pkm_identification.errors import SettingsError
from pkm_identification.exporting.corrected_effects import with_effects_known
from pkm_identification.identification.identify import identify
from pkm_identification.identification.model_errors.estimated.registry import extended_set
from pkm_identification.identification.settings import FULL, Settings
from pkm_identification.machines.load import read_machine
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.simulation.perturbation import perturb_machine
from pkm_identification.simulation.sensors import SensorSettings
from pkm_identification.simulation.simulator import simulate

# 5 kg along each strut; a screw that loses much, and friction inside.
SCREW = {
    "type": "screw", "torque_constant": 0.48, "lead": 0.02, "current_limit": 20.0, "inertia": 5.066e-5,
    "efficiency": 0.9, "back_efficiency": 0.85, "viscous": 200.0, "coulomb": 15.0, "transition_rate": 0.002,
}  # fmt: skip


def with_screws(**keys):
    document = copy.deepcopy(Machine.load("uf").document)
    document["actuator"] = SCREW | keys
    return Machine.from_document(document, "screws")


@pytest.fixture(scope="module")
def log():
    nominal = with_screws()
    return simulate(perturb_machine(nominal, 3), "rich", 8.0, nominal=nominal, seed=3).log()


def settings(*also, **changes):
    chosen = Settings(**changes)
    return replace(chosen, estimator=replace(chosen.estimator, also=also))


def off(result, machine):
    """Errors of the parameters in standard deviations, of the machine that was simulated."""
    estimate = result.estimate
    true = Settings().parameter_set(perturb_machine(machine, 3))
    known = dict(zip(true.names, true.nominal, strict=True))
    return np.array(
        [
            (value - known[name]) / std
            for name, value, std in zip(estimate.names, estimate.values, estimate.std, strict=True)
            if name in known
        ]
    )


@pytest.mark.slow
def test_screws_are_seen_through_and_missed_when_they_are_not_in_the_file(log):
    machine = with_screws()
    result = identify([log], machine, settings())
    assert np.abs(off(result, machine)).max() < 4.0
    assert result.fit.adequate

    left_out = identify([log], Machine.load("uf"), settings())
    assert np.abs(off(left_out, machine)).max() > 5.0
    assert not left_out.fit.adequate


@pytest.mark.slow
@pytest.mark.usefixtures("unjudged")
def test_efficiency_and_motor_inertia_come_back_from_a_wrong_file(log):
    # the same losses in both directions less than the truth's, and 2 kg less of motor
    wrong = with_screws(efficiency=0.95, back_efficiency=1 / (1 / 0.85 - 0.05), inertia=3.04e-5)
    result = identify([log], wrong, settings("efficiency", "motor_inertia"))
    estimate = result.estimate
    more = (5.066e-5 - 3.04e-5) * (2 * np.pi / 0.02) ** 2
    for name, expected in (("efficiency", 0.9), ("motor_inertia", more)):
        value, std = valued(estimate, name), estimate.std[estimate.names.index(name)]
        assert value == pytest.approx(expected, abs=4 * std)
        assert std < 0.02 * max(expected, 1.0)
    assert np.abs(off(result, wrong)).max() < 4.0

    cured, left = with_effects_known(wrong, settings("efficiency").estimator, _values(wrong, estimate))
    assert left == ()
    screw = cured.actuators[0]
    assert screw.efficiency == pytest.approx(valued(estimate, "efficiency"))
    assert 1 / screw.back_efficiency == pytest.approx(1 / 0.85, abs=0.01)


def valued(estimate, name):
    return float(estimate.values[estimate.names.index(name)])


def _values(machine, estimate):
    """Values of the set with efficiency alone."""
    parameters, _ = extended_set(machine, Settings().estimator.parameters, ["efficiency"])
    return np.array([valued(estimate, name) for name in parameters.names])


@pytest.mark.slow
@pytest.mark.usefixtures("unjudged")
def test_the_causal_chain_sees_through_them_too(log):
    machine = with_screws()
    result = identify([log], machine, replace(settings(), causal=True))
    assert np.abs(off(result, machine)).max() < 5.0


@pytest.mark.slow
@pytest.mark.usefixtures("unjudged")
def test_servos_on_held_setpoints_cost_no_viscous_friction():
    """What a staircase of setpoints leaves in the oil's force at the samples is .43 N s/m here."""
    nominal = Machine.load("uf_hydraulic")
    truth, perfect = perturb_machine(nominal, 3), SensorSettings.perfect()
    log = simulate(truth, "rich", 8.0, nominal=nominal, sensors=perfect).log()
    estimate = identify([log], nominal, settings()).estimate
    found = [valued(estimate, f"viscous_{i + 1}") for i in range(6)]
    np.testing.assert_allclose(found, truth.friction.coefficients[0], atol=0.15)


def test_a_machine_without_screws_has_no_efficiency_to_find():
    with pytest.raises(SettingsError, match="also 'efficiency': machine 'uf' has no drives of type 'screw'"):
        extended_set(Machine.load("uf"), Settings().estimator.parameters, ["efficiency"])


@pytest.mark.slow
def test_a_factor_of_the_forces_is_one_of_the_friction_inside_too():
    """Of forces 2 % too large, 2 % of the friction that the file takes off is left: deviations hold that."""
    document = copy.deepcopy(dict(Machine.load("uf").document))
    document["friction"] |= {"viscous": [0.0] * 6, "coulomb": [0.0] * 6}
    document["actuator"] = {"type": "ideal", "viscous": 400.0, "coulomb": 20.0}
    machine = read_machine(document)
    log = simulate(machine, "rich", 8.0, seed=3).log()
    answer = identify([replace(log, force=1.02 * log.force)], machine, Settings.of(estimator=FULL)).answer
    found = {one.name: one for one in answer.values}
    for k in range(1, 7):
        assert 5.0 < found[f"viscous_{k}"].value < 11.0
        assert abs(found[f"viscous_{k}"].value) < 2.0 * found[f"viscous_{k}"].std
