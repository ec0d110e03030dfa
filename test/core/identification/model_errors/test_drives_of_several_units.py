# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""A machine whose drives measure in m and in rad: rates of friction and compliance are one of each unit."""

from __future__ import annotations

import numpy as np
import pytest
from core.identification.online.test_every_machine import PERIOD, moved_log
from core.machines.every_machine import machine as make_machine

from pkm_identification.errors import MachineError
from pkm_identification.exporting.estimated import with_estimate
from pkm_identification.identification.estimate_file import estimate_document
from pkm_identification.identification.identify import identify
from pkm_identification.identification.regression.friction import DriveFriction
from pkm_identification.identification.saved_estimate import saved_estimate
from pkm_identification.identification.settings import Settings
from pkm_identification.machines.load import read_machine
from pkm_identification.motion import DriveLog
from pkm_identification.parameters.assumptions import Assumptions

NAME = "epaas"  # four drives in m, the last one in rad
SECONDS = 8.0
TRANSITION, STRIBECK = {"m": 2e-3, "rad": 2e-2}, {"m": 1e-2, "rad": 0.15}  # m/s, rad/s
WITHIN = 4.0  # deviations


def of_units(values):
    return [values[drive.unit] for drive in make_machine(NAME).drives]


def with_friction(**numbers):
    one = make_machine(NAME)
    sizes = np.array([drive.size for drive in one.drives])
    coefficients = {"viscous": 0.02 * one.force_size / sizes, "coulomb": 0.15 * one.force_size}
    friction = {"transition_rate": of_units(TRANSITION)} | numbers
    friction |= {name: value.tolist() for name, value in coefficients.items()}
    return read_machine(dict(one.document) | {"friction": friction})


def bend_bristles(coordinate, displacement):
    """Dahl's bristles (N, n): z' = v (1 - z sign(v) / displacement), over the displacement; z changes little a step."""
    bent = np.zeros_like(coordinate)
    fine = 8
    for n in range(1, len(bent)):
        z = bent[n - 1]
        step = (coordinate[n] - coordinate[n - 1]) / fine / displacement
        for _ in range(fine):
            middle = z + 0.5 * (step - np.abs(step) * z)
            z = z + step - np.abs(step) * middle
        bent[n] = z
    return bent


def estimate(log, also):
    result = identify([DriveLog(*log, "log")], with_friction(), Settings.of(estimator="ls", also=also))
    found = zip(result.estimate.names, result.estimate.values, result.estimate.std, strict=True)
    return result, {name: (value, std) for name, value, std in found}


def assert_found(found, truth, relative):
    for name, value in truth.items():
        estimated, std = found[name]
        assert abs(estimated - value) < WITHIN * std, (name, estimated, std)
        assert std < relative * value, (name, std)


def test_a_law_of_each_drive_acts_along_it_alone():
    one = with_friction(law="stribeck", static_ratio=1.4, stribeck_rate=of_units(STRIBECK))
    assert [law.parameters.shape for law in one.friction] == 5 * [(3, 1)]
    assert [law.transition_rate for law in one.friction] == of_units(TRANSITION)
    assert one.friction[4].parameter("stribeck_rate") == STRIBECK["rad"]
    whole = one.loaded.description.friction
    np.testing.assert_array_equal(whole.laws, np.vstack([law.laws for law in one.friction]))


@pytest.mark.parametrize(
    ("rates", "said"), [([1.0, 2.0], "5 numbers"), ([1.0, 1.0, 0.0, 1.0, 1.0], "greater than zero")]
)
def test_rates_that_are_none_are_refused(rates, said):
    with pytest.raises(MachineError, match=f"transition_rate.*{said}"):
        with_friction(transition_rate=rates)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_stribeck_rates_of_both_units_are_found_and_exported(unjudged, seed):
    truth = with_friction(law="stribeck", static_ratio=1.4, stribeck_rate=of_units(STRIBECK))
    result, found = estimate(moved_log(truth, SECONDS, seed), ("friction_stribeck",))
    wanted = {f"friction_stribeck_rate_{unit}": rate for unit, rate in STRIBECK.items()}
    assert_found(found, {"friction_stribeck": 0.4, **wanted}, 0.05)
    saved = saved_estimate("estimate.json", estimate_document(result))
    law = with_estimate(with_friction(), saved, Assumptions()).machine.friction
    assert {one.law.name for one in law} == {"stribeck"}
    rates = [found[f"friction_stribeck_rate_{drive.unit}"][0] for drive in truth.drives]
    np.testing.assert_allclose([one.parameter("stribeck_rate")[0] for one in law], rates)
    np.testing.assert_allclose(
        [one.parameter("static_ratio")[0] for one in law], 1.0 + found["friction_stribeck"][0]
    )


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_transition_rates_of_both_units_are_found(unjudged, seed):
    rates = {"m": 2.0 * TRANSITION["m"], "rad": 0.6 * TRANSITION["rad"]}
    log = moved_log(with_friction(transition_rate=of_units(rates)), SECONDS, seed)
    _, found = estimate(log, ("friction_transition",))
    assert_found(found, {f"friction_transition_{unit}": rate for unit, rate in rates.items()}, 0.1)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_bristles_of_both_units_are_found(unjudged, seed):
    one, displacement = with_friction(), {"m": 2e-5, "rad": 3e-4}
    time, coordinate, force = moved_log(one, SECONDS, seed)
    coulomb = np.concatenate([law.coulomb for law in one.friction])
    rate = np.gradient(coordinate, PERIOD, axis=0)
    force -= coulomb * np.clip(rate / of_units(TRANSITION), -1.0, 1.0)
    force += coulomb * bend_bristles(coordinate, np.array(of_units(displacement)))
    _, found = estimate((time, coordinate, force), ("friction_presliding",))
    wanted = {f"friction_presliding_{unit}": size for unit, size in displacement.items()}
    assert_found(found, wanted, 0.2)
    assert found["friction_presliding_share"][0] == pytest.approx(1.0, abs=0.1)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_compliance_of_both_units_is_found(unjudged, seed):
    """Encoders show what the drives yield by, besides where the machine is."""
    one, compliance = with_friction(), {"m": 2e-6, "rad": 2e-4}
    time, coordinate, _ = moved_log(one, SECONDS, seed, rest=False)
    rate = np.gradient(coordinate, PERIOD, axis=0)
    moved = one.compute_motion(coordinate, rate, np.gradient(rate, PERIOD, axis=0))
    column = one.basis.nominal[:, None]
    rigid = one.compute_regressor(moved, column)
    whole = rigid.copy()
    DriveFriction.of(one, column).add(rate, whole)
    noise = np.random.default_rng(seed).standard_normal(coordinate.shape)
    force = whole[:, :, 0] + 0.01 * whole[:, :, 0].std(axis=0) * noise
    encoders = coordinate + np.array(of_units(compliance)) * rigid[:, :, 0]
    _, found = estimate((time, encoders, force), ("compliance",))
    assert_found(found, {f"compliance_{unit}": size for unit, size in compliance.items()}, 0.4)
