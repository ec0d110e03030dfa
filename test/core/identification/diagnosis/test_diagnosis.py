# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What is wrong with a machine or a log is told by name; what is right raises no alarm."""

from __future__ import annotations

import copy
from dataclasses import replace

import numpy as np
import pytest
from core.synthetic import log, nominal, truth

from pkm_identification.errors import LogError
from pkm_identification.identification.diagnosis.noise_floor import force_density
from pkm_identification.identification.experiment import Experiment
from pkm_identification.identification.identify import identify
from pkm_identification.identification.model_errors.log_rows import rows_of_samples
from pkm_identification.identification.of_logs import diagnose_identification
from pkm_identification.identification.settings import FULL, Settings
from pkm_identification.machines.load import as_machine
from pkm_identification.mechanisms.hexapod.dynamics import strut_forces
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import DriveLog
from pkm_identification.signals.zero_phase import filter_log

NOMINAL, TRUTH = nominal(), truth()
SETTINGS = Settings.of(estimator="ls", hold_out=0.0)
WHOLE = Settings.of(estimator=FULL, hold_out=0.0)
SECONDS = 16
LIMIT = 1200.0  # N: three struts of the synthetic log pass it where forces are recorded as pounds


def changed(machine: Machine, change) -> Machine:
    document = copy.deepcopy(machine.document)
    change(document)
    return Machine.from_document(document)


@pytest.fixture(scope="module")
def right() -> DriveLog:
    return log(TRUTH, SECONDS, seed=3, real=True)


def diagnosis(recorded: DriveLog, machine: Machine = NOMINAL, settings: Settings = SETTINGS):
    return identify([recorded], machine, settings)


@pytest.fixture(scope="module")
def alone(right):
    """Of the right log, with nothing wrong."""
    return diagnosis(right)


def delayed(recorded: DriveLog, seconds: float) -> DriveLog:
    """Forces of the same motion as they were that much earlier: a shift by whole samples."""
    rows = round(seconds / 1e-3)
    return DriveLog(recorded.time[rows:], recorded.length[rows:], recorded.force[: len(recorded) - rows])


@pytest.mark.slow
@pytest.mark.parametrize("settings", [SETTINGS, WHOLE], ids=["ls", "full"])
def test_a_right_model_raises_no_alarm(settings):
    result = diagnosis(log(TRUTH, SECONDS, seed=1, real=True), settings=settings)
    assert result.trusted
    assert not result.fit.causes
    assert "in_doubt" not in result.estimate.status
    # rounding and drawn noise are all there is; what reversals leave above all motion makes the floor too high
    assert 0.7 < result.fit.ratio < 1.1
    assert {"force_delay", "force_offset"} <= {one.name for one in result.fit.unseen}


@pytest.mark.slow
def test_exact_data_raise_no_alarm():
    result = diagnosis(log(TRUTH, SECONDS))
    assert result.fit.adequate
    assert result.trusted


@pytest.mark.slow
def test_noise_that_the_machine_file_states_is_the_floor(right, alone):
    """The log's noise is 1 N a sample; stated as 2 N the floor is what that leaves in the band: the ratio halves."""
    learned = alone.fit
    stated = diagnosis(right, changed(NOMINAL, lambda d: d["drive"].update(force_noise=1.0))).fit
    wide = diagnosis(right, changed(NOMINAL, lambda d: d["drive"].update(force_noise=2.0))).fit
    # what reversals leave above all motion is learned as noise
    share = learned.floor.force / stated.floor.force
    assert 0.9 < share.min() < share.max() < 1.4
    np.testing.assert_allclose(wide.floor.force, 2.0 * stated.floor.force, rtol=1e-12)
    assert stated.floor.basis == "stated in the machine file"
    assert wide.ratio < 0.6 * stated.ratio


def slower(recorded: DriveLog, every: int) -> tuple[Experiment, DriveLog]:
    """Every n-th sample only, and a machine file that says so."""
    rate = 1000.0 / every
    slow = DriveLog(recorded.time[::every], recorded.length[::every], recorded.force[::every])
    return Experiment.of(
        [slow], changed(NOMINAL, lambda d: d["drive"].update(sample_rate=rate)), SETTINGS
    ), slow


