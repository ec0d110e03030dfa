# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Forces linear in a basis: a hexapod's, and an arm's, which the same estimators serve."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from core.mechanisms.hexapod.machine_variants import BUILTIN, machine, untidy
from core.mechanisms.serial_arm import JointMotion, SerialArm
from core.platform_motions import states

from pkm_identification.estimation.estimators import ESTIMATORS, Tuning
from pkm_identification.estimation.identifiability import IDENTIFIABLE, base_parameters
from pkm_identification.estimation.problem import Equations, Problem
from pkm_identification.mechanisms.hexapod.dynamics import strut_forces
from pkm_identification.mechanisms.hexapod.dynamics.regressor import regressor
from pkm_identification.mechanisms.hexapod.parameters.builder import build_hexapod_basis
from pkm_identification.parameters.parameter import Kind
from pkm_identification.parameters.parameter_set import ParameterSet
from pkm_identification.parameters.prior import Prior

NOISE = 0.01  # N m


@pytest.mark.parametrize("name", BUILTIN)
def test_forces_of_a_hexapod_are_linear_in_its_basis(name):
    m = machine(untidy(name))
    motion = states(m, 30, 3)
    basis = build_hexapod_basis(m)
    forces = regressor(m, motion, np.eye(len(basis))) @ basis.nominal
    expected = strut_forces(m, motion)
    assert forces.shape == (30, 6)
    assert np.abs(forces - expected).max() < 1e-11 * np.abs(expected).max()


def test_entries_of_the_basis_say_what_they_are():
    basis = build_hexapod_basis(machine("uf"))
    assert len(set(basis.names)) == len(basis)
    assert all(entry.scale > 0 for entry in basis)
    friction = [entry for entry in basis if entry.kind.friction]
    assert {entry.limb for entry in friction} == set(range(6))
    assert {entry.unit for entry in basis if entry.kind is Kind.INERTIA} == {"kg m^2"}
    assert {entry.body for entry in basis if entry.limb is None} == {"platform"}


@pytest.mark.parametrize("name", ["ls", "robust", "rls", "ukf"])
def test_an_arm_is_identified_by_the_same_estimators(name):
    """Base parameters of three joints from torques with noise: within four deviations, all of them shown."""
    arm = SerialArm(3, seed=7)
    motion = JointMotion.random(600, 3, 4)
    whole = arm.regressor(motion, np.eye(len(arm.basis)))
    base = base_parameters(whole, arm.basis.names)
    # sums of links that are metres apart: far from any one link's own value
    entries = tuple(replace(arm.basis.entries[k], scale=200.0) for k in base.independent)
    mapping = np.eye(len(arm.basis))[:, base.independent]
    parameters = ParameterSet("base", entries, mapping, np.zeros(len(arm.basis)))
    true = base.mapping @ arm.basis.nominal
    rng = np.random.default_rng(5)
    torque = arm.torques(motion) + NOISE * rng.normal(size=(600, 3))
    equations = Equations(
        time=np.arange(600.0),
        regressor=arm.regressor(motion, mapping),
        measured=torque,
        force=torque,
        segment=np.zeros(600, dtype=np.int64),
    )
    problem = Problem(parameters, Prior.of(parameters), equations, typical_force=10.0)
    fit = ESTIMATORS[name].fit(problem, Tuning())
    estimate = fit.estimate(problem)
    assert fit.converged
    assert set(estimate.status) == {IDENTIFIABLE}
    assert np.abs((estimate.values - true) / estimate.std).max() < 4.0
    # the noise alone decides what is left
    assert np.sqrt(np.diag(fit.noise)) == pytest.approx(NOISE, rel=0.15)
