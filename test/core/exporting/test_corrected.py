# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Machine files that know what a diagnosis has found."""

from __future__ import annotations

import json

import numpy as np
import pytest
from core.mechanisms.hexapod.machine_variants import changed, machine

from pkm_identification.cli import main
from pkm_identification.errors import MachineError, SettingsError
from pkm_identification.exporting.corrected import apply_corrections, read_causes, with_keys
from pkm_identification.exporting.corrected_effects import with_effects_known
from pkm_identification.identification.settings import Settings
from pkm_identification.machines.load import load_machine
from pkm_identification.mechanisms.hexapod.machine import Machine


def test_causes_become_known():
    causes = [
        {"name": "force_delay", "value": 0.0019},
        {"name": "force_gain_4", "value": 1.1},
        {"name": "force_offset_2", "value": -12.0},
        {"name": "motor_inertia", "value": 3.0},
        {"name": "geometry", "value": 0.0003},
        {"name": "force_delay_3", "value": 0.001},
    ]
    made, left = apply_corrections(machine("uf"), causes)
    assert made.drive.force_delay == 0.0019
    np.testing.assert_array_equal(made.drive.force_gain, [1, 1, 1, 1.1, 1, 1])
    np.testing.assert_array_equal(made.drive.force_offset, [0, -12, 0, 0, 0, 0])
    assert made.motor_mass == pytest.approx(3.0)
    assert left == ("geometry", "force_delay_3")


def test_what_the_full_model_found_is_known_where_no_cause_says_it(tmp_path):
    path = tmp_path / "found.json"
    effects = [
        {"name": "force_gain_2", "value": 0.3},
        {"name": "force_offset_3", "value": 8.0},
        {"name": "gravity_direction_1", "value": 0.1},
    ]
    saved = {"fit": {"causes": [{"name": "force_offset_1", "value": 5.0}]}, "answer": {"effects": effects}}
    path.write_text(json.dumps(saved), encoding="utf-8")
    made, left = apply_corrections(machine("uf"), read_causes(path))
    np.testing.assert_allclose(made.drive.force_gain, [1, 1.3, 1, 1, 1, 1])
    np.testing.assert_array_equal(made.drive.force_offset, [5, 0, 0, 0, 0, 0])
    assert left == ("gravity_direction_1",)


@pytest.mark.parametrize(
    ("late", "known", "left"),
    [
        ([1, 2, 3], 0.0, ("force_delay_1", "force_delay_2", "force_delay_3")),
        ([1, 2, 3, 4], 0.002, ()),
        ([5], 0.0, ("force_delay_5",)),
    ],
)
def test_a_delay_is_known_if_it_is_that_of_most_struts(late, known, left):
    uf = machine("uf")
    settings = Settings.of(estimator="ls", also=tuple(f"force_delay_{strut}" for strut in late))
    parameters = settings.parameter_set(uf)
    values = parameters.nominal.copy()
    for name in settings.estimator.also:
        values[parameters.names.index(name)] = 0.002
    made, unknown = with_effects_known(uf, settings.estimator, values)
    assert made.drive.force_delay == known
    assert unknown == left


def test_what_was_known_before_is_added_to():
    known = machine(changed("uf", drive__force_delay=0.001, drive__force_gain=[1.2] * 6))
    made, _ = apply_corrections(
        known, [{"name": "force_delay", "value": 0.0005}, {"name": "force_gain", "value": 1.1}]
    )
    assert made.drive.force_delay == pytest.approx(0.0015)
    np.testing.assert_allclose(made.drive.force_gain, 1.32)


def test_keys_can_be_set_and_are_judged():
    made = with_keys(
        load_machine("uf"), ["tolerances.joint_places=0.0003", "drive.force_gain=[1, 1, 1.1, 1, 1, 1]"]
    )
    made = made.description
    assert made.tolerances.joint_places == 0.0003
    assert made.drive.force_gain[2] == 1.1
    for wrong in ("drive.force_delay", "=1", "name.x=1", "drive.force_delay=["):
        with pytest.raises(SettingsError):
            with_keys(load_machine("uf"), [wrong])
    with pytest.raises(MachineError, match="force_gian"):
        with_keys(load_machine("uf"), ["drive.force_gian=1"])


def test_the_command_writes_the_cured_file(tmp_path, capsys):
    diagnosis, out = tmp_path / "diagnosis.json", tmp_path / "cured.yaml"
    causes = [{"name": "force_delay", "value": 0.0019}, {"name": "compliance", "value": 1e-8}]
    diagnosis.write_text(json.dumps({"fit": {"adequate": False, "causes": causes}}))
    asked = ["export", "--machine", "uf", "--out", str(out)]
    assert main([*asked, "--cures", str(diagnosis), "--set", "tolerances.force_gain=0.01"]) == 0
    assert "compliance" in capsys.readouterr().err
    made = Machine.load(out)
    assert (made.drive.force_delay, made.tolerances.force_gain) == (0.0019, 0.01)
    diagnosis.write_text("{}")
    assert main([*asked, "--cures", str(diagnosis)]) == 2
    assert main([*asked, "--set", "drive.force_delay=9"]) == 2
    assert len(capsys.readouterr().err.strip().splitlines()) == 2
