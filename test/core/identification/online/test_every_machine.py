# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The live road over every machine: what it gives sample by sample is what causal filters over the whole log give."""

from __future__ import annotations

import numpy as np
import pytest
from core.machines.every_machine import ON_PAGE, smooth_drives
from core.machines.every_machine import machine as make_machine

from pkm_identification.identification.changes.payload import Carrier
from pkm_identification.identification.experiment import Experiment
from pkm_identification.identification.online.online_estimator import OnlineEstimator
from pkm_identification.identification.online.pipeline import OnlinePipeline, build_stream_settings
from pkm_identification.identification.online.tracker_stage import ANOTHER_MODE, NOT_CONVERGED, TrackerStage
from pkm_identification.identification.regression.friction import DriveFriction
from pkm_identification.identification.settings import Settings
from pkm_identification.machines.contract import FAILED, OK
from pkm_identification.machines.motions import split_states
from pkm_identification.machines.multibody import Multibody
from pkm_identification.mechanisms.multibody.mechanism import Mechanism
from pkm_identification.mechanisms.rigid_bodies import parallel_axes
from pkm_identification.motion import DriveLog, DriveSample

PERIOD, SECONDS = 2e-3, 6.0  # s, of a machine whose file states no rate, and of a log
SEARCHED = 1e-8  # deviations: the search for a hexapod's pose ends at 1e-12 m, wherever it began
WITH_FRICTION = "mast with friction"
MACHINES = (
    "uf", "mast", WITH_FRICTION, "mast_belt", "epaas", "epaas_hydraulic", "four-bar", "delta", ON_PAGE, "five_bar",
    "rss", "pus", "serial_arm", "arm_7",
)  # fmt: skip


def machine_of(name):
    if name != WITH_FRICTION:
        return make_machine(name)
    document = dict(make_machine("mast").document)
    document["friction"] = {
        "law": "coulomb",
        "coulomb": [2.0, 1.0, 3.0],
        "viscous": [5.0, 9.0, 4.0],
        "transition_rate": 0.004,
    }
    return Multibody(Mechanism.from_document(document))


def period_of(one):
    return 1.0 / one.sample_rate if one.sample_rate else PERIOD


def moved_log(one, seconds=SECONDS, seed=0, rest=True):
    """A motion of all drives around home, perhaps at rest in between, with the forces of bodies off the file."""
    rng = np.random.default_rng(seed)
    period = period_of(one)
    time = period * np.arange(round(seconds / period))
    size = 0.12 * np.array([drive.size for drive in one.drives])
    # its own clock slows down, stands for a second and goes on
    pace = np.interp(time, np.array([0.3, 0.4, 0.57, 0.67]) * seconds, [1.0, 0.0, 0.0, 1.0])
    clock = period * np.cumsum(pace**2 * (3.0 - 2.0 * pace)) if rest else time
    angles = [2.0 * np.pi * f * rng.uniform(0.8, 1.2, len(size)) for f in (0.4, 1.1, 2.3)]
    coordinate = one.home + sum(
        size / (1 + k) * (1.0 - np.cos(w * clock[:, None])) for k, w in enumerate(angles)
    )
    rate = np.gradient(coordinate, period, axis=0)
    second = np.gradient(rate, period, axis=0)
    motion = one.compute_motion(coordinate, rate, second)
    column = (one.basis.nominal * rng.uniform(0.9, 1.1, len(one.basis)))[:, None]
    force = one.compute_regressor(motion, column)
    DriveFriction.of(one, column).add(rate, force)
    force = force[:, :, 0]
    return time, coordinate, force + 0.01 * force.std(axis=0) * rng.standard_normal(force.shape)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "rounded"), [("uf", False), ("mast", False), *((one, True) for one in MACHINES)]
)
def test_a_stream_finds_what_a_causal_run_over_its_log_finds(name, rounded):
    """In the end within 1e-9 deviations; the run measures its period from the stamps."""
    one = machine_of(name)
    time, coordinate, force = moved_log(one)
    if rounded:
        counts = 1e-5 * np.array([drive.size for drive in one.drives])
        coordinate = counts * np.round(coordinate / counts)
    live = OnlinePipeline(
        one, build_stream_settings(one, Settings.of(payload=False, drift="none"), period_of(one))
    )
    recursive, found = live.estimator.recursive, []
    for row in zip(time.tolist(), coordinate, force, strict=True):
        if live.step(*row):
            found.append((recursive.filter.mean, np.sqrt(np.diag(recursive.filter.covariance))))
    experiment = Experiment.of([DriveLog(time, coordinate, force, "log")], one, Settings.of(causal=True))
    problem = experiment.problem()
    fit = experiment.estimator.fit(problem, experiment.tuning)
    counts = live.estimator.counts
    assert counts["gated"] == counts["skipped_status"] == 0
    assert counts["resting"] == problem.resting
    assert len(fit.trace.values) == len(found) == live.estimator.count > 60
    reported = fit.trace.values.shape[1]
    means, deviations = (np.array(part)[:, :reported] for part in zip(*found, strict=True))
    np.testing.assert_allclose(fit.trace.std, deviations, rtol=1e-8)
    shift = np.abs(fit.trace.values - means) / deviations
    assert shift[-1].max() < (SEARCHED if name == "uf" else 1e-9)
    # before much is known the last digit of a value of the file is up to 1e-9 of what is known of it
    assert shift.max() < 1e-8
    estimate = live.estimator.estimate
    assert estimate.names == live.estimator.parameters.names
    assert np.isfinite(estimate.std).all()


