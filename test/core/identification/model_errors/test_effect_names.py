# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What cannot be estimated besides is refused before logs are read."""

from __future__ import annotations

import argparse
from dataclasses import replace

import numpy as np
import pytest
from core.mechanisms.hexapod.machine_variants import changed, machine

from pkm_identification.cli import main
from pkm_identification.commands.arguments import add_setting
from pkm_identification.errors import SettingsError
from pkm_identification.exporting.corrected_effects import with_effects_known
from pkm_identification.identification.model_errors.estimated.corrections import Corrections
from pkm_identification.identification.model_errors.estimated.effect import FIXED
from pkm_identification.identification.model_errors.estimated.linearisation import Linearisation
from pkm_identification.identification.model_errors.estimated.registry import (
    OF_DRIVES,
    OF_MACHINE,
    parse_names,
)
from pkm_identification.identification.settings import ALSO, Settings, assumptions_of
from pkm_identification.machines.load import load_machine
from pkm_identification.mechanisms.hexapod.drive import KnownForces
from pkm_identification.signals.forces.known import correct_known_forces
from pkm_identification.signals.input_validation import ValidatedLog

NONE = Corrections.none(load_machine("uf"))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--also", "force_dealy"], "must be one of force_delay[_DRIVE], force_gain[_DRIVE]"),
        (["--also", "force_delay,force_delay"], "is given twice"),
        (["--also", "force_delay_7"], "there is no drive '7'"),
        (["--also", "motor_inertia_2"], "all drives of machine"),
        (
            ["--also", "force_delay," + ",".join(f"force_delay_{i}" for i in range(1, 7))],
            "leave one of them out",
        ),
        (["--also", "force_gain,force_gain_4"], "'force_gain' has force_gain_4 already"),
        (["--also", "geometry,length_offset"], "'geometry' has length_offset_1 already"),
        (["--also", "motor_inertia", "--parameters", "general_motor"], "set 'general_motor' has it already"),
        (["--also", "center_of_mass", "--parameters", "extended"], "set 'extended' has it already"),
        (["--also", "friction_stribeck,friction_asymmetric_2"], "together with"),
        (["--also", "force_delay", "--causal", "--estimator", "ukf"], "causal run"),
        (["--also", "force_delay", "--estimator", "joint"], "cannot estimate effects"),
        (["--also", "force_delay", "--estimator", "iv"], "cannot estimate effects"),
        (["--also", "force_delay", "--estimator", "ls", "--model", "energy"], "energy model"),
        (["--also", "force_delay", "--estimator", "ls", "--fix", "force_delay=0.001"], "--also"),
    ],
)
def test_what_cannot_be_is_one_line(options, words, capsys):
    estimator = [] if "--estimator" in options else ["--estimator", "ls"]
    assert main(["identify", "no_such_log.csv", "--machine", "uf", *estimator, *options]) == 2
    told = capsys.readouterr().err.strip().splitlines()
    assert len(told) == 1
    assert words in told[0]


def test_a_machine_without_it_is_refused():
    also = Settings.of(estimator="ls", also=("gravity_direction",))
    with pytest.raises(SettingsError, match="no gravity"):
        also.parameter_set(machine(changed("uf", gravity=[0.0, 0.0, 0.0])))
    own = changed("uf", friction__law="asymmetric", friction__asymmetry=[0.0] * 6)
    with pytest.raises(SettingsError, match="has it already"):
        Settings.of(estimator="ls", also=("friction_asymmetric",)).parameter_set(machine(own))
    with pytest.raises(SettingsError, match="cannot have it"):
        Settings.of(estimator="ls", also=("friction_stribeck",)).parameter_set(machine(own))
    joints = changed("uf", friction__joints={"base": {"coulomb": 1.0}})
    with pytest.raises(SettingsError, match="has it already"):
        Settings.of(estimator="ls", also=("joint_friction",)).parameter_set(machine(joints))


def test_every_name_has_parameters_with_priors():
    screw = {"type": "screw", "torque_constant": 0.5, "lead": 0.02, "current_limit": 20.0, "efficiency": 0.9}
    uf = machine(changed("uf", actuator=screw))
    plain = Settings.of(estimator="ls").parameter_set(uf)
    for name in (*OF_DRIVES, *(f"{stem}_3" for stem in OF_DRIVES if stem != "motor_inertia"), *OF_MACHINE):
        parameters = Settings.of(estimator="ls", also=parse_names(f" {name} ")).parameter_set(uf)
        assert len(parameters) > len(plain)
        assert set(plain.names) <= set(parameters.names)
        assert np.all(parameters.scale > 0.0)


def test_a_prior_of_an_effect_can_be_stated(tmp_path):
    path = tmp_path / "prior.yaml"
    path.write_text("force_delay: {value: 0.001, std: 0.0001}\n")
    given = Settings.of(estimator="ls", also=("force_delay",), assumptions=assumptions_of((), (), str(path)))
    parameters = given.parameter_set(machine("uf"))
    place = parameters.names.index("force_delay")
    assert (parameters.prior_mean[place], parameters.prior_std[place]) == (0.001, 0.0001)


