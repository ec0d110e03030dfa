# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The thin grid of a log is as fine as what drives do asks for: a swing above the band makes forces in it."""

from __future__ import annotations

import numpy as np
import pytest
from core.identification.regression.drive_logs import PERIOD, five_bar

from pkm_identification.identification.model_errors import inner_joints
from pkm_identification.identification.model_errors.log_rows import rows_of_samples
from pkm_identification.identification.model_errors.platform import outside_forces
from pkm_identification.identification.model_errors.situation import Situation
from pkm_identification.identification.samples import Samples
from pkm_identification.signals.band import BandSettings


def rows_of_swings(machine, size):
    """Return the rows of a slow motion and one of `size` rad at 37 Hz."""
    time = np.arange(0.0, 4.0, PERIOD)
    drives = np.zeros((3, len(time), 2))
    drives[0] = machine.home
    for amplitude, omega in ((0.2, 2 * np.pi), (size, 2 * np.pi * 37.0)):
        phase = omega * time[:, None] + np.array([0.0, 1.0])
        drives[0] += amplitude * np.sin(phase)
        drives[1] += amplitude * omega * np.cos(phase)
        drives[2] -= amplitude * omega**2 * np.sin(phase)
    segment = np.zeros(len(time), dtype=np.int64)
    samples = Samples(time, machine.compute_motion(*drives), None, segment)
    return rows_of_samples(machine, machine.build_parameter_set(), samples, BandSettings(PERIOD))


@pytest.mark.parametrize(("size", "step"), [(0.0, 10), (0.02, 2)])  # rad at 37 Hz; samples
def test_a_grid_keeps_what_the_squares_of_swings_above_the_band_make(size, step):
    machine = five_bar()
    rows = rows_of_swings(machine, size)
    every = rows.in_band(machine.compute_forces(rows.motion, machine.basis.nominal))
    thin = rows.thin_in_band(machine.compute_forces(rows.thin_motion, machine.basis.nominal))
    assert rows.step == step
    inside = slice(12, -12)  # where no filter guesses what was before and after
    assert np.abs(every - thin)[inside].max() < 2e-3 * np.std(every)


@pytest.mark.parametrize("model", [inner_joints, outside_forces])
def test_friction_of_what_no_drive_moves_reverses_between_points_of_the_grid(model):
    machine = five_bar()
    thin, every = rows_of_swings(machine, 0.0), rows_of_swings(machine, 0.0)
    vars(every)["cutoff"] = np.inf  # all samples are on it
    assert (thin.step, every.step) == (10, 1)
    friction = [one for one in model.effects(machine) if "friction" in one.name]
    assert friction
    for effect in friction:
        of_thin, of_every = (
            effect.columns(Situation.of_samples(rows, machine.basis.nominal)) for rows in (thin, every)
        )
        inside = slice(12, -12)
        assert np.abs(of_thin - of_every)[inside].max() < 5e-3 * np.std(of_every)
