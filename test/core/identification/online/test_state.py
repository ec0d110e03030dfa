# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What an online estimator offers of its state, and states that earlier versions saved."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from core import synthetic

from pkm_identification.identification.online.online_estimator import EstimatorState, OnlineEstimator
from pkm_identification.identification.online.pipeline import OnlinePipeline
from pkm_identification.identification.saved_estimate import read_saved_estimate
from pkm_identification.identification.settings import Settings
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.parameters.assumptions import Assumptions, Fix, Tie

# Saved by the estimator node of version 0.1.0, with what is fixed and tied below.
SAVED = Path(__file__).parent / "saved_by_0.1.0.json"
ASSUMPTIONS = Assumptions(fixed=(Fix("Ia_b+Ia_e"),), tied=(Tie("viscous_2", "viscous_1", 0.8),))


def test_an_estimate_saved_by_an_earlier_version_is_gone_on_from():
    machine = Machine.load("uf")
    settings = Settings.of(assumptions=ASSUMPTIONS).resolve(machine)
    online = OnlineEstimator(machine, settings)
    saved = read_saved_estimate(SAVED)
    saved.check(machine, online.parameters, ASSUMPTIONS.described())
    online.resume(EstimatorState(saved.mean, saved.covariance, saved.count, saved.time))
    estimate, document = online.estimate, json.loads(SAVED.read_text())
    written = {entry["name"]: entry for entry in document["parameters"]}
    assert (online.count, estimate.time) == (document["state"]["count"], document["state"]["time"])
    assert online.count > 50
    known = {name: k for k, name in enumerate(estimate.names) if name in written}
    assert len(known) > 12
    for name, k in known.items():
        if written[name]["status"] == "identifiable":
            assert estimate.values[k] == pytest.approx(written[name]["value"], rel=1e-9), name
            assert estimate.std[k] == pytest.approx(written[name]["std"], rel=1e-6), name


def learned() -> OnlinePipeline:
    nominal = synthetic.nominal()
    pipeline = OnlinePipeline(nominal)
    log = synthetic.log(synthetic.truth(), 2.0, 1)
    for row in zip(log.time.tolist(), log.length, log.force, strict=True):
        pipeline.step(*row)
    return pipeline


@pytest.mark.slow
def test_a_state_is_what_another_estimator_goes_on_from():
    pipeline = learned()
    online = pipeline.estimator
    state = online.state
    assert state.usable
    assert state.count == online.count == online.estimate.count > 10
    assert state.time == online.estimate.time
    assert len(state.mean) == len(online.prior.mean) > len(online.parameters.names)
    other = OnlineEstimator(online.machine, online.settings)
    other.resume(state)
    np.testing.assert_allclose(other.state.mean, state.mean, rtol=1e-12)
    np.testing.assert_allclose(
        other.estimate.std, np.sqrt(np.diag(state.covariance))[: len(other.estimate.std)], rtol=1e-6
    )
    used = dict(other.counts)
    other.resume(None)
    assert other.count == 0
    np.testing.assert_array_equal(other.state.mean, other.prior.mean)
    assert other.counts == used


@pytest.mark.parametrize("value", [np.nan, np.inf, 0.0, -1.0])
def test_a_state_that_is_none_is_not_usable(value):
    covariance = np.diag([1.0, value])
    assert not EstimatorState(np.zeros(2), covariance, 3, 1.0).usable
    assert EstimatorState(np.zeros(2), np.eye(2), 3, 1.0).usable
    assert not EstimatorState(np.array([0.0, np.nan]), np.eye(2), 3, 1.0).usable
