# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Forces with the drives' friction in one call are those of columns and laws, also of rods that are not round."""

from __future__ import annotations

import numpy as np
import pytest
from core.machines.every_machine import machine as make_machine
from core.machines.exact_logs import rich_motion

from pkm_identification.control.inverse_dynamics import InverseDynamics
from pkm_identification.mechanisms.friction import friction_force


@pytest.mark.parametrize("name", ["uf", "hexel"])
def test_drive_forces_are_columns_times_values_and_friction(name):
    machine, rng = make_machine(name), np.random.default_rng(6)
    values = machine.basis.nominal * rng.uniform(0.5, 2.0, len(machine.basis))
    time, coordinate, _ = rich_motion(machine, 2.0, 100.0)
    rate = np.gradient(coordinate, time, axis=0)
    motion = machine.compute_motion(coordinate, rate, np.gradient(rate, time, axis=0))
    expected = machine.compute_regressor(motion, np.diag(values)).sum(axis=2)
    for i, friction in enumerate(machine.with_values(values).friction):
        expected[:, i] += friction_force(rate[:, i : i + 1], friction)[:, 0]
    found = InverseDynamics(machine).compute(motion, values)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9 * np.abs(expected).max())
