# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""A stream has the answer of its log: the same values, deviations, statuses and verdict as offline."""

import pytest

from pkm_identification.identification.identify import identify
from pkm_identification.identification.online.pipeline import OnlinePipeline, build_stream_settings
from pkm_identification.identification.settings import Settings
from pkm_identification.machines.load import load_machine
from pkm_identification.simulation import simulate

pytestmark = pytest.mark.slow


def follow(machine, log):
    pipeline = OnlinePipeline(machine, build_stream_settings(machine, None, log.time[1] - log.time[0]))
    for time, coordinate, force in zip(log.time, log.coordinate, log.force, strict=True):
        pipeline.step(float(time), coordinate, force)
    pipeline.estimator.finish()
    return pipeline.estimator


@pytest.mark.parametrize("name", ["uf", "mast"])
def test_a_stream_has_the_answer_of_its_log(name):
    machine = load_machine(name)
    run = simulate(machine, "rich", 20.0, seed=3)
    log = run.log()
    offline = identify([log], machine, Settings.of(hold_out=0.0)).answer
    live = follow(machine, log).begin_answer()()
    assert live.verdict.grade == offline.verdict.grade
    assert live.verdict.floor_ratio == pytest.approx(offline.verdict.floor_ratio, abs=0.1)
    for mine, its in zip(live.values, offline.values, strict=True):
        assert mine.name == its.name
        assert abs(mine.value - its.value) < 0.1 * its.std
        # Blocks of a stream begin at other instants: twenty of them tell a deviation to 1 / sqrt(2 x 20) = 16 %
        assert mine.std == pytest.approx(its.std, rel=0.2)
    assert [one.status for one in live.values] == [one.status for one in offline.values]