@pytest.mark.parametrize(
    ("gains", "judged"),
    [
        # in two camps, none near the middle: the mean of all is taken for right
        ([0.95, 0.96, 0.97, 1.03, 1.04, 1.05], [0, 1, 2, 3, 4, 5]),
        ([1.0, 1.01, 0.99, 1.0, 1.3, 0.7], [0, 1, 2, 3]),
    ],
)
def test_the_common_factor_of_gains_is_that_of_most(gains, judged):
    uf, settings = machine("uf"), Settings.of(estimator="ls", also=("force_gain",))
    values = settings.parameter_set(uf).nominal.copy()
    point = Linearisation.of(settings.estimator, uf)
    places = point.effects[0].places(point.parameters)
    values[places] = gains
    found = replace(point, values=values).relations(len(values))
    np.testing.assert_array_equal(np.flatnonzero(found.rows[0]), np.array(places)[judged])
    # fixed at the file's gain of one
    factor = np.mean(np.array(gains)[judged])
    assert found.rows[0] @ values == pytest.approx(factor * found.values[0], rel=1e-12)
    assert found.values[0] == pytest.approx(1 / FIXED)


def validated() -> ValidatedLog:
    rng = np.random.default_rng(0)
    time = np.arange(60) * 1e-3
    smooth = np.sin(2 * np.pi * 5 * time)[:, None] * rng.uniform(0.5, 1.0, 6)
    return ValidatedLog(
        time=time,
        coordinate=1.0 + 0.01 * smooth,
        force=100.0 * smooth,
        segment=np.repeat([0, 1], 30),
        filled=np.zeros(60, dtype=bool),
        counts={},
        first={},
        period=1e-3,
    )


def test_forces_are_corrected_as_a_machine_file_would():
    """With one delay for all struts, what is undone is what `drive` in a machine file undoes."""
    gain, offset = (1.1, 1.0, 0.9, 1.0, 1.0, 1.0), (5.0, 0.0, 0.0, -3.0, 0.0, 0.0)
    expected = correct_known_forces(validated(), KnownForces(0.0023, gain, offset))
    made = replace(NONE, delay=np.full(6, 0.0023), gain=np.array(gain), offset=np.array(offset)).log(
        validated()
    )
    np.testing.assert_array_equal(made.time, expected.time)
    np.testing.assert_allclose(made.force, expected.force, rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(made.segment, expected.segment)


def test_lengths_are_corrected_about_the_encoders_zero():
    """Measured is zero + scale (true - zero) + offset."""
    uf, true = machine("uf"), validated()
    zero, scale, offset = uf.drive.length_at_zero, np.linspace(0.98, 1.03, 6), np.linspace(-1e-3, 2e-3, 6)
    measured = replace(true, coordinate=zero + scale * (true.length - zero) + offset)
    made = replace(NONE, zero=offset, scale=scale).log(measured)
    np.testing.assert_allclose(made.length, true.length, rtol=1e-12)
    np.testing.assert_array_equal(made.force, true.force)


def cured(also: tuple[str, ...], **found: float):
    uf, settings = machine("uf"), Settings.of(estimator="ls", also=also).estimator
    parameters = settings.parameters_and_effects(uf)[0]
    values = parameters.nominal.copy()
    for name, value in found.items():
        values[parameters.names.index(name)] = value
    return uf, *with_effects_known(uf, settings, values)


def test_a_file_knows_the_pitch_of_all_encoders_but_not_of_one():
    also = ("length_scale", "length_offset_2", "compliance", "friction_load", "friction_position_3")
    uf, file, left = cured(also, length_scale=1.01, length_offset_2=1e-3)
    assert file.drive.counts_per_meter == pytest.approx(1.01 * uf.drive.counts_per_meter)
    # the same counts stand for the true length: zero + scale (true - zero) + offset in the old file
    true = 0.4
    counts = uf.drive.counts_per_meter * (1.01 * (true - uf.drive.length_at_zero[1]) + 1e-3)
    assert file.drive.length_at_zero[1] + counts / file.drive.counts_per_meter == pytest.approx(
        true, rel=1e-12
    )
    assert left == ("compliance", "friction_load", "friction_position_3")
    uf, file, left = cured(("length_scale_4",), length_scale_4=0.99)
    assert file.drive.counts_per_meter == uf.drive.counts_per_meter
    assert left == ("length_scale_4",)


def test_struts_with_delays_of_their_own_keep_what_all_have_in_time():
    delay = np.array([0.0, 0.002, 0.0, 0.0, -0.001, 0.0])
    made = replace(NONE, delay=delay).log(validated())
    whole = validated()
    rows = np.searchsorted(whole.time, made.time)
    assert len(rows) == 60 - 2 * 3
    np.testing.assert_array_equal(made.force[:, 0], whole.force[rows, 0])
    np.testing.assert_array_equal(made.force[:, 1], whole.force[rows + 2, 1])
    np.testing.assert_array_equal(made.force[:, 4], whole.force[rows - 1, 4])


def test_the_option_given_twice_means_both():
    parser = argparse.ArgumentParser()
    add_setting(parser, ALSO, "NAME[,NAME...]")
    assert parser.parse_args([]).also == ""
    given = parser.parse_args(["--also", "friction_load,compliance", "--also", "length_scale"]).also
    assert given == "friction_load,compliance,length_scale"