@pytest.mark.parametrize("every", [1, 2, 4, 10, 20])
def test_the_floor_is_the_noise_at_every_rate(right, every):
    """White noise of 1 N stays that in every n-th sample; reversals of 24 to 51 N are none of it."""
    experiment = slower(right, every)[0]
    (log,) = experiment.logs
    struts = filter_log(log, experiment.settings.filter.cutoff, experiment.settings.filter.order)
    found = np.sqrt(force_density(log, struts, as_machine(NOMINAL).friction) / (2.0 * log.period))
    # in one stretch, and in as many samples as ten seconds at 100 Hz have, a deviation is known to a tenth or so
    assert np.all((found > 0.85) & (found < (1.2 if every < 4 else 1.5)))
    # the law's bend is what makes the difference
    stiff = replace(struts, rate=np.zeros_like(struts.rate))
    blind = np.sqrt(force_density(log, stiff, as_machine(NOMINAL).friction) / (2.0 * log.period))
    assert every < 4 or np.all(blind > 1.8 * found)


def test_a_thin_grid_gives_what_every_sample_gives():
    """The bodies' force, filtered at the drive's rate and on the thin grid: alike to a part in a thousand."""
    experiment = Experiment.of([log(TRUTH, SECONDS)], NOMINAL, SETTINGS)
    (samples,) = experiment.smooth_samples
    rows = rows_of_samples(NOMINAL, experiment.parameters, samples, experiment.settings.band)
    every = rows.in_band(strut_forces(NOMINAL, samples.platform, friction=False))
    thin = rows.thin_in_band(rows.machine.compute_forces(rows.thin_motion, rows.machine.basis.nominal))
    assert rows.step > 1
    assert np.sqrt(np.mean((every - thin) ** 2)) < 1e-3 * np.std(every)


def _gain(recorded):
    return replace(recorded, force=recorded.force * np.where(np.arange(6) == 3, 1.1, 1.0))


def _offset(recorded):
    return replace(recorded, force=recorded.force + np.where(np.arange(6) == 1, 8.0, 0.0))


def _rubbing_joints(document):
    document["friction"]["joints"] = {"base": {"coulomb": 0.3}, "platform": {"coulomb": 0.3}}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fault", "name", "value"),
    [
        (lambda r: delayed(r, 2e-3), "force_delay", 2e-3),
        (_gain, "force_gain_4", 1.1),
        (_offset, "force_offset_2", 8.0),
        (lambda r: log(changed(TRUTH, _rubbing_joints), SECONDS, seed=5, real=True), "joint_friction_1", 0.3),
    ],
    ids=["delay", "gain", "offset", "joint friction"],
)
def test_a_fit_that_leaves_out_what_the_full_model_finds_is_refused_and_told_why(right, fault, name, value):
    result = diagnosis(fault(right))
    assert not result.trusted
    assert "identifiable" not in result.estimate.status
    first = result.fit.causes[0]
    assert first.name == name
    # of an offset of one drive, a part may be what all have in common with a load on the platform
    assert first.value == pytest.approx(value, rel=0.25 if "offset" in name else 0.05)
    assert first.explains > 0.5
    assert first.correction


def _hinges_at_platform(document):
    document["geometry"]["base_joint"] = {"type": "spherical"}
    document["geometry"]["platform_joint"] = {"type": "universal", "first_axes": "tangential"}


