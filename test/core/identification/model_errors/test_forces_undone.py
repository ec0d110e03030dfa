# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Gains and delays of forces are undone where the file has taken friction off what was measured."""

from __future__ import annotations

import numpy as np
import pytest
from core.identification.online.test_every_machine import moved_log
from core.machines.every_machine import machine as make_machine

from pkm_identification.identification.experiment import Experiment
from pkm_identification.identification.regression.friction import DriveFriction
from pkm_identification.identification.settings import Settings
from pkm_identification.machines.drives import compute_friction_inside
from pkm_identification.motion import DriveLog


def measure_left(log, one, also, value):
    """Return what the file's values leave of a log's equations by drive, over the force, with an effect undone."""
    experiment = Experiment.of([log], one, Settings.of(estimator="ls", also=(also,)))
    parameters = experiment.parameters
    values = np.where([also in name for name in parameters.names], value, parameters.nominal)
    equations = experiment.at(values).problem().equations
    left = equations.measured - equations.regressor[:, :, : len(values)] @ values
    return np.sqrt(np.mean(left**2, axis=0) / np.mean(equations.force**2, axis=0))


@pytest.mark.parametrize(("also", "value", "none"), [("force_gain", 1.05, 1.0), ("force_delay", 4e-3, 0.0)])
@pytest.mark.parametrize("name", ["epaas_hydraulic", "mast"])
def test_nothing_is_left_of_what_is_undone(name, also, value, none):
    one = make_machine(name)
    time, coordinate, _ = moved_log(one, 4.0)
    period = time[1]
    rate = np.gradient(coordinate, period, axis=0)
    motion = one.compute_motion(coordinate, rate, np.gradient(rate, period, axis=0))
    force = one.compute_regressor(motion, one.basis.nominal[:, None])
    DriveFriction.of(one, one.basis.nominal[:, None]).add(rate, force)
    inside = compute_friction_inside(one, rate)
    assert inside.any() == (name == "epaas_hydraulic")
    wrong = force[:, :, 0] + inside
    if also == "force_gain":
        wrong = value * wrong
    else:
        late = round(value / period)
        wrong[late:] = wrong[:-late].copy()
    log = DriveLog(time, coordinate, wrong)
    assert np.all(measure_left(log, one, also, value) < 0.1 * measure_left(log, one, also, none))
