# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What a machine file leaves out is estimated besides: simulated truths, right logs, the file that knows it."""

from __future__ import annotations

import json
from functools import cache

import numpy as np
import pytest

from pkm_identification.api.identification import load
from pkm_identification.cli import main
from pkm_identification.identification.estimate_file import write_estimate_json
from pkm_identification.identification.experiment import Experiment
from pkm_identification.identification.identify import identify
from pkm_identification.identification.model_errors.estimated.kinds import STEP
from pkm_identification.identification.model_errors.estimated.registry import (
    OF_DRIVES,
    OF_MACHINE,
    OF_SCREWS,
    OFFSETS,
    SCALES,
)
from pkm_identification.identification.result import Identification
from pkm_identification.identification.settings import Settings
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import DriveLog
from pkm_identification.report.sentences import format_held_out_sentence
from pkm_identification.simulation.faults import parse_fault, with_faults
from pkm_identification.simulation.imperfections.setup import Setup
from pkm_identification.simulation.plant import Plant
from pkm_identification.simulation.sensors import SensorSettings
from pkm_identification.simulation.simulator import Simulator
from pkm_identification.simulation.trajectories import trajectory

pytestmark = pytest.mark.slow

UF = Machine.load("uf")
SECONDS = 8.0
# Deviations are good to some tens of percent; of the 30 to 60 values of a case one lies beyond 4 by chance in 1 of 300.
WITHIN = 4.0


@cache
def run(*faults: str) -> DriveLog:
    """A log of the machine as its file has it, but for the faults; .2 % noise of the forces, encoder steps."""
    return (
        Simulator(
            UF,
            trajectory("rich", UF, SECONDS),
            sensors=SensorSettings(current_noise=0.002),
            faults=[parse_fault(text) for text in faults],
            seed=5,
        )
        .run()
        .log()
    )


@cache
def identified(
    faults: tuple[str, ...], also: tuple[str, ...], estimator: str = "ls", consistent: bool = False
):
    settings = Settings.of(estimator=estimator, also=also, consistent=consistent)
    return identify([run(*faults)], UF, settings)


def deviations(result: Identification, truth: dict[str, float]) -> np.ndarray:
    """Errors over stated deviations; of what is not in `truth` the machine file is right."""
    estimate = result.estimate
    true = [truth.get(name, nominal) for name, nominal in zip(estimate.names, estimate.nominal, strict=True)]
    assert set(truth) <= set(estimate.names)
    shown = np.array([status == "identifiable" for status in estimate.status])
    assert shown.sum() >= 15
    return np.abs((estimate.values - true) / estimate.std)


SENSORS = ("force_delay=0.002", "force_gain_4=1.1", "motor_inertia=6")
SENSORS_ALSO = ("force_delay", "force_gain", "motor_inertia")
SENSORS_TRUE = {"force_delay": 0.002, "force_gain_4": 1.1, "motor_inertia": 6.0}
CASES = [
    (SENSORS, SENSORS_ALSO, SENSORS_TRUE),
    (
        ("gravity_direction=0.026", "force_offset_2=8", "friction_asymmetric=0.1", "joint_friction=0.3"),
        ("gravity_direction", "force_offset_2", "friction_asymmetric", "joint_friction"),
        {"gravity_direction_1": 0.026, "force_offset_2": 8.0, "base_joint_coulomb": 0.3, "platform_joint_coulomb": 0.3}
        | {f"friction_asymmetric_{i + 1}": 0.1 * float(UF.friction.coulomb[i]) for i in range(6)},
    ),
    (
        ("friction_stribeck=0.4,0.03", "friction_transition=0.005", "length_offset_3=0.0003", "force_delay_5=0.001"),
        ("friction_stribeck", "friction_transition", "length_offset_3", "force_delay_5"),
        {
            "friction_stribeck": 0.4,
            "friction_stribeck_rate": 0.03,
            "friction_transition": 0.005,
            "length_offset_3": 3e-4,
            "force_delay_5": 1e-3,
        },
    ),
    (
        ("length_scale=1.01", "friction_load=0.05"),
        ("length_scale", "friction_load"),
        {"length_scale": 1.01, "friction_load": 0.05},
    ),
    (
        ("friction_position=1.5", "compliance=4e-7", "length_scale_5=0.99"),
        ("friction_position", "compliance", "length_scale_5"),
        {"friction_position": 1.5, "compliance": 4e-7, "length_scale_5": 0.99},
    ),
]  # fmt: skip


