# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""What is wrong with a machine or a log is told by name; what is right raises no alarm."""

from __future__ import annotations

import copy
from dataclasses import replace

import numpy as np
import pytest
from core.synthetic import log, nominal, truth

from pkm_identification.cli import main
from pkm_identification.errors import LogError
from pkm_identification.identification.diagnosis.as_recorded import diagnose_identification
from pkm_identification.identification.diagnosis.noise_floor import force_density
from pkm_identification.identification.experiment import Experiment
from pkm_identification.identification.identify import identify
from pkm_identification.identification.long_logs.excerpt import excerpt
from pkm_identification.identification.model_errors.log_rows import rows_of_samples
from pkm_identification.identification.settings import Settings
from pkm_identification.mechanisms.friction import friction_columns
from pkm_identification.mechanisms.hexapod.dynamics import strut_forces
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.mechanisms.hexapod.parameters.sets import list_hexapod_parameters
from pkm_identification.motion import DriveLog
from pkm_identification.records import read_log
from pkm_identification.report.diagnosis import fit_lines, reason
from pkm_identification.signals.zero_phase import filter_log
from pkm_identification.simulation import SensorSettings, perturb_machine, simulate

NOMINAL, TRUTH = nominal(), truth()
SETTINGS = Settings.of(estimator="ls", hold_out=0.0)
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
@pytest.mark.parametrize("seed", range(2))
def test_a_right_model_raises_no_alarm(seed):
    result = diagnosis(log(TRUTH, SECONDS, seed=seed, real=True))
    assert result.fit.adequate
    assert not result.fit.causes
    assert "in_doubt" not in result.estimate.status
    # rounding and drawn noise are all there is; what reversals leave above all motion makes the floor too high
    assert 0.7 < result.fit.ratio < 1.1
    # no residual shows a gain of all drives alike
    shown = {one.name for one in result.fit.unseen}
    assert {"force_delay", "force_delay_N", "force_gain_N"} <= shown
    assert "force_gain" not in shown


@pytest.mark.slow
def test_exact_data_raise_no_alarm():
    result = diagnosis(log(TRUTH, SECONDS))
    assert result.fit.adequate
    assert result.trusted


@pytest.mark.slow
def test_what_the_low_pass_rounds_off_reversals_raises_no_alarm():
    """A control loop answers each reversal within milliseconds; encoders and currents are exact."""
    machine = Machine.load("uf")
    exact = SensorSettings(current_noise=0.0, current_bits=None, quantised_encoders=False)
    recorded = simulate(
        perturb_machine(machine, 2, 0.15), "rich", 20.0, nominal=machine, sensors=exact, seed=2
    ).log()
    fit = diagnosis(recorded, machine).fit
    assert fit.floor.smoothing.max() > 0.0
    assert fit.adequate
    factor = [1.0, 1.0, 1.0, 1.01, 1.0, 1.0]
    wrong = DriveLog(recorded.time, recorded.length, recorded.force * factor, "gain")
    fit = diagnosis(wrong, machine).fit
    assert not fit.adequate
    assert fit.causes[0].name == "force_gain_4"


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
    found = np.sqrt(force_density(log, struts, NOMINAL.friction) / (2.0 * log.period))
    # in one stretch, and in as many samples as ten seconds at 100 Hz have, a deviation is known to a tenth or so
    assert np.all((found > 0.85) & (found < (1.2 if every < 4 else 1.5)))
    # the law's bend is what makes the difference
    stiff = replace(struts, rate=np.zeros_like(struts.rate))
    blind = np.sqrt(force_density(log, stiff, NOMINAL.friction) / (2.0 * log.period))
    assert every < 4 or np.all(blind > 1.8 * found)


