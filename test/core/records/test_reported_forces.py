# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Forces from what drives report: shares of their rating, currents, torques, pressures; strokes; units in headers."""

from __future__ import annotations

import math

import numpy as np
import pytest
import yaml
from core.machines.every_machine import machine
from core.records.made_log import write_joint_bag

from pkm_identification.errors import LogError, MachineError, SettingsError
from pkm_identification.machines.load import load_machine, read_machine
from pkm_identification.mechanisms.builtin import list_builtin_files
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.mechanisms.multibody.description.reader import parse_text
from pkm_identification.motion import DriveLog
from pkm_identification.records.channels import STRUT_CHANNELS, build_drive_channels
from pkm_identification.records.foreign import LogLayout
from pkm_identification.records.log import read_log, write_log

ROWS = 40
LEAD, RATIO, EFFICIENCY, CONSTANT, RATED = 0.005, 3.0, 0.9, 0.12, 0.4  # m, 1, 1, N m/A, N m
AREA, ROD_SIDE, BAR, PSI = 1.2e-3, 0.8e-3, 1e5, 6894.757293168  # m^2, m^2, Pa, Pa
PER_TORQUE = 2 * math.pi * RATIO / LEAD * EFFICIENCY
KIP, DECANEWTON = 4448.2216152605, 10.0  # N
FACTORS = {
    "%": 0.01 * RATED * PER_TORQUE, "0.1%": 1e-3 * RATED * PER_TORQUE, "\u2030": 1e-3 * RATED * PER_TORQUE,
    "A": CONSTANT * PER_TORQUE, "mA": 1e-3 * CONSTANT * PER_TORQUE, "Nm": PER_TORQUE, "kips": KIP, "daN": DECANEWTON,
}  # fmt: skip
MOTOR = {"torque_constant": CONSTANT, "rated_torque": RATED, "screw_lead": LEAD, "gear_ratio": RATIO,
         "efficiency": EFFICIENCY}  # fmt: skip


@pytest.fixture(scope="module")
def reports() -> np.ndarray:
    return np.random.default_rng(5).normal(0.0, 30.0, (ROWS, 6))


def hexapod(**drive) -> Machine:
    document = yaml.safe_load(list_builtin_files("machines")["uf"].read_text())
    document["drive"]["motor"] |= MOTOR
    document["drive"] |= drive
    return Machine.from_document(document, plausible=False)


def arm(name: str, **own):
    """Return a mechanism each of whose drives has these keys of its own."""
    document = parse_text(list_builtin_files("mechanisms")[name])
    for drive in document["drives"].values():
        drive |= as_text(own)
    return read_machine(document)


def as_text(value):
    """Return numbers as files of mechanisms keep them."""
    if isinstance(value, dict):
        return {key: as_text(entry) for key, entry in value.items()}
    return str(value) if isinstance(value, float) else value


def write(path, machine_drives, reports, unit="", coordinate=None):
    names = [drive.name for drive in machine_drives], [drive.force_name for drive in machine_drives]
    count = len(machine_drives)
    place = np.tile([0.0 if coordinate is None else coordinate] * count, (ROWS, 1))
    header = ",".join(["t", *names[0], *(name + (f" [{unit}]" if unit else "") for name in names[1])])
    rows = np.column_stack([1e-3 * np.arange(ROWS), place, reports[:, :count]])
    np.savetxt(path, rows, fmt="%.17g", delimiter=",", header=header, comments="", encoding="utf-8")


@pytest.mark.parametrize("unit", FACTORS)
def test_a_strut_s_force_is_made_of_what_its_header_states(tmp_path, reports, unit):
    strut = hexapod()
    reports = reports * min(1.0, 20.0 / FACTORS[unit])  # what such a drive gives
    write(tmp_path / "log.csv", load_machine("uf").drives, reports, unit, np.mean(strut.length_limits))
    log = read_log(tmp_path / "log.csv", strut)
    np.testing.assert_allclose(log.force, reports * FACTORS[unit], rtol=1e-9)


@pytest.mark.parametrize("unit", ["%", "\u2030", "A"])
def test_a_turning_drive_needs_no_lead(tmp_path, reports, unit):
    motor = {
        "torque_constant": CONSTANT,
        "rated_torque": RATED,
        "gear_ratio": RATIO,
        "efficiency": EFFICIENCY,
    }
    turning = arm("four-bar", motor=motor)
    factor = FACTORS[unit] / PER_TORQUE * RATIO * EFFICIENCY
    write(tmp_path / "log.csv", turning.drives, reports, unit)
    log = read_log(tmp_path / "log.csv", turning.drives)
    np.testing.assert_allclose(log.force, reports[:, : len(turning.drives)] * factor, rtol=1e-9)


def test_a_drive_s_actuator_says_the_force_of_a_current(tmp_path, reports):
    actuator = {"type": "screw", "torque_constant": 0.2, "current_limit": 9.0, "gear_ratio": 50.0}
    document = parse_text(list_builtin_files("mechanisms")["four-bar"]) | {"actuator": as_text(actuator)}
    turning = read_machine(document)
    write(tmp_path / "log.csv", turning.drives, reports, "A")
    log = read_log(tmp_path / "log.csv", turning.drives)
    np.testing.assert_allclose(log.force, reports[:, : len(turning.drives)] * 10.0, rtol=1e-9)


