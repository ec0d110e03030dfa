# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""An encoder on the motor and one on the load: which one the loops act on, and what a log has of both."""

from __future__ import annotations

import copy
from dataclasses import replace

import numpy as np
import pytest

import pkm_identification as pkm
from pkm_identification.cli import main
from pkm_identification.errors import LogError, MachineError
from pkm_identification.machines.encoders import are_on_motors
from pkm_identification.machines.hexapod import Hexapod
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.mechanisms.hexapod.transfers import transfers_of
from pkm_identification.records.foreign import LogLayout
from pkm_identification.records.log import read_log, write_log
from pkm_identification.simulation.sensors import SensorSettings
from pkm_identification.simulation.simulator import Simulator


def belt(**keys):
    document = copy.deepcopy(Machine.load("uf_belt").document)
    document["actuator"] |= keys
    return Machine.from_document(document)


def run(machine):
    simulator = Simulator(machine, sensors=SensorSettings.perfect())
    simulator.command_lengths(simulator.plant.length + 0.005)
    return simulator.run(0.08)


@pytest.mark.slow
@pytest.mark.parametrize("cascade", ["motor", "load"])
def test_the_cascade_acts_on_the_one_the_file_names(cascade):
    one, both = run(belt(encoder=cascade)), run(belt(encoder="both", cascade=cascade))
    np.testing.assert_array_equal(both.truth.length, one.truth.length)
    np.testing.assert_array_equal(both.length, both.truth.length)
    assert one.motor_length is None
    assert both.motor_length is not None
    if cascade == "motor":
        np.testing.assert_array_equal(both.motor_length, one.length)
    # the belt is wound up by what the motors pull with: 5.3e5 N/m at the strut
    deflection = both.motor_length - both.length
    assert 1e-5 < np.abs(deflection).max() < 1e-2
    assert not np.any([transfer.on_motor for transfer in transfers_of(belt(encoder="both"), 1e-3)])


@pytest.fixture(scope="module")
def record():
    return run(belt(encoder="both"))


@pytest.mark.slow
def test_a_log_says_which_is_which(record, tmp_path):
    path = tmp_path / "log.csv"
    write_log(path, record.log(), motors=record.motor_length)
    header = path.read_text().splitlines()[0].split(",")
    assert header[1:7] == [f"length_{i}" for i in range(1, 7)]
    assert header[-6:] == [f"motor_length_{i}" for i in range(1, 7)]
    columns = np.genfromtxt(path, delimiter=",", skip_header=1)
    np.testing.assert_allclose(columns[:, -6:], record.motor_length, atol=1e-9)
    np.testing.assert_allclose(read_log(path).length, record.length, atol=1e-9)


@pytest.mark.slow
def test_from_python_lengths_are_of_the_encoders_that_the_machine_has_and_no_others():
    load = belt(encoder="both")
    motor = load.with_encoder("motor")
    of_load, of_motor = (pkm.simulate(machine, "z", duration=1.6) for machine in (load, motor))
    assert (of_load.encoder, of_motor.encoder) == ("load", "motor")
    assert np.abs(of_load[0].length - of_motor[0].length).max() > 1e-6
    assert pkm.read_logs(of_motor, motor).encoder == "motor"
    with pytest.raises(LogError, match=r"on the load, .* on the motor"):
        pkm.identify(of_load, motor)


@pytest.mark.slow
def test_motors_lengths_that_are_not_there_are_no_load_lengths(record, tmp_path):
    motor, log = belt(encoder="both").with_encoder("motor"), record.log()
    log = replace(log, time=log.time + 1.0)
    write_log(tmp_path / "log.csv", log)
    with pytest.raises(LogError, match=r"no columns motor_length_1\.\.motor_length_6"):
        read_log(tmp_path / "log.csv", motor)
    write_log(tmp_path / "bag", log)
    with pytest.raises(LogError, match="no topic /motor_states"):
        read_log(tmp_path / "bag", motor)
    write_log(tmp_path / "both", log, motors=record.motor_length)
    for side, topic in (("motor", "strut_states"), ("load", "/motor_states")):
        with pytest.raises(LogError, match="lengths of the other encoders"):
            read_log(tmp_path / "both", belt(encoder="both").with_encoder(side), topic)