@pytest.mark.slow
@pytest.mark.parametrize("breakaway", [0.0, 0.3])
def test_friction_near_standstill_is_known_as_well_as_its_rates(right, breakaway):
    """Rates a fifth of the bend off raise no alarm where pure error says so, and a cause is found beside them."""
    exact, friction = log(TRUTH, SECONDS, seed=3), TRUTH.friction
    rate = np.gradient(exact.length, 1e-3, axis=0)
    held = np.random.default_rng(4).normal(0.0, 4e-4, (len(rate) // 10 + 1, 6))
    bent, bend = (
        friction_columns(one, friction)[1] for one in (rate + np.repeat(held, 10, axis=0)[: len(rate)], rate)
    )
    stuck = breakaway * bend * np.exp(-((rate / 0.01) ** 2))
    fit = diagnosis(replace(right, force=right.force + friction.coulomb * (bent - bend + stuck))).fit
    assert fit.floor.near_standstill is not None
    assert fit.adequate == (breakaway == 0.0)
    assert breakaway or 0.8 < fit.ratio < 1.2
    assert [one.name for one in fit.causes] == ["friction_stribeck"] * (breakaway > 0.0)


@pytest.mark.slow
@pytest.mark.parametrize("every", [4, 10])
def test_a_slow_log_shows_a_misfit_beside_its_noise(right, every):
    """A torque constant 1.1 times too large stands out of the floor; without it there is no alarm."""
    experiment, slow = slower(right, every)
    assert identify([slow], experiment.machine, SETTINGS).fit.adequate
    force = slow.force * np.where(np.arange(6) == 3, 1.1, 1.0)
    fit = identify([replace(slow, force=force)], experiment.machine, SETTINGS).fit
    assert not fit.adequate
    assert fit.causes[0].name == "force_gain_4"
    assert fit.per_strut.max() > 1.6


def test_a_thin_grid_gives_what_every_sample_gives():
    """The bodies' force, filtered at the drive's rate and on the thin grid: alike to a part in a thousand."""
    experiment = Experiment.of([log(TRUTH, SECONDS)], NOMINAL, SETTINGS)
    (samples,) = experiment.smooth_samples
    rows = rows_of_samples(NOMINAL, experiment.parameters, samples, experiment.settings.band)
    every = rows.in_band(strut_forces(NOMINAL, samples.platform, friction=False))
    thin = rows.thin_in_band(rows.machine.compute_forces(rows.thin_motion, rows.machine.basis.nominal))
    assert rows.step > 1
    assert np.sqrt(np.mean((every - thin) ** 2)) < 1e-3 * np.std(every)


@pytest.mark.slow
def test_a_late_force_is_named_with_its_delay(right):
    result = diagnosis(delayed(right, 2e-3))
    first = result.fit.causes[0]
    assert first.name == "force_delay"
    assert first.unit == "s"
    assert abs(first.value - 2e-3) < 4 * first.std + 2e-5
    assert first.explains > 0.9
    assert "in_doubt" in result.estimate.status
    assert not result.trusted
    assert "late" in reason(result.fit)
    assert "drive.force_delay" in reason(result.fit)
    # what is left, with the delay and without, is what the ratios speak of
    model, causes = result.fit.residuals
    free = 1.0 - len(result.estimate.values) / model.relative.size
    np.testing.assert_allclose(
        np.sqrt(np.mean(model.relative**2, axis=0) / free), result.fit.per_strut, rtol=0.01
    )
    assert np.all(np.diff(model.time) > 0.0)
    assert np.sqrt(np.mean(causes.relative**2)) == pytest.approx(result.fit.left, rel=0.02)


def _gain(recorded):
    return replace(recorded, force=recorded.force * np.where(np.arange(6) == 3, 1.1, 1.0))


def _offset(recorded):
    return replace(recorded, force=recorded.force + np.where(np.arange(6) == 1, 8.0, 0.0))


def _zero(recorded):
    return replace(recorded, coordinate=recorded.length + np.where(np.arange(6) == 2, 1e-3, 0.0))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fault", "name", "value"),
    [(_gain, "force_gain_4", 1.1), (_offset, "force_offset_2", 8.0), (_zero, "length_offset_3", 1e-3)],
)
def test_a_strut_that_is_measured_wrong_is_named_with_its_size(right, fault, name, value):
    first = diagnosis(fault(right)).fit.causes[0]
    assert first.name == name
    assert abs(first.value - value) < max(4 * first.std, 0.02 * abs(value - (1.0 if "gain" in name else 0.0)))


@pytest.mark.slow
def test_an_offset_above_the_forces_is_one_cause_at_its_size(right):
    # so large that its strut is picked alone and again out of the group of all struts
    large = 3.0 * float(np.std(right.force))
    causes = diagnosis(replace(right, force=right.force + np.where(np.arange(6) == 1, large, 0.0))).fit.causes
    names = [cause.name for cause in causes]
    assert names[0] == "force_offset_2"
    assert len(names) == len(set(names))
    assert causes[0].value == pytest.approx(large, rel=1e-3)


def _tilted(document):
    document["gravity"] = [9.81 * np.sin(0.026), 0.0, -9.81 * np.cos(0.026)]


def _heavy_motors(document):
    drive = document["drive"]["motor"]
    drive["inertia"] = 3.0 * (drive["screw_lead"] / (2 * np.pi * drive.get("gear_ratio", 1.0))) ** 2


def _off_centre(document):
    document["platform"]["center_of_mass"] = [0.015, 0.0, 0.0]


def _moved_joints(document):
    places = np.array(document["geometry"]["platform_joints"])
    moved = places + 5e-4 * np.random.default_rng(1).standard_normal(places.shape)
    document["geometry"]["platform_joints"] = moved.tolist()


def _rubbing_joints(document):
    document["friction"]["joints"] = {"base": {"coulomb": 0.3}, "platform": {"coulomb": 0.3}}


def _turned_hinges(document):
    document["geometry"]["base_joint"] = {"type": "universal", "first_axis": [np.cos(0.6), np.sin(0.6), 0.0]}


def _hinges_at_platform(document):
    document["geometry"]["base_joint"] = {"type": "spherical"}
    document["geometry"]["platform_joint"] = {"type": "universal", "first_axes": "tangential"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fault", "names", "value"),
    [
        (_rubbing_joints, {"joint_friction"}, 0.3),
        # between two of the grid's angles
        (_turned_hinges, {"hinge_axis"}, None),
        (_hinges_at_platform, {"hinge_at_platform"}, None),
        (_tilted, {"gravity_direction"}, 0.026),
        (_heavy_motors, {"motor_inertia"}, 3.0),
        (_off_centre, {"center_of_mass"}, 0.015),
        (_moved_joints, {"geometry", "length_offset"}, None),
    ],
)
def test_a_machine_that_is_not_as_described_is_named(fault, names, value):
    result = diagnosis(log(changed(TRUTH, fault), SECONDS, seed=5, real=True))
    first = result.fit.causes[0]
    assert first.name.rstrip("_123456") in names
    assert value is None or first.value == pytest.approx(value, rel=0.05)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fault", "name"),
    [
        (lambda r: replace(r, force=-r.force), "force_sign"),
        (lambda r: replace(r, force=np.clip(4.4482216 * r.force, -LIMIT, LIMIT)), "force_unit"),
        (lambda r: replace(r, force=r.force[:, [1, 0, 2, 3, 4, 5]]), "exchanged_struts"),
        (lambda r: replace(r, coordinate=r.length[:, [0, 1, 5, 3, 4, 2]]), "exchanged_lengths"),
    ],
    ids=["sign", "lbf, clipped", "exchanged forces", "exchanged lengths"],
)
def test_what_is_wrong_altogether_is_told_first(right, fault, name):
    result = diagnosis(fault(right))
    assert result.fit.causes[0].name == name
    assert not result.fit.adequate
    assert "identifiable" not in result.estimate.status[:3]