@pytest.mark.parametrize(("unit", "size"), [("bar", BAR), ("psi", PSI)])
def test_two_pressures_are_a_cylinder_s_force(tmp_path, reports, unit, size):
    cylinders = arm("epaas", cylinder={"piston_area": AREA, "rod_side_area": ROD_SIDE})
    drives = cylinders.drives[:4]
    rows = np.column_stack([1e-3 * np.arange(ROWS), np.full((ROWS, 4), 0.2), reports[:, :4], reports[:, 1:5]])
    header = "t," + ",".join([*(drive.name for drive in drives), "A1,A2,A3,A4,B1,B2,B3,B4"])
    np.savetxt(tmp_path / "log.csv", rows, fmt="%.17g", delimiter=",", header=header, comments="")
    channels = build_drive_channels(drives)
    layout = LogLayout.of("force=A1..A4-B1..B4", unit, None, None, channels)
    log = read_log(tmp_path / "log.csv", drives, None, layout)
    expected = size * (AREA * reports[:, :4] - ROD_SIDE * reports[:, 1:5])
    np.testing.assert_allclose(log.force, expected, rtol=1e-9)
    one = LogLayout.of("force=A1..A4", unit, None, None, channels)
    with pytest.raises(LogError, match="give both"):
        read_log(tmp_path / "log.csv", drives, None, one)


def test_efforts_of_messages_are_in_what_units_says(tmp_path, reports):
    turning = arm("four-bar", rated_force=80.0)
    place = np.zeros((ROWS, 1))
    write_joint_bag(tmp_path / "bag", ["/joint_states"], [turning.drives[0].joint], np.arange(ROWS) * 1e-3, place,
                    reports[:, :1])  # fmt: skip
    layout = LogLayout.of(None, "permille", None, None, build_drive_channels(turning.drives))
    log = read_log(tmp_path / "bag", turning.drives, None, layout)
    np.testing.assert_allclose(log.force, reports[:, :1] * 0.08, rtol=1e-9)


@pytest.mark.parametrize(
    ("unit", "words"),
    [
        ("%", "rated_force"), ("A", "torque_constant"), ("bar", "piston_area"), ("Nm", "screw_lead"), ("V", "convert"),
        ("rpm", "coordinate itself"), ("furlong", "no unit of force"),
    ],
)  # fmt: skip
def test_what_the_machine_file_lacks_is_named(tmp_path, reports, unit, words):
    document = yaml.safe_load(list_builtin_files("machines")["uf"].read_text())
    del document["drive"]
    bare = Machine.from_document(document)
    write(tmp_path / "log.csv", load_machine("uf").drives, reports, unit, np.mean(bare.length_limits))
    with pytest.raises((LogError, SettingsError), match=words):
        read_log(tmp_path / "log.csv", bare)


def test_newtons_that_a_header_calls_torques_are_refused(tmp_path, reports):
    struts = hexapod()
    write(
        tmp_path / "log.csv", load_machine("uf").drives, 30.0 * reports, "Nm", np.mean(struts.length_limits)
    )
    with pytest.raises(LogError, match=r"in Nm would be about .* gives at most 3000"):
        read_log(tmp_path / "log.csv", struts)


def test_units_that_contradict_names_are_refused(tmp_path, reports):
    strut = hexapod()
    write(tmp_path / "log.csv", load_machine("uf").drives, reports, "%", np.mean(strut.length_limits))
    with pytest.raises(LogError, match="says %, and kN was expected"):
        read_log(tmp_path / "log.csv", strut, None, LogLayout.of(None, "kN", None, None, STRUT_CHANNELS))


@pytest.mark.parametrize(
    ("motor", "words"),
    [
        ({"gear_ratio": 3.0, "screw_lead": 0.005}, "torque_constant .* or rated_torque"),
        ({"torque_constant": 0.1}, "motor.screw_lead"),
        ({"torque_constant": 0.1, "screw_lead": 0.005, "efficiency": 1.2}, "at most 1"),
    ],
)
def test_a_drive_s_motor_is_checked(motor, words):
    with pytest.raises(MachineError, match=words):
        arm("mast", motor=motor)


@pytest.mark.parametrize("name", ["uf", "mast"])
@pytest.mark.parametrize("strokes", [True, False])
def test_strokes_become_coordinates_by_the_machine_file(tmp_path, reports, name, strokes):
    if name == "uf":
        low, high = hexapod().length_limits
        offset = float(low) - 0.1
        struts = hexapod(length_at_zero=offset)
        drives, read = load_machine("uf").drives, lambda path: read_log(path, struts).length
    else:
        low, high = machine(name).drives[0].lowest, machine(name).drives[0].highest
        offset = 2.0 * high - low
        drives = arm(name, at_zero=offset).drives
        read = lambda path: read_log(path, drives).coordinate  # noqa: E731
    middle = 0.5 * (low + high)
    write(tmp_path / "log.csv", drives, reports, "", middle - offset if strokes else middle)
    np.testing.assert_allclose(read(tmp_path / "log.csv"), middle, atol=1e-12)


@pytest.mark.parametrize("name", ["epaas", "four-bar"])
def test_logs_are_written_as_they_are_read(tmp_path, name):
    shifted = arm(name, at_zero=0.05)
    drives = shifted.drives
    places = shifted.home + 1e-3 * np.arange(ROWS)[:, None]
    log = DriveLog(1e-3 * np.arange(ROWS), places, np.ones((ROWS, len(drives))), "log")
    write_log(tmp_path / "log.csv", log, drives=drives)
    written = np.genfromtxt(tmp_path / "log.csv", delimiter=",", names=True)
    np.testing.assert_allclose(written[drives[0].name], places[:, 0] - 0.05, atol=1e-12)
    np.testing.assert_allclose(read_log(tmp_path / "log.csv", drives).coordinate, places, atol=1e-12)
