# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""A log of hours, kept in files and taken in stretches, gives the numbers of one in memory and in one piece."""

from __future__ import annotations

from dataclasses import fields
from functools import partial
from unittest.mock import patch

import numpy as np
import pytest

from pkm_identification.errors import LogError
from pkm_identification.identification.experiment import Experiment
from pkm_identification.identification.identify import _refuse_beyond_memory, identify
from pkm_identification.identification.log_check import inspect_log
from pkm_identification.identification.long_logs.segments import compute_samples_by_segment
from pkm_identification.identification.samples import samples_of
from pkm_identification.identification.settings import Settings
from pkm_identification.identification.validation import predict
from pkm_identification.mechanisms.hexapod.dynamics import strut_forces
from pkm_identification.mechanisms.hexapod.kinematics.inverse import strut_lengths
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import DriveLog
from pkm_identification.numerics import large_arrays, memory
from pkm_identification.records.log import read_log, write_log
from pkm_identification.simulation.trajectories import trajectory

SHORTEST = 1  # samples of a stretch: as few as the reach of the filters allows
SAME = {"rtol": 1e-9, "atol": 1e-12}
LS = Settings.of(estimator="ls")


@pytest.fixture(scope="module")
def machine() -> Machine:
    return Machine.load("uf")


def rich_log(machine: Machine, count: int) -> DriveLog:
    """A rich motion with noise, two holes and a sample that is not finite."""
    motion = trajectory("rich", machine).motion(1e-3 * np.arange(count))
    random = np.random.default_rng(5)
    length = strut_lengths(machine, motion.position, motion.rotation)
    force = strut_forces(machine, motion)
    log = DriveLog(
        motion.time,
        length + 1e-7 * random.standard_normal(length.shape),
        force + random.standard_normal(force.shape),
    )
    log.force[count // 5, 2] = np.nan
    kept = np.ones(count, dtype=bool)
    kept[count // 4 : count // 4 + 3] = False
    kept[count // 3 : count // 3 + 40] = False
    return log[kept]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["log.csv.gz", "bag"])
def test_row_35_a_long_log_is_kept_in_files_and_gives_the_numbers_of_one_in_memory(
    machine, tmp_path, monkeypatch, name
):
    """Lengths, forces and equations of hours: temporary files, of which only what is in use is in memory."""
    write_log(tmp_path / name, rich_log(machine, 14_000))
    results, checks = [], []
    for _ in range(2):
        log = read_log(tmp_path / name, machine)
        results.append(identify([log], machine, LS))
        checks.append(inspect_log(log, machine))
        monkeypatch.setattr(large_arrays, "LARGEST_IN_MEMORY", 0)
    assert log.length.base is not None  # mapped, this time
    memory, files = results
    for one in ("values", "std"):
        np.testing.assert_allclose(getattr(files.estimate, one), getattr(memory.estimate, one), **SAME)
    assert files.estimate.status == memory.estimate.status
    assert files.dropped == memory.dropped
    assert_same_validation(files.validation, memory.validation)
    assert files.fit.ratio == pytest.approx(memory.fit.ratio, rel=1e-9)
    for field in fields(checks[0]):
        if field.name == "drives":  # whose unknown numbers are NaN
            assert repr(checks[1].drives) == repr(checks[0].drives)
        elif field.name != "identification":
            np.testing.assert_equal(getattr(checks[1], field.name), getattr(checks[0], field.name))


@pytest.mark.slow
def test_forces_predicted_in_stretches_are_those_of_one_piece(machine, monkeypatch):
    experiment = Experiment.of([rich_log(machine, 30_000)], machine, LS)
    (log,) = experiment.logs
    values = 1.02 * experiment.parameters.nominal
    settings = experiment.settings
    found = []
    for segments in (
        [samples_of(log, experiment.machine, settings.filter)],
        list(compute_samples_by_segment(log, experiment.machine, settings.filter, settings.band, SHORTEST)),
    ):
        monkeypatch.setattr(Experiment, "segments", lambda *_, segments=segments: segments)
        found.append(predict(experiment, [log], values))
    assert len(segments) > 2
    assert_same_validation(*found)


def assert_same_validation(one, other):
    np.testing.assert_array_equal(one.time, other.time)
    for field in fields(one):
        value, expected = getattr(one, field.name), getattr(other, field.name)
        if field.name in ("measured", "predicted"):
            assert np.abs(value - expected).max() <= 1e-9 * np.abs(expected).max()
        elif not isinstance(value, str):
            np.testing.assert_allclose(value, expected, rtol=1e-9)


def test_many_logs_that_are_taken_one_after_the_other_are_not_refused_for_their_sum():
    none = np.zeros((1000, 6))
    logs = [
        DriveLog(np.arange(1000.0)[:count], none[:count], none[:count], f"{count}") for count in (900, 1000)
    ]
    at_once = Settings.of(estimator="ls", also=["force_gain"])
    each = Settings.of(estimator="ls", causal=True)
    room = partial(patch.object, memory, "physical_memory")
    with room(return_value=1500 * memory.WHOLE):
        _refuse_beyond_memory(logs, LS)
        _refuse_beyond_memory(logs, each)
        with pytest.raises(LogError, match=r"^1000: --also force_gain: 1900 samples at once"):
            _refuse_beyond_memory(logs, at_once)
    too_small = room(return_value=950 * memory.WHOLE)
    with too_small, pytest.raises(LogError, match=r"^1000: --causal: 1000 samples at once"):
        _refuse_beyond_memory(logs, each)