@pytest.mark.slow
@pytest.mark.parametrize("delimiter", [",", ";"])
@pytest.mark.parametrize("form", ["{}_{}", "/{}/{}/{}"])
def test_text_of_other_programs_has_both_by_the_names_of_joints(record, tmp_path, delimiter, form):
    names = ("leg_c", "leg_a", "axis/3", "leg_b", "leg_f", "leg_e")
    machine = replace(belt(encoder="both"), joint_names=names)
    log = record.log()
    columns = {"t": log.time}
    for i, name in enumerate(names):
        if form == "{}_{}":
            columns |= {f"length_{name}": log.length[:, i], f"force_{name}": log.force[:, i]}
            columns[f"motor_length_{name}"] = record.motor_length[:, i]
        else:
            for topic, length in (("strut_states", log.length), ("motor_states", record.motor_length)):
                columns |= {
                    f"/{topic}/{name}/position": length[:, i],
                    f"/{topic}/{name}/effort": log.force[:, i],
                }
    rows = [
        delimiter.join(columns),
        *(delimiter.join(map(repr, row)) for row in np.column_stack(list(columns.values())).tolist()),
    ]
    path = tmp_path / "log.csv"
    path.write_text("\n".join(rows) + "\n")
    for side, length in (("load", record.length), ("motor", record.motor_length)):
        read = read_log(path, machine.with_encoder(side))
        np.testing.assert_array_equal(read.length, length)
        np.testing.assert_array_equal(read.force, log.force)


@pytest.mark.slow
def test_columns_and_units_of_the_motors_are_named_as_others_are(record, tmp_path):
    path, log = tmp_path / "log.csv", record.log()
    groups = {"L": 1e3 * log.length, "F": log.force, "M": 1e3 * record.motor_length}
    names = [f"{letter}{i}" for letter in groups for i in range(1, 7)]
    table = np.column_stack([log.time, *groups.values()])
    np.savetxt(path, table, delimiter=";", header=";".join(["T", *names]), fmt="%.17g")
    layout = LogLayout.of("t=T,length=L1..L6,force=F1..F6,motor_length=M1..M6", "mm", None, None)
    for side, length in (("load", record.length), ("motor", record.motor_length)):
        read = read_log(path, belt(encoder="both").with_encoder(side), layout=layout)
        np.testing.assert_allclose(read.length, length, rtol=1e-14)


def test_of_drives_with_one_encoder_the_motors_column_has_that_one():
    document = copy.deepcopy(Machine.load("uf_belt").document)
    one = document.pop("actuator")
    document["actuators"] = [one | {"encoder": "both"}] * 3 + [one | {"encoder": "load"}] * 3
    machine = Machine.from_document(document)
    simulator = Simulator(machine, sensors=SensorSettings.perfect())
    simulator.command_lengths(simulator.plant.length)
    record = simulator.run(0.002)
    np.testing.assert_array_equal(record.motor_length[:, 3:], record.length[:, 3:])
    assert np.all(record.motor_length[:, :3] != record.length[:, :3])
    assert are_on_motors(Hexapod(machine.with_encoder("motor")))
    assert not are_on_motors(Hexapod(machine))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["log.csv", "bag"])
def test_readers_take_the_encoders_a_machine_has_or_was_told_to_use(record, tmp_path, name):
    """A recording has the motors' lengths on a topic of their own, with the same forces."""
    path, log = tmp_path / name, record.log()
    log = replace(log, time=log.time + 1.0)
    write_log(path, log, motors=record.motor_length)
    both = belt(encoder="both")
    for machine, length in (
        (both, record.length),
        (both.with_encoder("load"), record.length),
        (both.with_encoder("motor"), record.motor_length),
        (belt(encoder="motor"), record.motor_length),
        (belt(encoder="load"), record.length),
    ):
        read = read_log(path, machine)
        np.testing.assert_allclose(read.length, length, atol=1e-9)
        np.testing.assert_allclose(read.force, record.force, atol=1e-6)


def test_the_encoder_that_is_used_does_not_change_the_machine():
    both = belt(encoder="both")
    for side in ("motor", "load"):
        one = both.with_encoder(side)
        assert one.hash == both.hash
        assert [transfer.on_motor for transfer in transfers_of(one, 1e-3)] == [side == "motor"] * 6


@pytest.mark.parametrize("machine", ["uf", "uf_belt"])
def test_drives_with_one_encoder_leave_no_choice(machine, tmp_path, capsys):
    assert main(["identify", str(tmp_path / "log.csv"), "--machine", machine, "--encoder", "motor"]) == 2
    assert f"drives of machine '{machine}' have one encoder each" in capsys.readouterr().err


def test_a_choice_without_two_encoders_is_refused():
    with pytest.raises(MachineError, match=r"actuator\.cascade .*this drive has one, 'encoder: motor'"):
        belt(cascade="load")
