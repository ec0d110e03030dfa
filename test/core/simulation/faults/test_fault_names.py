# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Faults are named as a diagnosis names causes, and every mistake is answered in one line."""

from __future__ import annotations

import math

import numpy as np
import pytest

from pkm_identification.cli import main
from pkm_identification.errors import SettingsError
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.simulation.faults import FAULTS, fault_list, parse_fault, with_faults
from pkm_identification.simulation.imperfections.setup import Setup

# the table of causes a diagnosis can name
TABLE = """
force_delay=0.002 force_delay_2=-0.001 force_gain_4=1.1 force_gain=0.9 force_offset_1=12 force_sign=-1 force_unit=1000
force_unit=9.80665 force_unit=4.448 force_unit=A length_unit=mm length_unit=inch time_unit=ms time_unit=us
exchanged_struts=1-2 exchanged_lengths=213456 length_offset_3=0.001 length_scale_6=1.01 gravity_direction=0.026
gravity_direction=0.01,-0.02 gravity_direction=upside_down motor_inertia=6 center_of_mass=0.01,0,0.02
products_of_inertia=0.01 unequal_struts=0.1 friction_transition=0.01 friction_stribeck=0.5 friction_presliding=2e-5
friction_asymmetric=0.2 friction_load=0.05 friction_position=-1 joint_friction=1 hinge_axis=0.2 hinge_at_platform
no_spin geometry=0.0003 geometry_2=0.001,0,0 compliance=1e-8 lost_counts=0.0001 saturation=100 changed_during_log=0.1
stuck_length_2=3 reversed_length_5=1.5 reversed_length_1
"""


@pytest.mark.parametrize("text", TABLE.split())
def test_every_cause_can_be_simulated(text):
    fault = parse_fault(text)
    assert fault.name == text.partition("=")[0]
    machine = Machine.load("uf")
    with np.printoptions(precision=17):
        assert repr(with_faults(Setup.of(machine), [fault])) != repr(Setup.of(machine))


def test_numbers_words_and_struts():
    assert parse_fault("force_gain_4=1.1").numbers == (1.1,)
    assert parse_fault("force_gain_4=1.1").strut == 3
    assert parse_fault("force_unit=kN").numbers == (1000.0,)
    assert parse_fault("gravity_direction=upside_down").numbers == (math.pi,)
    assert parse_fault("force_sign").numbers == (-1.0,)
    assert parse_fault("exchanged_struts=1-3").numbers == (3.0, 2.0, 1.0, 4.0, 5.0, 6.0)


@pytest.mark.parametrize(
    ("text", "mentions"),
    [
        ("force_dely=0.001", "did you mean 'force_delay'"),
        ("zzz=1", "--list-faults"),
        ("force_gain_7=1.1", "N from 1 to 6"),
        ("force_offset=3", "force_offset_N"),
        ("force_delay", "between -0.1 and 0.1"),
        ("force_delay=1", "between -0.1 and 0.1"),
        ("force_delay=nan", "between -0.1 and 0.1"),
        ("force_delay=0.001,0.002", "a number"),
        ("exchanged_struts=113456", "213456"),
        ("exchanged_struts=1-1", "213456"),
        ("center_of_mass=1,2", "1 or 3 numbers"),
        ("no_spin=2", "1, or no value"),
    ],
)
def test_mistakes_are_named(text, mentions):
    with pytest.raises(SettingsError) as refused:
        parse_fault(text)
    assert mentions in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("machine", "text", "mentions"),
    [
        ("hexel", "friction_stribeck=0.5", "no Coulomb friction"),
        ("uf", "motor_inertia=-1", "has only 0 kg to lose"),
        ("uf", "products_of_inertia=3", "no such body"),
        ("uf", "friction_stribeck=9", "between -0.9 and 5"),
        ("uf", "geometry=0.001,0,0", "geometry_N"),
    ],
)
def test_what_a_machine_cannot_have_is_refused(machine, text, mentions):
    with pytest.raises(SettingsError, match=mentions) as refused:
        with_faults(Setup.of(Machine.load(machine)), [parse_fault(text)])
    assert str(refused.value).startswith("fault '")


def test_the_list_has_a_line_for_each():
    lines = fault_list().splitlines()
    assert len(lines) == len(FAULTS)
    assert [line.split()[0] for line in lines] == [kind.form for kind in FAULTS]


def test_the_command_lists_faults_and_refuses_wrong_ones(capsys, tmp_path):
    with pytest.raises(SystemExit) as ended:
        main(["simulate", "--list-faults"])
    assert ended.value.code == 0
    assert "force_delay[_N]" in capsys.readouterr().out
    out = tmp_path / "log.csv"
    asked = ["simulate", "--machine", "uf", "--trajectory", "x", "--out", str(out)]
    for wrong in (
        ["--fault", "force_dely=1"],
        ["--fault", "lost_counts_9=1"],
        ["--noise", "-1"],
        ["--noise", "nan"],
    ):
        assert main([*asked, *wrong]) == 2
        stdout, stderr = capsys.readouterr()
        assert stdout == ""
        assert len(stderr.strip().splitlines()) == 1
    assert not out.exists()
