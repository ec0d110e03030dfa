# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The order in which recursive estimators take a log's equations offline."""

from __future__ import annotations

import numpy as np
import pytest
from core import synthetic

from pkm_identification.cli import main
from pkm_identification.errors import PkmError
from pkm_identification.identification.identify import identify
from pkm_identification.identification.settings import Settings
from pkm_identification.mechanisms.hexapod.parameters.sets import list_hexapod_parameters

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("unjudged")]

TRUTH = synthetic.truth()
EXACT = list_hexapod_parameters(TRUTH).nominal


@pytest.mark.parametrize(("estimator", "order"), [("ukf", "random"), ("rls", "spread")])
def test_any_order_finds_the_truth_by_another_way(estimator, order):
    log = synthetic.log(TRUTH, 12.0, 1, real=True)
    recorded = identify([log], synthetic.nominal(), Settings.of(estimator=estimator, hold_out=0.0))
    settings = Settings.of(estimator=estimator, data_order=order, hold_out=0.0)
    ordered = identify([log], synthetic.nominal(), settings)
    np.testing.assert_array_equal(np.sort(ordered.trace.time), recorded.trace.time)
    assert np.any(ordered.trace.time != recorded.trace.time)
    # same data, same prior: what differs is the little process noise and the noise learned on the way
    assert np.all(np.abs(ordered.estimate.values - recorded.estimate.values) < recorded.estimate.std)
    error = (ordered.estimate.values - EXACT) / ordered.estimate.std
    assert np.abs(error).max() < 5


@pytest.mark.parametrize(
    "values",
    [
        {"estimator": "ls"},
        {"estimator": "iv"},
        {"causal": True},
        {"estimator": "rls", "forgetting": 0.99},
    ],
)
def test_an_order_that_could_mean_nothing_is_refused(values):
    with pytest.raises(PkmError, match="data order 'random' is for a recursive estimator"):
        Settings.of(**values, data_order="random")


def test_an_unknown_order_names_those_known():
    with pytest.raises(PkmError, match="data order 'backwards': must be one of sequential, random, spread"):
        Settings.of(data_order="backwards")


def test_the_mistake_is_one_line_on_the_command_line(capsys, tmp_path):
    arguments = ["identify", str(tmp_path / "none.csv"), "--machine", "uf", "--estimator", "ls"]
    assert main([*arguments, "--data-order", "spread"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert len(err.strip().splitlines()) == 1
    assert "data order 'spread'" in err
