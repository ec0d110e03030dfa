# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Whether a stream says that the model does not fit it, and why: faults of simulated machines, sample by sample."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from core import synthetic

from pkm_identification.estimation.identifiability import IDENTIFIABLE, IN_DOUBT
from pkm_identification.identification.online.pipeline import OnlinePipeline
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.mechanisms.hexapod.parameters.sets import list_hexapod_parameters
from pkm_identification.motion import DriveLog
from pkm_identification.simulation import SensorSettings, perturb_machine, simulate

pytestmark = pytest.mark.slow

UF = Machine.load("uf")
SECONDS = 20.0  # two judgements: the third would begin with the equation of 20.5 s
BEGUN = 10.8  # when the first has begun and has not ended
SEED = 3
NOISE = SensorSettings(current_noise=0.005)


def run(log: DriveLog, machine: Machine = UF) -> OnlinePipeline:
    pipeline = OnlinePipeline(machine)
    for row in zip(log.time.tolist(), log.length, log.force, strict=True):
        before = pipeline.estimator.fit
        learned = pipeline.step(*row)
        # a judgement takes milliseconds: whoever waits for the estimate of an equation does not wait for it
        assert not learned or pipeline.estimator.fit is before
    return pipeline


@pytest.fixture(scope="module")
def right() -> DriveLog:
    """Of a machine off its file."""
    truth = perturb_machine(UF, SEED, 0.1)
    return simulate(truth, "rich", SECONDS, nominal=UF, sensors=NOISE, seed=SEED).log()


def test_a_judgement_under_way_ends_with_the_stream(right):
    """The first has begun by then, and would go on with each equation."""
    estimator = run(right[: round(BEGUN * len(right) / SECONDS)]).estimator
    assert estimator.fit is None
    estimator.finish()
    assert estimator.fit is not None
    assert estimator.fit.adequate
    after = estimator.fit
    estimator.finish()
    assert estimator.fit is after


# What happens to numbers on their way into a log: there it is done to the numbers.
ON_THE_WAY = {
    # a sample late
    "delay": lambda force: np.concatenate([force[:1], force[:-1]]),
    "gain": lambda force: force * [1.0, 1.0, 1.0, 1.08, 1.0, 1.0],
    "offset": lambda force: np.add(force, [0.0, 12.0, 0.0, 0.0, 0.0, 0.0]),
    "sign": np.negative,
    "kN": lambda force: force / 1000.0,
    "exchanged": lambda force: force[:, [4, 1, 2, 3, 0, 5]],
    "neighbours": lambda force: force[:, [0, 2, 1, 3, 4, 5]],
}
LENGTHS_ON_THE_WAY = {
    "zero": lambda time, length: np.add(length, [0.0, 0.0, 0.0, -1e-3, 0.0, 0.0]),
    "counts lost slowly": lambda time, length: length + np.outer(time, [0.0, 1e-4, 0.0, 0.0, 0.0, 0.0]),
}


@pytest.mark.parametrize(
    ("fault", "name", "value"),
    [
        # a reversal that the smoothing rounds takes a few us of the delay
        ("delay", "force_delay", pytest.approx(0.001, abs=3e-5)),
        ("gain", "force_gain_4", pytest.approx(1.08, abs=0.01)),
        ("offset", "force_offset_2", pytest.approx(12.0, abs=0.5)),
        ("sign", "force_sign", -1.0),
        ("kN", "force_unit", 1000.0),
        ("exchanged", "exchanged_struts", 2.0),
        ("neighbours", "exchanged_struts", 2.0),
        ("zero", "length_offset_4", pytest.approx(-1e-3, rel=0.25)),
        ("counts lost slowly", "length_drift_2", pytest.approx(1e-4, rel=0.5)),
    ],
)
def test_a_fault_is_named_and_nothing_it_moves_is_called_identified(right, fault, name, value):
    force, length = right.force, right.length
    if fault in ON_THE_WAY:
        force = ON_THE_WAY[fault](force)
    else:
        length = LENGTHS_ON_THE_WAY[fault](right.time, length)
    log = DriveLog(right.time, length, force, right.source)
    estimator = run(log).estimator
    fit = estimator.fit
    assert fit is not None
    assert not fit.adequate
    assert fit.cause.name == name
    assert fit.cause.value == value
    estimate, stated = estimator.estimate, estimator.recursive.estimate()
    assert IN_DOUBT in estimate.status
    truth = list_hexapod_parameters(perturb_machine(UF, SEED, 0.1)).nominal
    wrong = np.abs(estimate.values - truth) / stated.std > 6.0
    assert not any(estimate.status[k] == IDENTIFIABLE for k in np.nonzero(wrong)[0])
    # what is stated now holds the error, as far as the recursive estimate is that of least squares
    doubted = np.array([status == IN_DOUBT for status in estimate.status])
    assert np.all(np.abs(estimate.values - truth)[doubted] < 6.0 * estimate.std[doubted])


def test_a_misfit_that_looks_like_a_change_at_first_is_judged_all_the_same():
    """The watch for payloads suspects something, drops it, and hands on what it has held back."""
    slow = replace(UF, drive=replace(UF.drive, sample_rate=100.0))
    truth = perturb_machine(slow, 4, 0.1)
    log = simulate(truth, "rich", SECONDS, nominal=slow, sensors=NOISE, seed=4).log()[::10]
    changed = DriveLog(log.time, log.length, ON_THE_WAY["exchanged"](log.force), log.source)
    estimator = run(changed, slow).estimator
    assert estimator.suspicions == 1
    assert not estimator.payload_events
    assert estimator.fit is not None
    assert not estimator.fit.adequate
    assert estimator.fit.cause.name == "exchanged_struts"