@pytest.mark.slow
def test_hinges_that_the_full_model_does_not_ask_for_are_named():
    result = diagnosis(log(changed(TRUTH, _hinges_at_platform), SECONDS, seed=5, real=True), settings=WHOLE)
    first = result.fit.causes[0]
    assert first.name == "hinge_at_platform"
    assert first.explains > 0.5


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fault", "name"),
    [
        (lambda r: replace(r, force=0.03 * r.force), "force_unit"),
        (lambda r: replace(r, force=r.force * np.where(np.arange(6) == 2, -1.0, 1.0)), "force_sign_3"),
        (
            lambda r: replace(r, force=r.force * np.where(np.arange(6) == 4, 1.0 / 9.80665, 1.0)),
            "force_unit_5",
        ),
        (lambda r: replace(r, force=r.force[:, [1, 0, 2, 3, 4, 5]]), "exchanged_struts"),
        (lambda r: replace(r, coordinate=r.length[:, [0, 1, 5, 3, 4, 2]]), "exchanged_lengths"),
    ],
    ids=["currents", "sign of one", "kilograms of one", "exchanged forces", "exchanged lengths"],
)
def test_what_is_wrong_altogether_is_told_first(right, fault, name):
    result = diagnosis(fault(right), settings=WHOLE)
    assert not result.trusted
    first = result.fit.causes[0]
    assert first.name == name
    assert first.correction
    assert not result.fit.unexplained


@pytest.mark.slow
def test_gravity_upside_down_is_named(right):
    upside_down = changed(NOMINAL, lambda document: document.update(gravity=[0.0, 0.0, 9.81]))
    first = diagnosis(right, upside_down, WHOLE).fit.causes[0]
    assert first.name == "gravity_direction"
    assert first.value == pytest.approx(np.pi)


@pytest.mark.slow
def test_nobody_is_to_act_on_what_is_only_the_nearest(right):
    """Friction that builds up over 10 mm of travel: no hypothesis says so, and the nearest explain little of it."""
    held = np.zeros_like(right.length)
    for row, moved in enumerate(np.diff(right.length, axis=0) / 0.01):
        held[row + 1] = np.clip(held[row] + moved, -1.0, 1.0)
    result = diagnosis(replace(right, force=right.force + 3.0 * held))
    assert not result.trusted
    assert result.fit.causes
    assert result.fit.unexplained
    assert all(cause.correction == "" and cause.explains < 0.5 for cause in result.fit.causes)
    assert "identifiable" not in result.estimate.status
    assert all(one.status == "in_doubt" for one in result.estimate.combinations)


@pytest.mark.slow
@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_forces_clipped_after_a_wrong_unit_are_named(right):
    clipped = replace(right, force=np.clip(4.4482216 * right.force, -LIMIT, LIMIT))
    names = [cause.name for cause in diagnosis(clipped, settings=WHOLE).fit.causes]
    assert any(name.startswith("saturation_") for name in names)


@pytest.mark.slow
@pytest.mark.parametrize(("unit", "name"), [("coordinate", "length_unit"), ("time", "time_unit")])
def test_lengths_and_stamps_in_thousandths_are_converted_and_told(right, unit, name):
    changed_log = replace(right, **{unit: 1000.0 * getattr(right, unit)})
    result = diagnose_identification([changed_log], NOMINAL, SETTINGS)
    assert [cause.name for cause in result.fit.causes] == [name]
    assert result.fit.causes[0].value == pytest.approx(1e-3)


@pytest.mark.slow
def test_a_log_too_short_for_the_band_beside_a_long_one_says_nothing(right, alone):
    rows = 300
    short = DriveLog(right.time[:rows], right.length[:rows], right.force[:rows])
    both = identify([short, right], NOMINAL, SETTINGS)
    assert both.fit.adequate
    # its noise counts in the floor all the same
    assert both.fit.ratio == pytest.approx(alone.fit.ratio, rel=0.1)
    # what is drawn is of the log that has equations
    assert len(both.fit.residuals[0].time) == len(alone.fit.residuals[0].time) > 100


@pytest.mark.slow
def test_lengths_in_an_order_that_has_no_poses_are_set_right_and_told(right, alone):
    """Every length one column on: this machine has hardly a pose with such lengths."""
    moved_on = replace(right, coordinate=right.length[:, [5, 0, 1, 2, 3, 4]])
    with pytest.raises(
        LogError, match="columns of other drives: strut 1 is in column 2; strut 2 is in column 3"
    ):
        diagnosis(moved_on)
    result = diagnose_identification([moved_on], NOMINAL, SETTINGS)
    assert [cause.name for cause in result.fit.causes] == ["exchanged_lengths"]
    assert result.fit.causes[0].value == 6
    np.testing.assert_allclose(result.estimate.values, alone.estimate.values, rtol=1e-9)
