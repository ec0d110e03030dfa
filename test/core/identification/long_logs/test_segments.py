# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""A log taken in stretches gives the equations that it gives in one piece, in memory that does not grow with it."""

import tracemalloc
from dataclasses import replace

import numpy as np
import pytest

from pkm_identification.estimation.equations import Equations
from pkm_identification.estimation.problem import Problem
from pkm_identification.identification.experiment import Experiment
from pkm_identification.identification.long_logs import excerpt as excerpts
from pkm_identification.identification.long_logs.excerpt import excerpt
from pkm_identification.identification.long_logs.segments import compute_samples_by_segment
from pkm_identification.identification.problem_builder import build_problem
from pkm_identification.identification.samples import samples_of
from pkm_identification.identification.settings import Settings
from pkm_identification.mechanisms.hexapod.kinematics.inverse import strut_lengths
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import DriveLog
from pkm_identification.numerics.rows import segment_slices

PERIOD = 1e-3
SHORTEST = 1  # samples of a stretch: as few as the reach of the filters allows, 8520 here


@pytest.fixture(scope="module")
def machine() -> Machine:
    return Machine.load("uf")


def moving_log(machine: Machine, count: int, seed: int = 0) -> DriveLog:
    """Lengths that swing by millimetres about home with an encoder's noise; forces that swing and rustle."""
    random = np.random.default_rng(seed)
    time = PERIOD * np.arange(count)
    home = strut_lengths(machine, machine.home_position[None], machine.home_rotation[None])
    swing = [
        np.sin(2 * np.pi * np.outer(time, random.uniform(0.2, 3.0, 6)) + random.uniform(0, 6, 6))
        for _ in range(2)
    ]
    length = home + 2e-3 * swing[0] + 1e-6 * random.standard_normal((count, 6))
    force = 30.0 * swing[1] + random.standard_normal((count, 6)) - 40.0
    return DriveLog(time, length, force)


def problems(experiment: Experiment) -> tuple[Problem, Problem]:
    """The problem in one piece, and from stretches."""
    machine, settings = experiment.machine, experiment.settings
    (log,) = experiment.logs
    whole = build_problem(machine, settings, [[samples_of(log, machine, settings.filter)]])
    segments = compute_samples_by_segment(log, machine, settings.filter, settings.band, SHORTEST)
    return whole, build_problem(machine, settings, [segments])


def assert_same(one: Equations, other: Equations) -> None:
    # rows forget the ends of their stretch to 1e-11 of what the filters do there; what is left is far below 1e-9
    assert len(one) == len(other) > 0
    assert np.array_equal(one.time, other.time)
    assert np.array_equal(np.diff(one.segment) != 0, np.diff(other.segment) != 0)
    size = np.abs(one.regressor).max(axis=(0, 1))
    assert np.all(np.abs(one.regressor - other.regressor).max(axis=(0, 1)) <= 1e-9 * size)
    assert np.abs(one.measured - other.measured).max() <= 1e-9 * np.abs(one.force).max()
    assert np.abs(one.force - other.force).max() <= 1e-9 * np.abs(one.force).max()


@pytest.mark.slow
def test_samples_of_the_stretches_joined_are_those_of_one_piece(machine, monkeypatch):
    """A diagnosis takes what the equations were made of."""
    experiment = Experiment.of([moving_log(machine, 30_000)], machine, Settings.of(estimator="ls"))
    (log,) = experiment.logs
    monkeypatch.setattr(
        "pkm_identification.identification.experiment.compute_samples_by_segment",
        lambda *given: compute_samples_by_segment(*given, SHORTEST),
    )
    experiment.problem()
    (joined,), whole = (
        experiment.smooth_samples,
        samples_of(log, experiment.machine, experiment.settings.filter),
    )
    assert np.array_equal(joined.struts.time, whole.struts.time)
    assert np.array_equal(np.diff(joined.struts.segment), np.diff(whole.struts.segment))
    for name in ("position", "rotation", "twist", "acceleration"):
        one, other = (getattr(samples.platform, name) for samples in (joined, whole))
        assert np.abs(one - other).max() <= 1e-9 * np.abs(other).max()
    assert np.abs(joined.struts.force - whole.struts.force).max() <= 1e-9 * np.abs(whole.struts.force).max()


@pytest.mark.slow
@pytest.mark.parametrize("model", ["force", "energy"])
def test_stretches_give_the_equations_of_one_piece(machine, model):
    experiment = Experiment.of(
        [moving_log(machine, 30_000)], machine, Settings.of(estimator="ls", model=model)
    )
    whole, cut = problems(experiment)
    assert_same(whole.equations, cut.equations)
    assert (whole.samples, whole.failed) == (cut.samples, cut.failed)


@pytest.mark.slow
def test_gaps_and_missing_poses_cut_stretches_where_they_cut_the_whole(machine):
    """Gaps and impossible lengths about the places where stretches begin and end."""
    log = moving_log(machine, 42_000, seed=1)
    kept = np.ones(len(log), dtype=bool)
    kept[31_000:31_050] = kept[31_500:31_550] = False
    experiment = Experiment.of([log[kept]], machine, Settings.of(estimator="ls"))
    (validated,) = experiment.logs
    length = validated.length.copy()
    for place in (6_300, 8_520, 8_600, 10_650, 17_040, 24_011, 25_560):
        length[place : place + 40, place % 6] += 0.25  # no pose has such lengths
    validated = replace(validated, coordinate=length)
    whole, cut = problems(replace(experiment, logs=(validated,)))
    assert whole.failed == cut.failed > 100
    assert whole.samples == cut.samples
    assert_same(whole.equations, cut.equations)


@pytest.mark.slow
def test_memory_of_a_problem_does_not_grow_with_the_log(machine):
    def peak(count: int) -> float:
        experiment = Experiment.of([moving_log(machine, count)], machine, Settings.of(estimator="ls"))
        settings = experiment.settings
        tracemalloc.start()
        segments = compute_samples_by_segment(
            experiment.logs[0], experiment.machine, settings.filter, settings.band, SHORTEST
        )
        build_problem(experiment.machine, settings, [segments])
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return most

    # 4 kB a sample in one piece; the equations themselves, 25 a second with 1 kB each, are gathered and joined
    # (of two stretches and of five, the last of which is as long); what happens to be there while the next stretch is
    # made beside is no more than a stretch's samples
    short, more = 20_000, 3 * 8_520
    assert (peak(short + more) - peak(short)) / more < 1000.0


def test_an_excerpt_is_spread_over_the_logs(machine, monkeypatch):
    logs = [moving_log(machine, 20_000), moving_log(machine, 10_000)]
    experiment = Experiment.of(logs, machine, Settings.of(estimator="ls"))
    assert excerpt(experiment) is experiment
    # of slow logs these, not the samples, need the memory
    monkeypatch.setattr(excerpts, "MOST_EQUATIONS", 100)
    kept = sum(len(log.time) for log in excerpt(experiment).logs)
    assert kept == pytest.approx(100 * experiment.settings.band.stride, abs=2)
    monkeypatch.undo()
    part = excerpt(experiment, most=6_000, segment_length=1_000)
    assert [len(log.time) for log in part.logs] == [4_000, 2_000]
    for log, own in zip(logs, part.logs, strict=True):
        pieces = segment_slices(own.segment)
        assert [piece.stop - piece.start for piece in pieces] == [1_000] * len(pieces)
        assert (own.time[0], own.time[-1]) == (log.time[0], log.time[-1])
        rows = np.searchsorted(log.time, own.time)
        assert np.array_equal(own.force, log.force[rows])
