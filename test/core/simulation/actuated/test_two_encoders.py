"""An encoder on the motor and one on the load: which one the loops act on, and what a log has of both."""

from __future__ import annotations

import copy

import numpy as np
import pytest

from pkm_identification.errors import MachineError
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.mechanisms.hexapod.transfers import transfers_of
from pkm_identification.records import read_strut_csv, write_strut_csv
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


@pytest.mark.slow
def test_a_log_says_which_is_which(tmp_path):
    record = run(belt(encoder="both"))
    path = tmp_path / "log.csv"
    write_strut_csv(path, record.log(), record.motor_length)
    header = path.read_text().splitlines()[0].split(",")
    assert header[1:7] == [f"length_{i}" for i in range(1, 7)]
    assert header[-6:] == [f"motor_length_{i}" for i in range(1, 7)]
    columns = np.genfromtxt(path, delimiter=",", skip_header=1)
    np.testing.assert_allclose(columns[:, -6:], record.motor_length, atol=1e-9)
    np.testing.assert_allclose(read_strut_csv(path)[0].length, record.length, atol=1e-9)


def test_a_choice_without_two_encoders_is_refused():
    with pytest.raises(MachineError, match=r"actuator\.cascade .*this drive has one, 'encoder: motor'"):
        belt(cascade="load")
