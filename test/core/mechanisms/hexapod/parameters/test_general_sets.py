# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""General parameter sets: they build up the model, have the rank they should, and estimators take them."""

from __future__ import annotations

import numpy as np
import pytest
from core.mechanisms.hexapod.dynamics.test_groups import HINGE, with_motor
from core.mechanisms.hexapod.machine_variants import BUILTIN, machine, untidy, with_joint
from core.platform_motions import states

from pkm_identification.estimation.identifiability.base_parameters import (
    base_parameters,
)
from pkm_identification.mechanisms.hexapod.analysis.base_parameters import random_states
from pkm_identification.mechanisms.hexapod.dynamics import regressor, strut_forces
from pkm_identification.mechanisms.hexapod.parameters.sets import GENERAL_SETS, list_hexapod_parameters

COUNTS = {"general": (52, 46), "general_motor": (58, 52), "alike": (27, 26), "alike_motor": (28, 27)}


@pytest.mark.parametrize("name", BUILTIN)
@pytest.mark.parametrize("which", GENERAL_SETS)
def test_set_and_what_is_known_give_the_force(name, which):
    m = machine(with_motor(with_joint(untidy(name), "universal", HINGE)))
    parameters = list_hexapod_parameters(m, which)
    motion = states(m, 50, 1)
    mapping = np.column_stack([parameters.mapping, parameters.known])
    found = regressor(m, motion, mapping) @ np.append(parameters.nominal, 1.0)
    force = strut_forces(m, motion)
    np.testing.assert_allclose(found, force, rtol=0, atol=1e-11 * np.abs(force).max())
    assert np.all(parameters.scale > 0.0)


@pytest.mark.parametrize("which", GENERAL_SETS)
def test_rank_is_that_of_the_bodies_and_friction(which):
    """34 or 14 of round struts, 12 of friction, one per motor; only the masses m_e merge with the platform."""
    m = machine(with_joint(untidy("uf"), "universal", HINGE))
    parameters = list_hexapod_parameters(m, which)
    columns = regressor(m, random_states(m, 60), parameters.mapping)
    platform = [name for name in parameters.names if name.endswith("_p")]
    base = base_parameters(columns, parameters.names, keep=platform)
    assert (len(parameters.names), base.count) == COUNTS[which]
    assert base.clear
    assert all(parameters.names[k].startswith("m_e") for k in base.grouped)


def test_first_moments_of_the_struts_are_found_without_knowing_their_centres():
    """Least squares on exact forces of a machine whose centres of mass the file does not know."""
    truth = machine(with_joint(untidy("uf", 5), "universal", HINGE))
    file = machine(with_joint("uf", "universal", HINGE))
    parameters = list_hexapod_parameters(file, "general")
    motion = states(truth, 200, 2)
    columns = regressor(file, motion, parameters.mapping).reshape(-1, len(parameters.names))
    known = (regressor(file, motion, parameters.known[:, None])).ravel()
    measured = strut_forces(truth, motion).ravel() - known
    found = parameters.scale * np.linalg.lstsq(columns * parameters.scale, measured, rcond=1e-10)[0]
    for i, strut in enumerate(truth.struts):
        h_e = found[parameters.names.index(f"h_e_{i + 1}")]
        h_b = found[parameters.names.index(f"h_b_{i + 1}")]
        assert h_e == pytest.approx(strut.body_e.mass * strut.body_e.center_of_mass, rel=1e-6)
        assert h_b == pytest.approx(strut.body_b.mass * strut.body_b.center_of_mass, rel=1e-6)
