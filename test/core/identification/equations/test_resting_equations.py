# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Which equations are at rest: an encoder that flickers is, a strut that creeps is not, nothing without friction is."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from core.machines.every_machine import machine as make_machine
from core.machines.exact_logs import rich_motion

from pkm_identification.identification.equations.band_rows import band_pieces
from pkm_identification.identification.equations.standstill import (
    StandstillLimits,
    StandstillWatch,
    find_standstill,
)
from pkm_identification.identification.experiment import Experiment
from pkm_identification.identification.settings import Settings
from pkm_identification.machines.load import as_machine, read_machine
from pkm_identification.mechanisms.hexapod.kinematics.inverse import strut_lengths
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.mechanisms.hexapod.parameters.sets import list_hexapod_parameters
from pkm_identification.motion import DriveLog, StrutMotion
from pkm_identification.parameters.assumptions import Assumptions, Fix

RATE = 250.0
SECONDS = 12.0


def machine(counts: float = 8e5) -> Machine:
    """A machine whose encoders have so many counts a metre."""
    uf = Machine.load("uf")
    return replace(uf, drive=replace(uf.drive, sample_rate=RATE, counts_per_meter=counts))


def smoothed(made: Machine, rate: float, turns: float = 8.0, moving: int = 1) -> StrutMotion:
    """Some struts go to and fro at a rate (m/s), once in `turns` s; all encoders flicker between two counts."""
    counts = made.drive.counts_per_meter
    time = np.arange(round(SECONDS * RATE)) / RATE
    place = np.tile(
        strut_lengths(made, made.home_position[None], made.home_rotation[None])[0], (len(time), 1)
    )
    place = (np.floor(place * counts) + 0.5) / counts
    place[:, :moving] += rate * np.abs((time + 0.25 * turns) % turns - 0.5 * turns)[:, None]
    place += 1e-3 / counts * np.random.default_rng(1).standard_normal(place.shape)
    log = DriveLog(time, np.round(place * counts) / counts, np.full_like(place, 20.0))
    (samples,) = Experiment.of([log], made, Settings()).smooth_samples
    return samples.struts


def moving(made: Machine, struts: StrutMotion, online: bool = False) -> np.ndarray:
    band = Settings().resolve(made).band
    return moving_equations(made, list_hexapod_parameters(made), struts, band, online)


def moving_equations(made, parameters, struts, band, online=False):
    limits = StandstillLimits.of(as_machine(made), parameters)
    still = find_standstill(limits, struts.length, struts.rate, struts.segment, band, online)
    return ~still.all(axis=1)


@pytest.mark.parametrize("counts", [8e5, 1e5, 2e4])
def test_an_encoder_that_flickers_is_at_rest_and_nothing_is_without_friction(counts):
    made = machine(counts)
    struts = smoothed(made, 0.0)
    # the flicker is there, and looks like a rate
    assert np.ptp(struts.length, axis=0).min() > 0.3 / counts
    assert not np.any(moving(made, struts))
    free = replace(made, friction=made.friction.without())
    zero = Assumptions(fixed=tuple(Fix(f"coulomb_{i + 1}", 0.0) for i in range(6)))
    band = Settings().resolve(made).band
    assert np.all(moving_equations(free, zero.apply(list_hexapod_parameters(free)), struts, band))


@pytest.mark.parametrize(("counts", "rate"), [(8e5, 1.2e-4), (1e5, 2e-4), (2e4, 1e-3)])
def test_one_strut_of_a_slow_triangle_is_motion_where_its_rate_drowns_in_noise(counts, rate):
    """Slower than the friction law bends and than flicker seems to move: over the band's memory it tells."""
    made = machine(counts)
    struts = smoothed(made, rate)
    assert rate < 1.1 * np.std(smoothed(made, 0.0).rate[:, 0])
    assert np.all(moving(made, struts))


@pytest.mark.parametrize("online", [False, True])
def test_left_out_is_what_is_at_rest_and_what_remembers_it(online):
    """A strut moves for three memories of the band's filter; the same sample by sample."""
    made = machine()
    band = Settings().resolve(made).band
    struts = smoothed(made, 0.0)
    begin, end = 1200, 1200 + 3 * band.settling
    struts.length[:, 3] += np.interp(np.arange(len(struts)), [begin, end], [0.0, 1e-2])
    pieces = band_pieces(struts.segment, band, online)
    instants = np.concatenate([np.arange(len(struts))[piece.part][piece.chosen] for piece in pieces])
    back, ahead = (band.settling, 0) if online else (band.settling // 2, band.settling // 2)
    # a hundredth of a millimetre of the motion is more than a rest
    still = (instants + ahead <= begin) | (instants - back >= end - 1)
    near = np.abs(np.subtract.outer(instants, instants[still]))
    late = np.subtract.outer(instants, instants[still])
    expected = ~np.any((late >= 0) & (late <= back) if online else near <= back, axis=1)
    found = moving(made, struts, online)
    assert found.sum() > 10
    np.testing.assert_array_equal(found, expected)
    if online:
        watch = StandstillWatch(as_machine(made), list_hexapod_parameters(made), band)
        taken = set(instants.tolist())
        resting = []
        for k, (length, rate) in enumerate(zip(struts.length, struts.rate, strict=True)):
            watch.motion[:2, k % watch.remembered] = length, rate
            if k in taken:
                resting.append(watch.equation(k))
        np.testing.assert_array_equal(~np.array(resting), found)
        # a stretch remembers nothing of the one before, which ended at rest
        assert resting[-1]
        watch.begin()
        for k in range(watch.remembered):
            watch.motion[:2, k] = struts.length[begin + k], struts.rate[begin + k]
        assert not watch.equation(watch.remembered - 1)


@pytest.mark.parametrize("name", ["epaas", "mast"])
def test_what_rests_by_the_logs_own_flicker_has_no_columns_of_effects_either(name):
    """Files that state no encoder: the range of a drive at rest is the log's, of equations and of effects alike."""
    one = make_machine(name)
    sizes = np.array([drive.size for drive in one.drives])
    friction = {"transition_rate": (1e-6 * sizes).tolist(), "coulomb": (0.1 * one.force_size).tolist()}
    made = read_machine(dict(one.document) | {"friction": friction | {"viscous": [0.0] * len(sizes)}})
    time, coordinate, force = rich_motion(made, SECONDS, RATE)
    standing = 4 * len(time) // 10, 7 * len(time) // 10
    coordinate[slice(*standing)] = coordinate[standing[0]]
    coordinate += 1e-6 * sizes * np.random.default_rng(2).standard_normal(coordinate.shape)
    settings = Settings.of(estimator="ls", also=("force_offset",))
    problem = Experiment.of([DriveLog(time, coordinate, force, name)], made, settings).problem()
    assert problem.resting > 10
    for i, drive in enumerate(made.drives):
        column = problem.equations.regressor[
            :, i, problem.parameters.names.index(f"force_offset_{drive.name}")
        ]
        used = np.ones(len(column), bool) if problem.used is None else problem.used[:, i]
        assert np.all(column[used] != 0.0)
        assert not np.any(column[~used])