@pytest.mark.slow
def test_kernels_of_a_stream_serve_any_number_of_drives():
    """Sizes stand in arrays: machines of other numbers of drives use the versions that the first has compiled."""
    from pkm_identification.identification.equations import equation_filter
    from pkm_identification.signals import causal
    from pkm_identification.signals.input_validation import sample_checks

    kernels = (
        equation_filter._take_sample,
        equation_filter._fill_equation,
        causal._take,
        sample_checks.check_sample,
    )
    # other tests of the process may have compiled versions for arrays of their own
    versions = []
    for name in ("four-bar", "five_bar", "mast", "uf"):
        one = machine_of(name)
        live = OnlinePipeline(one, build_stream_settings(one, Settings(), PERIOD))
        for row in zip(*(part[:400] for part in moved_log(one)), strict=True):
            live.step(*row)
        versions.append([set(compiled.signatures) for compiled in kernels])
    assert all(versions[0])
    assert versions[1:] == 3 * [versions[0]]


@pytest.mark.parametrize("count", [0, 1, 2])
def test_entries_of_friction_lie_in_memory_alike_however_many(count):
    """Kernels that take them have one version for it, which is compiled when a stream is warm."""
    one = machine_of("four-bar")
    mapping = np.zeros((len(one.basis), 3))
    mapping[one.friction_rows.ravel()[:count], 1] = 1.0
    entries = DriveFriction.of(one, mapping).entries
    assert [(part.size, part.flags.c_contiguous) for part in entries] == 4 * [(count, True)]


@pytest.mark.parametrize(("name", "further"), [("mast", 1.0), ("five_bar", 1.1), ("rss", -2.0)])
def test_a_sample_out_of_reach_is_a_fault_and_the_next_good_one_is_followed(name, further):
    one = machine_of(name)
    stage, still, before = TrackerStage(one), np.zeros(len(one.drives)), None
    coordinate, rate, second = smooth_drives(one, 6)
    beyond = one.home + further * (np.arange(len(still)) == 0)
    for k in range(6):
        here = beyond if k == 3 else coordinate[k]
        sample = stage.step(DriveSample(1e-3 * k, here, rate[k], second[k], still, 0))
        if k == 3:
            assert sample.status >= FAILED
            assert stage.fault in (NOT_CONVERGED, ANOTHER_MODE)
            assert [event.reason for event in stage.events] == [stage.fault]
            np.testing.assert_array_equal(sample.state, before.state)
        else:
            assert sample.status == OK
            assert stage.fault is None
        before = sample
    assert stage.counts == {"ok": 5, "degraded": 0, "failed": 1}
    whole = one.compute_motion(coordinate[5:], rate[5:], second[5:])
    parts = split_states(before.state[None], stage.tracker.shapes)
    for part, expected in zip(parts, whole.state, strict=True):
        np.testing.assert_allclose(part, expected, atol=1e-9)


TAKEN, DOWN, LIVE = 7.5, 11.0, 13.0  # s


@pytest.mark.slow
@pytest.mark.parametrize("name", [WITH_FRICTION, "epaas", "delta", "five_bar", "rss", "arm_7"])
def test_a_load_is_found_with_its_deviation_and_its_end(name):
    one = machine_of(name)
    time, coordinate, force = moved_log(one, LIVE, rest=False)
    rate = np.gradient(coordinate, PERIOD, axis=0)
    motion = one.compute_motion(coordinate, rate, np.gradient(rate, PERIOD, axis=0))
    carrier = Carrier.of(one)
    mass, place = 0.3 * carrier.std[0], np.array([0.03, -0.02, 0.06 if carrier.felt.size == 10 else 0.0])
    load = np.array([mass, *mass * place, *mass * np.array([0.006, 0.006, 0.004]), *np.zeros(3)])
    load[4:] += parallel_axes(mass, place)[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
    carried = (time >= TAKEN) & (time < DOWN)
    column = carrier.columns @ load[carrier.felt]
    added = one.compute_regressor(motion, column[:, None])[:, :, 0]
    force[carried] += added[carried]
    force += 0.02 * added.std(axis=0) * np.random.default_rng(1).standard_normal(force.shape)
    live = OnlinePipeline(one, build_stream_settings(one, Settings(), PERIOD))
    for row in zip(time.tolist(), coordinate, force, strict=True):
        live.step(*row)
        if row[0] < DOWN:
            found = live.estimator.payload
    up, down = live.estimator.payload_events
    assert (up.kind, down.kind) == ("picked_up", "set_down")
    assert up.announced_at < TAKEN + 2.0
    for event, when in ((up, TAKEN), (down, DOWN)):
        assert abs(event.time - when) < max(0.02, 4.0 * event.time_std)
        assert event.time_std < 0.2
    assert found.body == one.knowledge.bodies[one.payload_body].name
    assert abs(found.mass - mass) < 4.0 * found.mass_std
    assert found.mass_std < 0.05 * mass
    assert np.all(np.abs(found.center_of_mass - place) < 4.0 * found.center_of_mass_std)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["five_bar", "mast"])
def test_an_estimation_goes_on_from_a_saved_state(name):
    one = machine_of(name)
    settings = build_stream_settings(one, Settings.of(estimator="ekf"), PERIOD)
    live = OnlinePipeline(one, settings)
    for row in zip(*moved_log(one, 4.0), strict=True):
        live.step(*row)
    state = live.estimator.state
    assert state.usable
    assert state.count > 30
    other = OnlineEstimator(one, settings)
    other.resume(state)
    np.testing.assert_allclose(other.estimate.values, live.estimate.values, rtol=1e-12)
    assert other.count == live.estimator.count
