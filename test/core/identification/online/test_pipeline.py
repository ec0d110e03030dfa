# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The stages as one object: the same numbers online and offline, and a reset that forgets everything."""

from __future__ import annotations

import numpy as np
import pytest
from core import synthetic
from core.signals.strut_logs import damage

from pkm_identification.errors import LogError
from pkm_identification.identification.identify import identify
from pkm_identification.identification.online.pipeline import OnlinePipeline
from pkm_identification.identification.settings import Settings
from pkm_identification.mechanisms.hexapod.kinematics.tracker import split_row
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import DriveLog

pytestmark = pytest.mark.slow

NOMINAL = synthetic.nominal()
FAULTS = [
    ("drop", 3000, 0, 2), ("nan", 4000, 1, 3), ("spike", 5000, 2, 4), ("swap", 6000, 0, 0), ("duplicate", 6500, 0, 0),
    ("drop", 8000, 0, 40), ("bad_stamp", 9000, 0, 0), ("clock", 10000, 0, 5),
]  # fmt: skip


@pytest.fixture(scope="module")
def damaged() -> DriveLog:
    """14 s at 1 kHz with encoder steps, noise, jitter and one fault of each kind."""
    return damage(synthetic.log(synthetic.truth(), 14.0, 1, real=True), FAULTS)


def feed(pipeline: OnlinePipeline, log: DriveLog) -> list:
    """All estimates on the way."""
    rows = zip(log.time.tolist(), log.length, log.force, strict=True)
    return [pipeline.estimate for row in rows if pipeline.step(*row)]


def test_sample_by_sample_equals_the_causal_run_offline(damaged):
    pipeline = OnlinePipeline(NOMINAL, Settings().resolve(NOMINAL))
    estimates = feed(pipeline, damaged)
    offline = identify([damaged], NOMINAL, Settings.of(causal=True))
    online = pipeline.estimate
    assert online.names == offline.estimate.names
    # the clock jumps back late in the log, and both start afresh there
    assert len(estimates) > 250
    assert online.count == offline.estimate.count > 50
    assert online.time == offline.estimate.time
    # Since the jump there is less than a stream is judged by: its values are still the recursion's.
    last = offline.trace.values[-1][: len(online.values)]
    np.testing.assert_array_less(np.abs(online.values - last) / np.abs(last), 1e-9)
    assert online.nis == pytest.approx(offline.estimate.nis, rel=1e-9)
    for reason, number in offline.dropped.items():
        assert pipeline.filter_stage.counts[reason] == number
    # and the whole way there
    history = np.array([estimate.values for estimate in estimates[-online.count :]])
    np.testing.assert_allclose(
        history, offline.trace.values, rtol=0, atol=1e-5 * np.abs(online.nominal).min()
    )


def test_faults_are_counted_online(damaged):
    pipeline = OnlinePipeline(NOMINAL)
    feed(pipeline, damaged)
    expected = {"not_finite": 2, "duplicate": 1, "late": 1, "spike": 1, "gap": 1, "clock_jump": 1, "start": 1}
    found = {name: number for name, number in pipeline.filter_stage.counts.items() if number}
    assert found == expected | {"accepted": len(damaged) - 5, "filled": 6}
    counts = pipeline.estimator.counts
    assert counts["skipped_status"] == counts["no_force"] == counts["gated"] == 0
    # the clock jump starts the counts afresh: one segment has settled since
    assert counts["settling"] == pipeline.settings.band.settling


def test_estimate_found_in_spite_of_the_faults(damaged):
    pipeline = OnlinePipeline(NOMINAL)
    feed(pipeline, damaged)
    clean = OnlinePipeline(NOMINAL)
    feed(clean, synthetic.log(synthetic.truth(), 14.0, 1, real=True))
    # the clock jump leaves the last quarter of the damaged log: its own deviation counts, too
    spread = np.hypot(pipeline.estimate.std, clean.estimate.std)
    assert np.abs((pipeline.estimate.values - clean.estimate.values) / spread).max() < 3


@pytest.mark.parametrize("kind", ["fir", "butterworth"])
def test_reset_is_a_new_pipeline(damaged, kind):
    settings = Settings.of(kind=kind).resolve(NOMINAL)
    used, fresh = OnlinePipeline(NOMINAL, settings), OnlinePipeline(NOMINAL, settings)
    feed(used, damaged[7000:9500])
    used.reset()
    assert used.tracked is None
    assert used.estimate.count == 0
    piece = damaged[:2500]
    first, second = feed(used, piece), feed(fresh, piece)
    assert len(first) == len(second) > 30
    for a, b in zip(first, second, strict=True):
        np.testing.assert_array_equal(a.values, b.values)
        np.testing.assert_array_equal(a.covariance, b.covariance)
    assert used.filter_stage.counts == fresh.filter_stage.counts
    assert used.estimator.counts == fresh.estimator.counts
    np.testing.assert_array_equal(used.tracked.state, fresh.tracked.state)


def test_warm_up_leaves_no_trace(damaged):
    warm, cold = OnlinePipeline(NOMINAL), OnlinePipeline(NOMINAL)
    warm.warm_up()
    assert warm.filter_stage.counts == cold.filter_stage.counts
    piece = damaged[:1500]
    first, second = feed(warm, piece), feed(cold, piece)
    np.testing.assert_array_equal(first[-1].values, second[-1].values)


def test_without_forces_the_platform_is_followed_and_nothing_is_estimated():
    log = synthetic.log(synthetic.truth(), 1.0, 2)
    pipeline = OnlinePipeline(NOMINAL)
    made = [pipeline.step(float(t), l, None) for t, l in zip(log.time, log.length, strict=True)]
    assert not any(made)
    assert pipeline.tracked is not None
    assert pipeline.tracked.status == 0
    assert pipeline.estimator.counts["no_force"] > 900
    assert pipeline.estimate.count == 0


def test_pose_is_that_of_the_instant_stamped():
    """Constant delay, no phase: the pose at its stamp is the true pose then."""
    truth = synthetic.truth()
    from core.platform_motions import six_axes

    log = synthetic.log(truth, 1.0, 3)
    pipeline = OnlinePipeline(NOMINAL)
    for k in range(1000):
        pipeline.step(log.time[k], log.length[k], log.force[k])
        if pipeline.tracked is not None and k % 100 == 0:
            sample = pipeline.tracked
            position, _, twist, acceleration = split_row(sample.state)
            assert log.time[k] - sample.time == pytest.approx(pipeline.delay, abs=1e-9)
            exact = six_axes(truth, 3).at(np.array([sample.time]))
            # what the low-pass at 150 Hz takes from a motion below 4 Hz
            np.testing.assert_allclose(position, exact.position[0], atol=1e-6)
            np.testing.assert_allclose(twist, exact.twist[0], atol=2e-5)
            np.testing.assert_allclose(acceleration, exact.acceleration[0], atol=2e-3)


def test_settings_need_a_period():
    bare = dict(NOMINAL.document)
    del bare["drive"]
    machine = Machine.from_document(bare)
    with pytest.raises(LogError, match=r"drive\.sample_rate"):
        Settings().resolve(machine)
    assert Settings().resolve(machine, 2e-3).filter.period == 2e-3


@pytest.mark.parametrize(
    "values", [{"cutoff": 600.0}, {"band_cutoff": 600.0}, {"estimator": "ls"}, {"kind": "median"}]
)
def test_impossible_settings_are_refused(values):
    with pytest.raises(ValueError, match=r"cutoff|estimator|kind"):
        OnlinePipeline(NOMINAL, Settings.of(**values).resolve(NOMINAL))
