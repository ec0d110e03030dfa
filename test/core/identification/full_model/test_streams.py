# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""A stream has the answer of its log: the same values, deviations, statuses and verdict as offline."""

import numpy as np
import pytest
from core.machines.exact_logs import noisy_log

from pkm_identification.identification.identify import identify
from pkm_identification.identification.online.pipeline import OnlinePipeline, build_stream_settings
from pkm_identification.identification.settings import Settings
from pkm_identification.machines.load import load_machine

pytestmark = pytest.mark.slow


CHOSEN = Settings.of(estimator="rls", payload=False, drift="none")


def follow(machine, log):
    settings = build_stream_settings(machine, CHOSEN, log.time[1] - log.time[0])
    pipeline = OnlinePipeline(machine, settings)
    for time, coordinate, force in zip(log.time, log.coordinate, log.force, strict=True):
        pipeline.step(float(time), coordinate, force)
    pipeline.estimator.finish()
    return pipeline.estimator


@pytest.mark.parametrize("name", ["uf", "mast"])
def test_a_stream_has_the_answer_of_its_log(name):
    machine = load_machine(name)
    log = noisy_log(name, 20.0, machine.sample_rate or 1000.0)
    stream = follow(machine, log)
    live = stream.verdict.answer
    result = identify([log], machine, Settings.of(estimator="rls", causal=True, hold_out=0.0))
    causal = result.answer
    assert live.verdict.grade == causal.verdict.grade
    assert live.verdict.sentence == causal.verdict.sentence
    assert live.verdict.floor_ratio == pytest.approx(causal.verdict.floor_ratio, rel=1e-7)
    assert [one.status for one in live.values] == [one.status for one in causal.values]
    assert [one.name for one in live.effects] == [one.name for one in causal.effects]
    for mine, its in zip(live.values, causal.values, strict=True):
        assert mine.name == its.name
        assert abs(mine.value - its.value) < 1e-9 * its.std
        assert mine.std == pytest.approx(its.std, rel=1e-7)
    own = stream.estimate
    assert np.max(np.abs(own.values - result.estimate.values) / own.std) < 1e-9
    assert own.status == result.estimate.status
    total = {one.name: one for one in live.values}
    named = [k for k, name in enumerate(own.names) if name in total]
    assert len(named) > 15
    for k in named:
        assert own.values[k] == pytest.approx(total[own.names[k]].value, rel=1e-12)
        assert own.std[k] == pytest.approx(total[own.names[k]].std, rel=1e-12)
    offline = identify([log], machine, Settings.of(hold_out=0.0)).answer
    assert live.verdict.grade == offline.verdict.grade
    assert live.verdict.floor_ratio == pytest.approx(offline.verdict.floor_ratio, abs=0.1)
    apart = []
    for mine, its in zip(live.values, offline.values, strict=True):
        assert abs(mine.value - its.value) < 0.2 * its.std
        apart.append(abs(np.log(mine.std / its.std)))
    # Blocks of a stream begin at other instants: twenty of them tell a deviation to 1 / sqrt(2 x 20) = 16 %; parts of
    # the motion that disagree count from 2.5 deviations, so one of ten values may have them in one answer alone
    assert np.sum(np.array(apart) > np.log(1.25)) <= len(apart) / 10
    assert max(apart) < np.log(2.0)
