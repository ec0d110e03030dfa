"""An encoder on the motor and one on the load: which one the loops act on, and what a log has of both."""

from __future__ import annotations

import copy
from dataclasses import replace

import numpy as np
import pytest

from pkm_identification.cli import main
from pkm_identification.errors import MachineError
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.mechanisms.hexapod.transfers import transfers_of
from pkm_identification.records import read_log, read_strut_csv, write_log, write_strut_csv
from pkm_identification.simulation import SensorSettings, Simulator


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
    wound = both.motor_length - both.length
    assert 1e-5 < np.abs(wound).max() < 1e-2
    assert not np.any([transfer.on_motor for transfer in transfers_of(belt(encoder="both"), 1e-3)])


@pytest.fixture(scope="module")
def record():
    return run(belt(encoder="both"))


@pytest.mark.slow
def test_a_log_says_which_is_which(record, tmp_path):
    path = tmp_path / "log.csv"
    write_strut_csv(path, record.log(), record.motor_length)
    header = path.read_text().splitlines()[0].split(",")
    assert header[1:7] == [f"length_{i}" for i in range(1, 7)]
    assert header[-6:] == [f"motor_length_{i}" for i in range(1, 7)]
    columns = np.genfromtxt(path, delimiter=",", skip_header=1)
    np.testing.assert_allclose(columns[:, -6:], record.motor_length, atol=1e-9)
    np.testing.assert_allclose(read_strut_csv(path)[0].length, record.length, atol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["log.csv", "bag"])
def test_readers_take_the_encoders_a_machine_has_or_was_told_to_use(record, tmp_path, name):
    """A recording has the motors' lengths on a topic of their own, with the same forces."""
    path, log = tmp_path / name, record.log()
    log = replace(log, time=log.time + 1.0)
    write_log(path, log, motor_length=record.motor_length)
    both = belt(encoder="both")
    for machine, length in (
        (both, record.length),
        (both.with_encoder("load"), record.length),
        (both.with_encoder("motor"), record.motor_length),
        (belt(encoder="motor"), record.motor_length),
        (belt(encoder="load"), record.length),
    ):
        read, _ = read_log(path, machine)
        np.testing.assert_allclose(read.length, length, atol=1e-9)
        np.testing.assert_allclose(read.force, record.force, atol=1e-6)


def test_the_encoder_that_is_used_changes_what_lies_between_log_and_strut_and_not_the_machine():
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