@pytest.mark.parametrize(
    ("faults", "also", "truth"), CASES, ids=["sensors", "gravity", "friction", "pitch", "yield"]
)
def test_what_is_wrong_is_estimated_with_the_rest(faults, also, truth):
    result = identified(faults, also)
    assert deviations(result, truth).max() < WITHIN
    assert all(result.estimate.status[result.estimate.names.index(name)] == "identifiable" for name in truth)
    assert result.trusted
    assert not result.fit.causes
    # what was held out is predicted with the effects: as well as the noise allows, and the file alone is not
    assert format_held_out_sentence(result.validation, result.fit)[0]
    assert result.validation.nominal_percent > 1.2 * result.validation.rms_percent_total


def test_the_column_of_the_bend_is_the_difference_of_the_equations():
    """Also where rates are noisy: a law of other rates would find another bend in every log of encoders."""
    experiment = Experiment.of([run()], UF, Settings.of(estimator="ls", also=("friction_transition",)))
    assert experiment.equations_machine().friction[0].rate_noise > 0.0
    values = experiment.point.values.copy()
    place = experiment.parameters.names.index("friction_transition")
    here = experiment.problem().equations
    column = here.regressor[:, :, place]
    values[place] *= 1.0 + STEP
    there = experiment.at(values).problem().equations
    others = np.delete(np.arange(len(values)), place)
    change = (there.regressor - here.regressor)[:, :, others] @ values[others]
    step = STEP * UF.friction.transition_rate
    np.testing.assert_allclose(column, change / step, atol=1e-9 * np.abs(column).max())


EVERYTHING = (
    "force_delay",
    "force_gain_4",
    "force_offset",
    "gravity_direction",
    "motor_inertia",
    "friction_transition",
)


PRESLIDING = "friction_presliding"
# those of EVERYTHING below, all together
OTHERS = sorted(
    {*OF_DRIVES, *OF_MACHINE} - {OF_SCREWS, *OFFSETS[1:], *SCALES[1:], *EVERYTHING, PRESLIDING, "geometry"}
)


# in groups in which no two need a friction law of their own
@pytest.mark.parametrize("also", [OTHERS[k::4] for k in range(4)] + [["geometry"]], ids=" ".join)
def test_a_right_log_is_right_whatever_is_estimated_besides(also):
    """A cure that is not needed is no alarm, and what it cures is none."""
    result = identified((), tuple(also))
    assert result.trusted
    assert deviations(result, {}).max() < WITHIN


def test_bristles_that_are_not_there_have_no_share():
    result = identified((), (PRESLIDING,))
    estimate = result.estimate
    assert result.trusted
    # where a search for their displacement begins is no place where there are none
    assert deviations(result, {PRESLIDING: 0.0}).max() < WITHIN
    place = estimate.names.index("friction_presliding_share")
    assert abs(estimate.values[place]) < 0.01
    assert estimate.std[place] < 0.01


def test_effects_that_are_none_say_so():
    assert "motor_inertia" in identified((), ("motor_inertia",)).near_zero
    assert "motor_inertia" not in identified(SENSORS, SENSORS_ALSO).near_zero


def test_a_fit_without_another_bend_is_refused_and_the_full_model_allows_for_it():
    fault = ("friction_transition=0.0022",)
    assert not identified(fault, ()).fit.adequate
    assert identified(fault, (), "full").fit.adequate


def test_struts_that_yield_much_are_not_taken_for_softer_yet():
    """A tenth of the force and more is what yielding makes of the motion: to first order 2.3e-6 m/N would be found."""
    result = identified(("compliance=1.6e-6",), ("compliance",))
    assert deviations(result, {"compliance": 1.6e-6}).max() < WITHIN
    assert result.trusted
    assert result.validation.nominal_percent > 3.0 * result.validation.rms_percent_total


