# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What a machine file may know of its drives and of its own exactness."""

from __future__ import annotations

import numpy as np
import pytest
import yaml
from core.mechanisms.hexapod.machine_variants import changed, document, machine

from pkm_identification.errors import LogError, MachineError
from pkm_identification.exporting.formats import format_machine_text
from pkm_identification.machines.load import as_machine
from pkm_identification.mechanisms.hexapod.drive import Drive
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.mechanisms.tolerances import Tolerances
from pkm_identification.records.drive_csv import convert_counts
from pkm_identification.signals.input_validation import ValidationSettings

GAINS = [1.0, 1.02, 0.97, 1.1, 1.0, 1.0]


def cured() -> dict:
    made = changed("uf", drive__force_delay=0.0019, drive__force_gain=GAINS, drive__force_offset=[3.0] * 6)
    return changed(made, tolerances={"joint_places": 0.0003, "force_gain": 0.02, "gravity_direction": 0.001})


def test_known_values_and_tolerances_survive_being_written():
    first = machine(cured())
    again = Machine.from_document(yaml.safe_load(format_machine_text(first, "yaml")))
    for made in (first, again):
        assert made.drive.force_delay == 0.0019
        np.testing.assert_array_equal(made.drive.force_gain, GAINS)
        np.testing.assert_array_equal(made.drive.force_offset, [3.0] * 6)
        assert made.tolerances.known == {
            "joint_places": 0.0003,
            "force_gain": 0.02,
            "gravity_direction": 0.001,
        }
    assert again.hash == first.hash


def test_a_file_without_them_knows_nothing():
    plain = machine("uf")
    assert plain.drive.known_forces is None
    assert plain.tolerances == Tolerances()
    assert ValidationSettings.of(plain).known is None
    assert ValidationSettings.of(machine(cured())).known.delay == 0.0019


@pytest.mark.parametrize(
    ("path", "value", "mentions"),
    [
        ("drive__force_delay", 0.5, "drive.force_delay = 0.5: must be between -0.1 and 0.1 s"),
        ("drive__force_delay", "2ms", "drive.force_delay"),
        ("drive__force_gain", [1.0] * 5, "drive.force_gain must be 6 numbers"),
        ("drive__force_gain", [1, 1, 1, 1, 1, 0], "between 0.1 and 10"),
        ("drive__force_gain", [1, 1, 1, 1, 1, -1], "between 0.1 and 10"),
        ("drive__force_offset", [3.0] * 2, "drive.force_offset must be 6 numbers"),
        ("drive__force_noise", 0.0, "drive.force_noise = 0: must be greater than zero"),
        ("drive__force_gian", [1.0] * 6, "unknown key 'force_gian' in 'drive'"),
        ("tolerances", {"joint_place": 1e-3}, "unknown key 'joint_place'"),
        ("tolerances", {"joint_places": -1e-3}, "tolerances.joint_places = -0.001: must not be negative"),
        ("tolerances", {"force_gain": 2.0}, "between 0 and 0.5"),
        ("tolerances", {"force_delay": "1e-3s"}, "tolerances.force_delay"),
    ],
)
def test_impossible_knowledge_is_refused_with_its_key(path, value, mentions):
    with pytest.raises(MachineError) as refused:
        machine(changed("uf", **{path: value}))
    assert mentions in str(refused.value)
    assert "\n" not in str(refused.value)


def test_the_sample_rate_alone_is_a_drive():
    made = document("uf")
    made["drive"] = {"sample_rate": 100}
    drive = machine(made).drive
    assert isinstance(drive, Drive)
    assert (drive.sample_rate, drive.has_encoder, drive.has_motor) == (100.0, False, False)
    assert machine(made).motor_mass == 0.0
    assert ValidationSettings.of(machine(made)).period == 0.01
    with pytest.raises(LogError, match=r"'encoder'.*it has none"):
        convert_counts(as_machine(machine(made)).drives, np.zeros((1, 6)), "uf")
    del made["drive"]["sample_rate"]
    with pytest.raises(MachineError, match=r"drive.sample_rate' is missing"):
        machine(made)
