# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0


"""Streams of the data sets beside the repository: what the online pipeline says of them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from pkm_identification.identification.identify import identify
from pkm_identification.identification.online.online_estimator import OnlineEstimator
from pkm_identification.identification.online.pipeline import OnlinePipeline
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.records.log import read_log

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
SAMPLES = 25000

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not (DATA / "set_a" / "machine.yaml").is_file(),
        reason=f"the data sets are not beside the repository ({DATA})",
    ),
]


def streamed(folder: str, columns: list[int]) -> OnlineEstimator:
    machine = Machine.load(DATA / folder / "machine.yaml")
    log = read_log(DATA / folder / "rich.csv.gz", machine)[:SAMPLES]
    pipeline = OnlinePipeline(machine)
    for row in zip(log.time.tolist(), log.length, np.ascontiguousarray(log.force[:, columns]), strict=True):
        pipeline.step(*row)
    pipeline.estimator.finish()
    return pipeline.estimator


def test_the_right_stream_fits():
    estimator = streamed("set_a", [0, 1, 2, 3, 4, 5])
    assert estimator.fit.adequate
    assert 0.7 < estimator.fit.ratio < 1.2
    assert estimator.estimate.status.count("identifiable") > 10


def test_the_right_log_of_coarse_encoders_fits():
    machine = Machine.load(DATA / "set_c" / "machine.yaml")
    result = identify([read_log(DATA / "set_c" / "rich.csv.gz", machine)], machine)
    assert result.fit.adequate
    assert result.trusted


def test_exchanged_efforts_are_named_as_offline():
    cause = streamed("set_a", [1, 0, 2, 3, 4, 5]).fit.causes[0]
    assert (cause.name, cause.detail) == ("exchanged_struts", "1 and 2 are exchanged")


def test_a_drifting_factor_of_the_forces_is_no_payload_and_is_judged():
    estimator = streamed("cases/f_gain_drift", [0, 1, 2, 3, 4, 5])
    assert estimator.payload_events == ()
    assert estimator.fit.causes[0].name.startswith("gain_drift")
    assert estimator.verdict.answer.verdict.grade == "usable"
    truth = json.loads((DATA / "cases" / "f_gain_drift" / "truth.json").read_text(encoding="utf-8"))["ref"]
    estimate = estimator.estimate
    for name, value, std, status in zip(
        estimate.names, estimate.values, estimate.std, estimate.status, strict=True
    ):
        assert status != "identifiable" or abs(value - truth[name]) < 4.0 * std