@pytest.mark.slow
def test_what_the_causes_leave_puts_everything_in_doubt(right):
    """Friction that builds up over 10 mm of travel: no hypothesis says so, and the nearest explain little of it."""
    held = np.zeros_like(right.length)
    for row, moved in enumerate(np.diff(right.length, axis=0) / 0.01):
        held[row + 1] = np.clip(held[row] + moved, -1.0, 1.0)
    result = diagnosis(DriveLog(right.time, right.length, right.force + 3.0 * held, "hysteresis"))
    fit = result.fit
    assert fit.causes
    assert fit.unexplained
    assert "identifiable" not in result.estimate.status
    assert any("something else is wrong, too" in line for line in fit_lines(fit))
    # what is only the nearest leads with that, and asks nobody to do anything
    assert fit_lines(fit)[0].startswith("No known cause explains the misfit; nearest: ")
    assert all(cause.cure == "" for cause in fit.causes)
    assert "nearest" in reason(fit)
    assert "--also" not in " ".join([*fit_lines(fit), reason(fit)])
    gone = (fit.ratio**2 - fit.left**2) / (fit.ratio**2 - 1.0)
    assert gone < 0.9
    # each alone takes no more of the power above the noise than all of them; .02: degrees of freedom
    assert all(cause.explains < gone + 0.02 for cause in fit.causes)
    # deviations are the residual's and the named causes', not multiplied by its size: most values are within them
    error = np.abs(result.estimate.values - list_hexapod_parameters(TRUTH).nominal) / result.estimate.std
    assert 0.1 < np.median(error) < 1.5
    assert all(one.status == "in_doubt" for one in result.estimate.combinations)


