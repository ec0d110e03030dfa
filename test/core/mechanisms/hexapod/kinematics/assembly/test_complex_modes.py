# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Complex assembly modes: counts that are known, and poses that have the lengths."""

from __future__ import annotations

import numpy as np
import pytest
from core.mechanisms.hexapod.kinematics.assembly.dietmaier import BASE, LENGTH, PLATFORM

from pkm_identification.machines.load import load_machine
from pkm_identification.mechanisms.hexapod.kinematics.assembly.complex_modes import count_complex_modes


@pytest.mark.slow
def test_a_general_platform_has_forty():
    assert count_complex_modes(BASE, PLATFORM, LENGTH) == (40, 40, True)
    # most lengths make some of them complex, and none fewer
    total, real, settled = count_complex_modes(BASE, PLATFORM, 1.05 * LENGTH, seed=1)
    assert (total, settled) == (40, True)
    assert real < 40
    assert real % 2 == 0


@pytest.mark.parametrize("seed", [0, 1])
def test_the_special_one_has_eight_on_each_side_of_its_base(seed):
    machine = load_machine("uf")
    file = machine.description
    lengths = machine.home + 0.01 * np.random.default_rng(seed).standard_normal(6)
    total, real, settled = count_complex_modes(file.base_joints, file.platform_joints, lengths, seed)
    assert (total, settled) == (16, True)
    # as the search over real poses finds
    assert real == len(machine.find_modes(lengths))
