# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Perturbed machines: visibly different, still possible, the same for the same seed."""

from __future__ import annotations

import numpy as np
import pytest
from core.mechanisms.hexapod.machine_variants import BUILTIN, machine, untidy
from hypothesis import given
from hypothesis import strategies as st

from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.simulation.perturbation import perturb_machine


def values(made: Machine) -> np.ndarray:
    bodies = [(body.mass, body.transverse) for strut in made.struts for body in (strut.body_b, strut.body_e)]
    return np.array([made.platform.mass, *np.linalg.eigvalsh(made.platform.inertia), *np.ravel(bodies)])


@pytest.mark.slow
@given(seed=st.integers(0, 2**32 - 1), fraction=st.floats(0.01, 0.9), tidy=st.booleans())
def test_every_parameter_moves_but_not_too_far(seed, fraction, tidy):
    nominal = machine("uf" if tidy else untidy("uf", seed % 100))
    true = perturb_machine(nominal, seed, fraction)  # a body nobody can build would be refused here
    ratio = values(true) / values(nominal)
    assert (np.abs(ratio - 1) <= fraction * (1 + 1e-9)).all()
    for name in ("viscous", "coulomb"):
        friction = getattr(true.friction, name) / getattr(nominal.friction, name)
        assert (np.abs(friction - 1) <= fraction * (1 + 1e-9)).all()
        assert (np.abs(friction - 1) >= 0.3 * fraction * (1 - 1e-9)).all()
    masses = np.array([true.platform.mass / nominal.platform.mass, ratio[4]])
    assert (np.abs(masses - 1) >= 0.3 * fraction * (1 - 1e-9)).all()
    np.testing.assert_array_equal(true.base_joints, nominal.base_joints)
    np.testing.assert_array_equal(true.platform.center_of_mass, nominal.platform.center_of_mass)
    assert true.drive.force_limit == nominal.drive.force_limit


@pytest.mark.parametrize("name", BUILTIN)
def test_seeds(name):
    nominal = Machine.load(name)
    one, same, other = perturb_machine(nominal, 1), perturb_machine(nominal, 1), perturb_machine(nominal, 2)
    assert one.hash == same.hash
    assert len({one.hash, other.hash, nominal.hash}) == 3
    assert len(set(one.struts)) == 1  # struts that are alike stay alike
    np.testing.assert_allclose(values(perturb_machine(nominal, 1, 0.0)), values(nominal), rtol=1e-12)


def test_different_struts_stay_different():
    nominal = machine(untidy("uf", 1))
    assert len(set(perturb_machine(nominal, 5).struts)) == len(set(nominal.struts)) == 6


@pytest.mark.parametrize("fraction", [-0.1, 1.0, np.nan])
def test_impossible_fractions(fraction):
    with pytest.raises(ValueError, match="fraction"):
        perturb_machine(Machine.load("uf"), 0, fraction)
