# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Drive conversion: counts and amperes to metres and newtons."""

import numpy as np
import pytest
import yaml

from pkm_identification.errors import LogError
from pkm_identification.identification.rates.sample_rate import compute_common_period
from pkm_identification.machines.load import as_machine
from pkm_identification.mechanisms.hexapod.machine import Machine, builtin_machines
from pkm_identification.motion import DriveLog
from pkm_identification.records.drive_csv import convert_counts, convert_currents


def test_one_metre_of_counts_and_one_ampere():
    machine = Machine.load("uf")
    counts = np.outer([0, 1], np.full(6, machine.drive.counts_per_meter))
    drives = as_machine(machine).drives
    length, force = convert_counts(drives, counts, "uf"), convert_currents(drives, np.ones((2, 6)), "uf")
    np.testing.assert_array_equal(length[0], machine.drive.length_at_zero)
    np.testing.assert_allclose(length[1] - length[0], 1.0, rtol=1e-15)
    # One turn of the motor is one lead of the screw: work per turn is the same on both sides but for losses.
    turn_work = (
        2 * np.pi * machine.drive.torque_constant * machine.drive.gear_ratio * machine.drive.efficiency
    )
    np.testing.assert_allclose(force * machine.drive.screw_lead, turn_work, rtol=1e-15)


def test_lengths_stay_and_currents_become_forces_by_the_screws_work():
    """Oh 2003, l.16242-43, 16312-13: with the 3:1 gearbox three times the force of the motor on the screw."""
    document = yaml.safe_load(builtin_machines()["uf"].read_text())
    motor = {"torque_constant": 0.3, "screw_lead": 0.004, "force_limit": 900.0}
    current = np.outer([1.0, -2.0, 0.5, np.nan], np.arange(1, 7))
    force = {}
    for ratio in (1.0, 3.0):
        # no encoder: nothing is known of counts
        document["drive"] = {"sample_rate": 1000.0, "motor": motor | {"gear_ratio": ratio}}
        machine = Machine.from_document(document)
        force[ratio] = convert_currents(as_machine(machine).drives, current, "uf")
        # one turn of the screw: torque times 2 pi is force times lead
        np.testing.assert_allclose(force[ratio] * 0.004, 2 * np.pi * 0.3 * ratio * current, rtol=1e-14)
    np.testing.assert_allclose(force[3.0], 3 * force[1.0], rtol=1e-15)


def test_currents_beside_lengths_need_motors_that_make_force():
    uf = yaml.safe_load(builtin_machines()["uf"].read_text())
    hydraulic = yaml.safe_load(builtin_machines()["uf_hydraulic"].read_text())["actuator"]
    encoders_alone = {key: value for key, value in uf["drive"].items() if key != "motor"}
    for change, message in (
        ({"drive": encoders_alone}, r"a\.csv: currents need the key 'motor' .* 'uf'"),
        ({"actuator": hydraulic}, "drive 1 of machine 'uf' is of type 'hydraulic', whose current opens"),
    ):
        machine = Machine.from_document(uf | change)
        with pytest.raises(LogError, match=message):
            convert_currents(as_machine(machine).drives, np.ones((1, 6)), "uf", "a.csv", "currents")


def test_machine_without_drive_is_named():
    document = dict(Machine.load("uf").document)
    del document["drive"]
    with pytest.raises(LogError, match=r"a\.csv.*'encoder'.*'uf'"):
        convert_counts(as_machine(Machine.from_document(document)).drives, np.zeros((1, 6)), "uf", "a.csv")


def test_drives_with_valves_are_told_where_forces_come_from():
    hydraulic = yaml.safe_load(builtin_machines()["uf_hydraulic"].read_text())["actuator"]
    document = yaml.safe_load(builtin_machines()["uf"].read_text())
    machine = Machine.from_document(document | {"actuator": hydraulic})
    without = DriveLog(np.arange(3.0), np.zeros((3, 6)), None)
    with pytest.raises(LogError, match=r"no forces; .* hydraulic .*pressures"):
        compute_common_period([without], as_machine(machine))
