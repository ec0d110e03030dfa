# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The line that says how good an estimate is: counts, whether it settled, the worst, and what still has to move."""

import re
from dataclasses import replace

import numpy as np
import pytest

from pkm_identification.estimation.estimate import ParameterEstimate
from pkm_identification.estimation.identifiability.status import IDENTIFIABLE, IN_DOUBT, UNIDENTIFIABLE
from pkm_identification.identification.online.pipeline import OnlinePipeline
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.ros.estimates.motion_axes import PLATFORM_AXES
from pkm_identification.ros.estimates.quality import EstimateQuality
from pkm_identification.simulation.simulator import simulate

SCALE = np.full(20, 1e-3)


@pytest.fixture(scope="module")
def estimate() -> ParameterEstimate:
    log = simulate(Machine.load("uf"), "rich", 4.0, seed=4).log()
    pipeline = OnlinePipeline(Machine.load("uf"))
    for time, length, force in zip(log.time, log.length, log.force, strict=True):
        pipeline.step(time, length, force)
    return pipeline.estimate


def with_statuses(estimate, known):
    status = tuple(IDENTIFIABLE if i < known else UNIDENTIFIABLE for i in range(len(estimate.names)))
    return replace(estimate, status=status)


def test_before_anything_was_learned_it_waits_for_motion():
    assert EstimateQuality(PLATFORM_AXES, SCALE).summary(None) == "waiting for motion: nothing learned yet"


def test_axes_that_did_not_move_are_named(estimate):
    quality = EstimateQuality(PLATFORM_AXES, SCALE)
    quality.note_motion(np.array([0.2, 0.3, 0.1, 0.001, 0.1, 0.08]))
    quality.take(with_statuses(estimate, len(estimate.names) - 2))
    line = quality.summary(1.12)
    assert f"{len(estimate.names) - 2} of {len(estimate.names)} usable" in line
    assert "fit 1.1 x noise" in line
    assert line.endswith("waiting for excitation: no rotation about x yet")
    quality.note_motion(np.array([0.0, 0.0, 0.0, 0.1, 0.0, 0.0]))
    assert quality.summary(None).endswith("not yet: " + ", ".join(estimate.names[-2:]))


def test_the_worst_is_the_one_least_known_relative_to_its_value(estimate):
    quality = EstimateQuality(PLATFORM_AXES, SCALE)
    std = 1e-3 * np.abs(estimate.values)
    std[4] *= 20.0
    quality.take(replace(with_statuses(estimate, len(std)), std=std))
    assert f"worst {estimate.names[4]} 2 %" in quality.summary(None)


def test_it_settles_when_half_of_the_information_no_longer_moves_it(estimate):
    whole = with_statuses(estimate, len(estimate.names))
    quality = EstimateQuality(PLATFORM_AXES, SCALE)
    for share in (4.0, 2.0, 1.5):
        quality.take(replace(whole, std=share * whole.std))
    quality.take(whole)
    assert quality.settled(whole)
    assert "settled" in quality.summary(None)
    drifted = replace(whole, values=whole.values + 10.0 * whole.std)
    quality.take(drifted)
    assert not quality.settled(drifted)
    assert "settling" in quality.summary(None)


def test_an_estimate_that_has_only_begun_is_not_settled(estimate):
    whole = with_statuses(estimate, len(estimate.names))
    quality = EstimateQuality(PLATFORM_AXES, SCALE)
    quality.take(whole)
    assert not quality.settled(whole)


def test_what_is_in_doubt_is_not_called_unknown(estimate):
    doubted = replace(estimate, status=(IN_DOUBT,) * len(estimate.names))
    quality = EstimateQuality(PLATFORM_AXES, SCALE)
    quality.take(doubted)
    count = len(estimate.names)
    assert quality.summary(1.1) == f"0 of {count} usable, {count} affected, fit 1.1 x noise"
    assert re.fullmatch(f"0 of {count} usable, {count} affected until .*", quality.summary(None))


def test_what_is_zero_is_known_by_its_share_of_its_size(estimate):
    whole = with_statuses(estimate, len(estimate.names))
    values = whole.values.copy()
    values[7] = 0.0
    quality = EstimateQuality(PLATFORM_AXES, np.where(np.arange(20) == 7, 100.0 * whole.std, 1e-3))
    quality.take(replace(whole, values=values))
    assert f"worst {whole.names[7]} " not in quality.summary(None)


def test_an_estimator_that_forgets_is_not_remembered_for_ever(estimate):
    quality = EstimateQuality(PLATFORM_AXES, SCALE)
    for k in range(2000):
        quality.take(replace(estimate, std=estimate.std * (2.0 if k % 2 else 1.0)))
    assert len(quality._remembered) <= 200
