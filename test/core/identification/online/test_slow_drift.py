# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0


"""Forces that drift slowly: the fit is judged all the same, and nothing is announced as taken up."""

from __future__ import annotations

import numpy as np
import pytest
from core import synthetic

from pkm_identification.estimation.identifiability import IDENTIFIABLE
from pkm_identification.identification.online.pipeline import OnlinePipeline
from pkm_identification.mechanisms.friction import friction_force
from pkm_identification.motion import DriveLog

pytestmark = pytest.mark.slow

SECONDS = 30.0


def gain(log: DriveLog, time: float, size: float) -> np.ndarray:
    """Forces whose factor drifts to 1 + size with a time constant in s."""
    return log.force * (1.0 + size * (1.0 - np.exp(-log.time / time)))[:, None]


def warming_up(log: DriveLog, time: float, size: float) -> np.ndarray:
    """Forces of drives whose friction is larger by a share when cold."""
    friction = friction_force(np.gradient(log.length, log.time, axis=0), synthetic.truth().friction)
    return log.force + size * np.exp(-log.time / time)[:, None] * friction


def streamed(drift, time: float, size: float, seed: int):
    log = synthetic.log(synthetic.truth(), SECONDS, seed, real=True)
    pipeline = OnlinePipeline(synthetic.nominal())
    force = drift(log, time, size)
    for row in zip(np.arange(len(log)) * synthetic.PERIOD, log.length, force, strict=True):
        pipeline.step(*row)
    pipeline.estimator.finish()
    return pipeline.estimator


def test_a_drifting_factor_of_the_forces_is_no_payload_and_is_judged():
    estimator = streamed(gain, 5.0, 0.05, 2)
    assert estimator.payload_events == ()
    assert estimator.fit is not None


def test_friction_that_warms_up_is_followed_no_payload_and_no_misfit():
    estimator = streamed(warming_up, 60.0, 0.6, 3)
    assert estimator.payload_events == ()
    assert estimator.friction_changes > 0
    assert estimator.fit.adequate
    assert IDENTIFIABLE in estimator.estimate.status
