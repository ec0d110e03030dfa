# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""A log of another machine is refused by its lengths; a machine that is a little off its file is not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pkm_identification.errors import LogError
from pkm_identification.identification.experiment import Experiment
from pkm_identification.machines.load import as_machine
from pkm_identification.mechanisms.hexapod.kinematics.inverse import strut_lengths
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import DriveLog
from pkm_identification.signals.input_validation.another_machine import refuse_another_machine
from pkm_identification.simulation.trajectories import trajectory

NAMES = ("uf", "hexel", "ford")


def log_of(name: str) -> DriveLog:
    """Lengths of `rich`, without forces that mean anything."""
    machine = Machine.load(name)
    time = np.arange(0.0, 20.0, 0.02)
    motion = trajectory("rich", machine, 20.0).motion(time)
    return DriveLog(
        time, strut_lengths(machine, motion.position, motion.rotation), np.ones((len(time), 6)), "log.csv"
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_log_is_of_its_own_machine_alone(name):
    log = log_of(name)
    for other in NAMES:
        machine = Machine.load(other)
        if other == name:
            refuse_another_machine(log, as_machine(machine))
            continue
        if (name, other) == ("hexel", "ford"):  # which could move like that
            continue
        with pytest.raises(LogError, match=rf"^log\.csv: machine '{other}' .* [0-9.]+ % of its"):
            Experiment.of([log], machine)


def test_tolerances_spikes_and_missing_samples_are_no_other_machine():
    log, machine = log_of("uf"), Machine.load("uf")
    rng = np.random.default_rng(0)
    low, high = log.length.min(), log.length.max()
    stroke = high - low
    off = replace(
        machine,
        base_joints=machine.base_joints + rng.normal(scale=2e-3, size=(6, 3)),
        platform_joints=machine.platform_joints + rng.normal(scale=2e-3, size=(6, 3)),
        # a file that states a little less than the machine has
        length_limits=np.array([low + 0.01 * stroke, high - 0.01 * stroke]),
    )
    length = log.length.copy()
    length[::100] += 1.0
    length[50:150] = np.nan
    refuse_another_machine(replace(log, coordinate=length), as_machine(off))
    refuse_another_machine(replace(log, coordinate=np.full_like(length, np.nan)), as_machine(off))


@pytest.mark.slow
def test_lengths_in_the_columns_of_other_struts_are_another_fault():
    """`identify` finds the right order of a log that hardly has a pose as it is."""
    log, machine = log_of("uf"), Machine.load("uf")
    refuse_another_machine(replace(log, coordinate=log.length[:, [5, 0, 1, 2, 3, 4]]), as_machine(machine))
