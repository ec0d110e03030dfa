# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Sums that a fit has given to one body of each, shared among bodies as the file has them."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.field.drawn_kinds import draw_machine
from pkm_identification.identification.full_model.sums import build_views, share_among_bodies
from pkm_identification.machines.load import read_machine


@pytest.mark.parametrize("kind", ["five-bar", "serial_arm", "uf"])
def test_shared_sums_make_the_same_forces_and_those_of_the_file_are_its_bodies(kind):
    rng = np.random.default_rng(5)
    machine = read_machine(draw_machine(rng, kind))
    parameters, nominal = machine.build_parameter_set(machine.sums_set), np.asarray(machine.basis.nominal)
    factors, offsets = build_views(parameters, tuple(machine.basis.names))
    change = np.array([drive.size for drive in machine.drives])
    offset, rate, acceleration = 0.1 * rng.normal(size=(3, 20, len(change))) * change
    motion = machine.compute_motion(machine.home + offset, rate, acceleration)
    for factor in (1.0, rng.uniform(0.9, 1.1, len(factors))):
        fitted = parameters.mapping @ ((factors @ nominal + offsets) * factor) + parameters.known
        shared = share_among_bodies(machine, fitted)
        forces = [machine.compute_forces(motion, one) for one in (fitted, shared)]
        assert np.allclose(*forces, rtol=1e-6, atol=1e-6 * np.std(forces[0]))
        assert np.allclose(shared, nominal) == np.all(factor == 1.0)