def test_a_large_compliance_is_found_in_its_size():
    """By the diagnosis, which knows no other orders than the first before it is chosen."""
    cause = identified(("compliance=1.6e-6",), ()).fit.causes[0]
    assert cause.name == "compliance"
    assert abs(cause.value - 1.6e-6) < WITHIN * cause.std
    assert cause.std < 1e-7


def test_bristles_are_estimated_with_their_damping():
    """The simulator's are damped by half of the critical of the mass that a drive feels."""
    result = identified(("friction_presliding=2e-5",), ("friction_presliding",))
    estimate = result.estimate
    value, std = (dict(zip(estimate.names, each, strict=True)) for each in (estimate.values, estimate.std))
    masses = Plant(UF).apparent_mass
    truth = {"friction_presliding": 2e-5} | {
        f"friction_presliding_damping_{i + 1}": float(np.sqrt(masses[i] * 2e-5 / UF.friction.coulomb[i]))
        for i in range(6)
    }
    truth["friction_presliding_share"] = 1.0
    own = len(estimate.names) - len(truth)
    assert deviations(result, truth)[:own].max() < WITHIN
    assert abs(value["friction_presliding"] - 2e-5) < WITHIN * std["friction_presliding"]
    share = "friction_presliding_share"
    assert abs(value[share] - 1.0) < WITHIN * std[share]
    damped = [name for name in truth if "damping" in name]
    assert np.mean([value[name] / truth[name] for name in damped]) == pytest.approx(1.0, abs=0.5)
    # 28 without them; the least rounding of encoders bends bristles
    assert result.fit.ratio < 2.5


def test_what_is_not_undone_stays_in_the_equations():
    """Values of a pass before change the columns of other effects, but not what is explained."""
    started = Experiment.of([run()], UF, Settings.of(estimator="ls", also=("friction_load",)))
    values = started.parameters.nominal.copy()
    values[started.parameters.names.index("friction_load")] = 0.05
    before, after = (one.problem().equations for one in (started, started.at(values)))
    np.testing.assert_allclose(after.measured, before.measured)
    np.testing.assert_allclose(after.regressor, before.regressor)


def test_joints_elsewhere_are_estimated_in_combinations():
    """Joint places are drawn about the file's; of 42 unknowns a motion shows some sums, and the rest is not biased."""
    fault = ("geometry=0.0003",)
    there = with_faults(Setup.of(UF, 5), [parse_fault(text) for text in fault]).machine
    moved = np.concatenate([getattr(there, key) - getattr(UF, key) for key in JOINTS]).ravel()
    result = identified(fault, ("geometry",))
    names = [name for name in result.estimate.names if name not in identified((), ()).estimate.names]
    truth = dict(zip(names[:36], moved.tolist(), strict=True))
    assert np.sqrt(np.mean(moved**2)) == pytest.approx(3e-4)
    assert deviations(result, truth).max() < WITHIN
    assert result.fit.adequate
    for one in result.estimate.combinations:
        true = sum(
            weight * truth.get(name, nominal)
            for weight, name, nominal in zip(
                one.weights, result.estimate.names, result.estimate.nominal, strict=True
            )
        )
        assert abs(one.value - true) < WITHIN * one.std
    assert not identified(fault, ()).fit.adequate


JOINTS = ("base_joints", "platform_joints")


def test_a_right_log_shows_none_and_the_rest_is_less_certain():
    without, result = identified((), ()), identified((), EVERYTHING)
    assert deviations(result, {}).max() < WITHIN
    assert result.trusted
    own = [result.estimate.names.index(name) for name in without.estimate.names]
    share = result.estimate.std[own] / without.estimate.std
    # what else could explain the forces makes none better known, by more than weights and correlation scatter
    assert share.min() > 0.85
    assert np.median(share) > 1.02
    assert share.max() > 1.5