@pytest.mark.slow
def test_clipping_that_no_residual_shows_is_named_by_its_effect(tmp_path):
    """A current measured five times too large, which the machine file knows, ends at the range of its measurement."""
    options = ["--trajectory", "rich", "--duration", "12", "--seed", "1", "--fault", "force_gain=5"]
    path = tmp_path / "clipped.csv.gz"
    assert main(["simulate", "--machine", "uf", *options, "--out", str(path)]) == 0
    known = changed(Machine.load("uf"), lambda document: document["drive"].update(force_gain=[5.0] * 6))
    result = diagnosis(read_log(path, known), known)
    assert result.fit.ratio < 1.2
    (cause,) = result.fit.causes
    assert cause.name == "saturation_4"
    assert cause.value == pytest.approx(600.0)
    assert (cause.moves, cause.explains) == ("viscous_4", 0.0)
    assert "though" in fit_lines(result.fit)[0]
    assert "it moves viscous_4 by" in reason(result.fit)
    assert result.estimate.status[result.estimate.names.index("viscous_4")] == "in_doubt"
    assert np.all(np.abs(result.estimate.values - result.estimate.nominal) < 4.0 * result.estimate.std)


@pytest.mark.slow
def test_deviations_hold_what_clipping_changes_in_whatever_unit(right, alone):
    strut = 4
    level = 0.8 * np.abs(right.force[:, strut]).max()
    limit = np.where(np.arange(6) == strut, level, np.inf)
    clipped = np.clip(right.force, -limit, limit)
    result = diagnosis(replace(right, force=clipped))
    cause = result.fit.causes[0]
    assert cause.name == f"saturation_{strut + 1}"
    # infinite and of no parameter where nobody has asked what it changes
    assert 2.0 < cause.effect < np.inf
    assert cause.moves
    assert "in_doubt" in result.estimate.status
    assert np.all(np.abs(result.estimate.values - alone.estimate.values) < 3.0 * result.estimate.std)
    # once a unit is undone, noise is what it is in newtons
    effects = []
    for factor in (9.80665, 1.0 / 9.80665):
        causes = {one.name: one for one in diagnosis(replace(right, force=factor * clipped)).fit.causes}
        assert causes["force_unit"].value == pytest.approx(1.0 / factor)
        assert causes[cause.name].value == pytest.approx(level)
        assert causes[cause.name].moves == cause.moves
        effects.append(causes[cause.name].effect)
    assert effects[0] == pytest.approx(effects[1], rel=1e-3)


@pytest.mark.slow
def test_gravity_upside_down_is_named(right):
    upside_down = changed(NOMINAL, lambda document: document.update(gravity=[0.0, 0.0, 9.81]))
    first = diagnosis(right, upside_down).fit.causes[0]
    assert first.name == "gravity_direction"
    assert first.value == pytest.approx(np.pi)


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
        LogError, match="columns of other struts: strut 1 is in column 2; strut 2 is in column 3"
    ):
        diagnosis(moved_on)
    result = diagnose_identification([moved_on], NOMINAL, SETTINGS)
    assert [cause.name for cause in result.fit.causes] == ["exchanged_lengths"]
    assert result.fit.causes[0].value == 6
    np.testing.assert_allclose(result.estimate.values, alone.estimate.values, rtol=1e-9)


@pytest.mark.slow
def test_two_faults_at_once_are_both_named(right):
    names = {cause.name for cause in diagnosis(_gain(delayed(right, 2e-3))).fit.causes}
    assert {"force_delay", "force_gain_4"} <= names


@pytest.mark.slow
def test_the_residual_of_all_sees_what_is_between_parts_of_an_excerpt(right, alone, monkeypatch):
    """Of hours, causes are looked for in an excerpt; here in the first and the last quarter."""
    quarter = len(right.time) // 4
    monkeypatch.setattr(
        "pkm_identification.identification.assessment.excerpt",
        lambda experiment: excerpt(experiment, most=2 * quarter, stretch=quarter),
    )
    good = diagnosis(right)
    assert good.fit.adequate
    left, expected = (
        one.fit.per_strut * one.fit.floor.std for one in (good, alone)
    )  # floors are of fewer samples
    # what the columns of smoothed friction explain is told by half of the log (2.4 % without them)
    np.testing.assert_allclose(left, expected, rtol=1e-2)
    force = right.force.copy()
    force[3 * quarter // 2 : 2 * quarter, 2] += 100.0
    bad = diagnosis(replace(right, force=force))
    assert not bad.fit.adequate
    assert not bad.fit.causes
    assert np.argmax(bad.fit.per_strut) == 2
    assert "identifiable" not in bad.estimate.status
    assert any("the residual of all logs is" in sentence for sentence in bad.beside)
