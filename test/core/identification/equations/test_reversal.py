# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Pulses where struts turn back, which take up what smoothing does to friction there."""

from __future__ import annotations

import numpy as np
from core.mechanisms.hexapod.machine_variants import machine
from core.platform_motions import six_axes

from pkm_identification.identification.equations.reversal import (
    REVERSAL_TIME,
    reversal_pulses,
    with_reversals,
)
from pkm_identification.machines.load import as_machine
from pkm_identification.mechanisms.hexapod.kinematics.inverse import strut_motion_from_platform
from pkm_identification.mechanisms.hexapod.parameters.sets import list_hexapod_parameters

PERIOD = 1e-4


def test_pulses_stand_at_reversals_only_and_hold_four_reversal_times():
    uf = machine("uf")
    motion = six_axes(uf, 3).at(np.arange(0.0, 2.0, PERIOD))
    _, rate, second = strut_motion_from_platform(uf, motion)
    pulses = reversal_pulses(as_machine(uf), rate, second)
    far = np.abs(rate) > np.abs(second) * REVERSAL_TIME + uf.friction.transition_rate
    assert np.all(pulses[far] == 0.0)
    for i in range(6):
        turns = np.flatnonzero(np.diff(np.sign(rate[:, i])))
        # well inside the log, and turning fast enough to be alone
        turns = [k for k in turns if 500 < k < len(rate) - 500 and abs(second[k, i]) > 0.5]
        assert turns
        for k in turns:
            area = pulses[k - 300 : k + 300, i].sum() * PERIOD
            np.testing.assert_allclose(area, np.sign(second[k, i]) * 4 * REVERSAL_TIME, rtol=0.03)


def test_the_factors_are_nuisance_behind_the_parameters():
    uf = machine("uf")
    plain = list_hexapod_parameters(uf, "identifiable")
    widened = with_reversals(plain, as_machine(uf))
    assert widened.nuisance == 6
    assert widened.names[: -widened.nuisance] == plain.names
    assert not np.any(widened.mapping[:, -6:])
    assert np.all(widened.scale[-6:] > 0)


def test_a_set_without_friction_stays_as_it_is():
    uf = machine("uf")
    plain = list_hexapod_parameters(uf, "oh12")
    assert with_reversals(plain, as_machine(uf)) is plain