@pytest.mark.parametrize("estimator", ["robust", "ukf"])
def test_other_estimators_take_the_same_equations(estimator):
    result = identified(SENSORS, SENSORS_ALSO, estimator)
    assert deviations(result, SENSORS_TRUE).max() < WITHIN
    assert result.trusted


def test_a_consistent_estimate_leaves_effects_alone():
    free, kept = identified(SENSORS, SENSORS_ALSO), identified(SENSORS, SENSORS_ALSO, consistent=True)
    names = [name for name in free.estimate.names if name not in identified((), ()).estimate.names]
    assert "force_delay" in names
    places = [free.estimate.names.index(name) for name in names]
    change = np.abs(kept.estimate.values - free.estimate.values) / free.estimate.std
    assert change[places].max() < 1.0


def test_another_error_is_still_found():
    first = identified(SENSORS, ("force_delay", "motor_inertia")).fit.causes[0]
    assert first.name == "force_gain_4"
    assert "--also force_gain_4" in first.correction


def test_the_cured_file_gives_the_same_rest(tmp_path, capsys):
    result = identified(SENSORS, SENSORS_ALSO, consistent=True)
    found, cured = tmp_path / "found.json", tmp_path / "cured.yaml"
    write_estimate_json(found, result)
    assert main(["export", "--machine", "uf", "--cures", str(found), "--out", str(cured)]) == 0
    machine = Machine.load(cured)
    assert machine.drive.force_delay == pytest.approx(0.002, rel=0.01)
    assert machine.motor_mass - UF.motor_mass == pytest.approx(6.0, rel=0.01)
    assert machine.platform.mass == UF.platform.mass
    again = identify([run(*SENSORS)], machine, Settings.of(estimator="ls", consistent=True, hold_out=0.0))
    own = [result.estimate.names.index(name) for name in again.estimate.names]
    change = np.abs(again.estimate.values - result.estimate.values[own]) / result.estimate.std[own]
    assert change.max() < 0.3
    assert again.fit.adequate
    # with identified bodies, and by the API
    assert main(["export", "--machine", "uf", "--estimate", str(found), "--out", str(cured)]) == 0
    whole = Machine.load(cured)
    mass = result.estimate.values[result.estimate.names.index("m_p")]
    assert whole.platform.mass == pytest.approx(mass)
    assert whole.drive.force_delay == machine.drive.force_delay
    assert load(found, "uf").machine_identified().document["drive"] == whole.document["drive"]
    assert capsys.readouterr().err.count("\n") == 2


def test_a_cured_file_has_gravity_joints_zeros_and_the_law(tmp_path, capsys):
    also = (*CASES[1][1], "length_offset_3", "force_delay_5", "center_of_mass")
    faults = CASES[1][0]
    found, cured = tmp_path / "found.json", tmp_path / "cured.yaml"
    write_estimate_json(found, identified(faults, also))
    assert main(["export", "--machine", "uf", "--cures", str(found), "--out", str(cured)]) == 0
    told = capsys.readouterr().err
    assert "force_delay_5, mx_p" in told
    machine = Machine.load(cured)
    assert np.arccos(machine.gravity @ UF.gravity / 9.81**2) == pytest.approx(0.026, rel=0.05)
    assert np.linalg.norm(machine.gravity) == pytest.approx(9.81)
    assert machine.friction.law.name == "asymmetric"
    np.testing.assert_allclose(machine.friction.coefficient("asymmetry"), 0.1 * UF.friction.coulomb, rtol=0.1)
    np.testing.assert_allclose(machine.joint_friction.coefficients[[0, 2]], 0.3, rtol=0.1)
    values = {entry["name"]: entry for entry in json.loads(found.read_text())["parameters"]}
    assert values["gravity_direction_1"]["kind"] == "effect"
    assert "kind" not in values["m_p"]
    zero = UF.drive.length_at_zero - machine.drive.length_at_zero
    saved = json.loads(found.read_text())["state"]
    assert zero[2] == pytest.approx(saved["mean"][saved["names"].index("length_offset_3")], rel=1e-6)