@pytest.mark.parametrize(
    ("size", "strut"),
    # a tenth of what the guard takes for a spike, and more than that: it waits whether it stays
    [(5e-4, 2), (2e-3, 1)],
)
def test_an_encoder_that_loses_counts_is_named_with_the_step(size, strut):
    """On the way into the log: the machine goes on as it was, half of the time with a wrong length."""
    right = synthetic.log(synthetic.truth(), SECONDS, 1, real=True)
    length = right.length.copy()
    length[right.time > 8.0, strut] += size
    estimator = run(DriveLog(right.time, length, right.force, "steps"), synthetic.nominal()).estimator
    fit = estimator.fit
    assert not fit.adequate
    assert fit.cause.name == f"lost_counts_{strut + 1}"
    assert abs(fit.cause.value - size) < 4.0 * fit.cause.std + 0.03 * size
    assert "at 8.0 s" in fit.cause.cure
    assert IN_DOUBT in estimator.estimate.status


def test_a_blow_is_no_step():
    """Three samples with a bent length: a burst, after which every length is right."""
    right = synthetic.log(synthetic.truth(), SECONDS, 1, real=True)
    length = right.length.copy()
    length[12000:12003, 2] += 3e-4
    estimator = run(DriveLog(right.time, length, right.force, "blow"), synthetic.nominal()).estimator
    assert estimator.counts["stepping"] > 0
    assert estimator.fit.adequate
    assert IN_DOUBT not in estimator.estimate.status


@pytest.mark.parametrize("seed", range(2))
def test_a_right_model_is_left_alone(seed):
    estimator = run(synthetic.log(synthetic.truth(), SECONDS, seed, real=True), synthetic.nominal()).estimator
    assert estimator.fit is not None
    assert estimator.fit.adequate
    # the floor is that of its noise: known to some per cent, as is the residual
    assert 0.75 < estimator.fit.ratio < 1.25
    assert IN_DOUBT not in estimator.estimate.status


def bigger(force, length):
    """Joints of the true machine 2 % bigger than in the file: what the same lengths and motion would ask for."""
    truth = synthetic.truth()
    size = {k: 1.02 * getattr(truth, k) for k in ("base_joints", "platform_joints")}
    made = synthetic.log(replace(truth, **size), SECONDS, 1, real=True)
    return made.force, made.length


def bent(force, length):
    return force * (1.0 + 0.06 * np.abs(force) / np.abs(force).max(axis=0)), length


def backlash(force, length):
    shown, place = np.empty_like(length), length[0]
    for k, one in enumerate(length):
        place = np.clip(place, one - 1e-5, one + 1e-5)
        shown[k] = place
    return force, shown


def sloshing(force, length):
    """A mass on a spring of 3 Hz, as it pulls along the first strut's force."""
    step, pace = synthetic.PERIOD, 2.0 * np.pi * 3.0
    driven = np.gradient(np.gradient(length[:, 0], step), step)
    offset, speed, pull = 0.0, 0.0, np.empty(len(driven))
    for k, second in enumerate(driven):
        speed += step * (-(pace**2) * offset - 0.6 * speed - second)
        offset += step * speed
        pull[k] = pace**2 * offset
    return force + 0.3 * pull[:, None] * np.array([1.0, -0.5, 0.3, 0.4, -0.2, 0.6]), length


@pytest.mark.parametrize("change", [bigger, bent, backlash, sloshing])
def test_a_misfit_is_told_with_or_without_a_name_and_nothing_is_identified(change):
    """The rule of `pkm diagnose`: a residual above 1.35 times the noise floor."""
    right = synthetic.log(synthetic.truth(), SECONDS, 1, real=True)
    force, length = change(right.force, right.length)
    estimator = run(DriveLog(right.time, length, force, "wrong"), synthetic.nominal()).estimator
    assert not estimator.fit.adequate
    assert estimator.fit.unexplained
    assert estimator.fit.ratio > 2.0
    assert IDENTIFIABLE not in estimator.estimate.status
    assert IN_DOUBT in estimator.estimate.status


def test_nothing_is_identified_before_the_fit_was_judged_and_is_good():
    log = synthetic.log(synthetic.truth(), SECONDS, 1, real=True)
    pipeline = OnlinePipeline(synthetic.nominal())
    estimator = pipeline.estimator
    judged = 0.0
    for row in zip(log.time.tolist(), log.length, log.force, strict=True):
        if not pipeline.step(*row) or estimator.count % 10:
            continue
        shown = IDENTIFIABLE in estimator.estimate.status
        assert shown == (estimator.fit is not None)
        judged = judged or (row[0] if shown else 0.0)
    # soon: ten seconds of motion, and the time that the judgement is spread over
    assert 10.0 < judged < 16.0


def test_exact_data_raise_no_alarm():
    estimator = run(synthetic.log(synthetic.truth(), SECONDS), synthetic.nominal()).estimator
    assert estimator.fit is not None
    assert estimator.fit.adequate


def test_a_fault_that_ends_leaves_the_estimate_in_doubt_until_it_is_reset():
    right = synthetic.log(synthetic.truth(), 2 * SECONDS + 45.0, 1, real=True)
    force = right.force.copy()
    force[: round(SECONDS / synthetic.PERIOD)] += [0.0, 25.0, 0.0, 0.0, 0.0, 0.0]
    pipeline = run(DriveLog(right.time, right.length, force, "mended"), synthetic.nominal())
    estimator = pipeline.estimator
    assert estimator.fit.adequate
    assert estimator.fit_watch.learned_from.cause.name == "force_offset_2"
    assert IN_DOUBT in estimator.estimate.status
    pipeline.reset()
    assert estimator.fit is None
    assert IN_DOUBT not in estimator.estimate.status
