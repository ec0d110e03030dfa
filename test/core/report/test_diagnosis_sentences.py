# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Sentences of a diagnosis: sizes with their sense, struts in words."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from core.report.made_identification import made_fit

from pkm_identification.estimation.posterior.answer import Answer, FoundEffect
from pkm_identification.estimation.posterior.verdict import DO_NOT_USE, Verdict
from pkm_identification.identification.diagnosis.findings import Cause
from pkm_identification.identification.model_errors.effects import find_effects
from pkm_identification.machines.hexapod import Hexapod
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.mechanisms.hexapod.parameters.sets import list_hexapod_parameters
from pkm_identification.report.diagnosis import format_cause_lines, sentence
from pkm_identification.report.sentences import format_verdict_lines


@pytest.mark.parametrize(
    ("name", "value", "unit", "expected"),
    [
        ("force_delay", 2e-3, "s", "The force comes 2.000 ± 0.010 ms late"),
        ("force_delay_2", -2e-3, "s", "The force of strut 2 comes 2.000 ± 0.010 ms early"),
        ("friction_stribeck", 0.4, "", "larger by 0.400000 ± 0.000010 of Coulomb friction"),
        ("friction_stribeck", -0.4, "", "smaller by 0.400000 ± 0.000010 of Coulomb friction"),
        ("friction_asymmetric_6", -0.1, "", "strut 6 is larger ... in than out, by 0.10000"),
        ("force_offset_3", -4.0, "N", "The force of strut 3 is off by -4.000000 ± 0.000010 N"),
    ],
)
def test_a_size_is_said_with_its_sense(name, value, unit, expected):
    said = sentence(Cause(name, value, 1e-5, unit, 0.99, "Mend it"))
    assert all(part in said for part in expected.split(" ... "))
    assert "that explains 99 % of the misfit. Mend it." in sentence(
        Cause(name, value, 1e-5, unit, 0.99, "Mend it")
    )


def test_every_cause_has_a_sentence_of_its_own():
    machine = Machine.load("uf")
    parameters = list_hexapod_parameters(machine)
    names = {effect.name for effect in find_effects(Hexapod(machine), parameters, [])}
    names |= {effect.name for effect in find_effects(Hexapod(machine.without_spin()), parameters, [])}
    names |= {"force_sign", "force_unit", "length_unit", "time_unit", "exchanged_struts", "exchanged_lengths"}
    names |= {"saturation", "lost_counts", "angle_drift", "coordinate_drift"}
    assert names >= {"hinge_at_platform", "no_spin", "joint_friction"}
    for name in names:
        text = sentence(Cause(name, 1.0, 0.1, "", 0.5, "Mend it"))
        assert not text.startswith(f"{name.replace('_', ' ').capitalize()}: "), name


def test_a_unit_says_that_no_residual_shows_it():
    unit = Cause("force_unit", 1000.0, 0.0, "N", 0.0, "Convert the forces", "force factor")
    assert "no residual" in sentence(unit)


@pytest.mark.parametrize(
    ("explains", "correction", "header", "remaining"),
    [
        (0.34, "", "No known cause", "4.51"),
        (0.99, "", "Known effects", "1.14"),
        (1.0, "Mend it", "1. ", None),
    ],
)
def test_no_line_denies_the_cause_below_it(explains, correction, header, remaining):
    cause = Cause("force_gain_4", 1.1, 0.01, "", explains, correction)
    fit = replace(made_fit(), adequate=False, ratio=5.5, causes=(cause,), unexplained=not correction)
    lines = format_cause_lines(fit)
    assert lines[0].startswith(header)
    assert "force of strut 4" in lines[-1]
    assert lines[-1].endswith(f"{remaining} times the noise floor." if remaining else f"{correction}.")


def test_an_effect_that_is_a_cause_is_said_once():
    """Of a refused fit that lacks effects: they are its causes, and others are said besides."""
    effects = (FoundEffect("force_delay", 4e-3, 1e-5, "s"), FoundEffect("force_gain_2", 0.08, 0.01, ""))
    verdict = Verdict(DO_NOT_USE, 1.0, 0.01, 1.0, 1.0, (), "Do not use this fit.")
    answer = Answer((), effects, verdict, np.zeros((0, 0)), np.zeros((0, 0)))
    fit = SimpleNamespace(causes=(Cause("force_delay", 4e-3, 1e-5, "s", 0.9, "Correct it."),), ratio=1.0)
    lines = [
        line for _, line in format_verdict_lines(SimpleNamespace(answer=answer, fit=fit, converged=True))
    ]
    assert len(lines) == 3
    assert [line for line in lines if "late" in line or "delay" in line] == lines[2:]
    assert "force_gain_2" in lines[1]
