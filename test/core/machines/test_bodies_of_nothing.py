# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""A body that is nothing in the file, as of a joint's two axes, in a machine that has identified values."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pkm_identification.document import read_yaml
from pkm_identification.machines.load import read_machine

EXAMPLES = Path(__file__).parents[3] / "examples" / "machines"


@pytest.mark.parametrize(("name", "body", "seed"), [("ur10e", "link_5", 1), ("panda", "link_6", 2)])
def test_an_identified_arm_keeps_its_link_without_mass(name, body, seed):
    """Values off by their deviations are no reason to weigh it; a link of 2 kg is, if they tell of one."""
    document = read_yaml(EXAMPLES / f"{name}.yaml", "machine file", numbers_as_text=True)
    heavy = read_machine(document)
    document["bodies"][body] = {"mass": "0"}
    machine = read_machine(document)
    random = np.random.default_rng(seed)
    deviation = np.zeros(len(machine.basis))
    deviation[: machine.base.sums.shape[1]] = 1e-4
    values = machine.basis.nominal + deviation * random.standard_normal(len(deviation))
    found = machine.with_values(values, np.diag(deviation**2))
    assert found.mechanism.description.file["bodies"][body] == {"mass": "0"}
    shift = machine.base.sums @ (found.basis.nominal - values)[: machine.base.sums.shape[1]]
    spread = np.sqrt(
        np.diag(machine.base.sums @ np.diag(deviation[: len(machine.base.sums.T)] ** 2) @ machine.base.sums.T)
    )
    assert np.abs(shift / spread).max() < 4.0
    told = machine.with_values(heavy.basis.nominal, np.diag(deviation**2))
    assert float(told.mechanism.description.file["bodies"][body]["mass"]) > 0.0
