# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Machines drawn anew: they load and move, and the machine itself is 5 to 20 % off its file, with the same geometry."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.field.drawn_kinds import KINDS, draw_machine, draw_truth
from pkm_identification.machines.contract import DEGRADED
from pkm_identification.machines.load import read_machine
from pkm_identification.parameters.parameter import Kind


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_a_drawn_machine_moves_and_is_not_quite_its_file(kind):
    rng = np.random.default_rng(11)
    document = draw_machine(rng, kind)
    file, truth = read_machine(document), read_machine(draw_truth(rng, document))
    assert file.basis.names == truth.basis.names
    masses = np.array(
        [entry.kind is Kind.MASS and entry.symbol in ("m", "m_p", "m_e") for entry in file.basis]
    )
    massive = masses & (file.basis.nominal > 0.0)
    off = np.abs(truth.basis.nominal[massive] / file.basis.nominal[massive] - 1.0)
    assert off.min() > 0.0499
    assert off.max() < 0.2001
    still = np.zeros((3, len(file.drives)))
    near = file.home + 0.1 * rng.uniform(-1.0, 1.0, still.shape) * [drive.size for drive in file.drives]
    own, other = file.compute_motion(near, still, still), truth.compute_motion(near, still, still)
    assert (own.status <= DEGRADED).all()
    for a, b in zip(own.state, other.state, strict=True):
        np.testing.assert_allclose(a, b, atol=1e-9)
    forces = [one.compute_forces(own, one.basis.nominal) for one in (file, truth)]
    assert np.abs(forces[0] - forces[1]).max() > 0.01 * np.abs(forces[0]).max()
    again = draw_machine(np.random.default_rng(11), kind)
    assert again == document
