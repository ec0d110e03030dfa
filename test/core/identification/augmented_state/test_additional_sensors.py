# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""IMU and strut force sensors: what they read, how they are described, logged, simulated and used."""

from __future__ import annotations

import copy
from dataclasses import replace

import numpy as np
import pytest
from core.identification.augmented_state.joint_problems import PERIOD, few, made, samples_of
from core.mechanisms.hexapod.machine_variants import changed, document, rubbing, untidy
from core.mechanisms.hexapod.machine_variants import machine as machine_of
from core.platform_motions import six_axes
from scipy import stats
from scipy.spatial.transform import Rotation

from pkm_identification.errors import LogError, MachineError
from pkm_identification.identification.augmented_state.iterated import iterate
from pkm_identification.identification.augmented_state.linearised import JointModel, linearise
from pkm_identification.identification.augmented_state.log_pass import estimate_parameters
from pkm_identification.machines.load import as_machine
from pkm_identification.mechanisms.friction import friction_force
from pkm_identification.mechanisms.hexapod.dynamics import integrate, strut_forces
from pkm_identification.mechanisms.hexapod.dynamics.basis import basis_parameters
from pkm_identification.mechanisms.hexapod.dynamics.readings import imu_reading, strut_force_reading
from pkm_identification.mechanisms.hexapod.dynamics.records import (
    MotionSample,
    packed_geometry,
    unpack_geometry,
)
from pkm_identification.mechanisms.hexapod.kinematics.jacobian import jacobian
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import DriveLog
from pkm_identification.parameters.prior import Prior
from pkm_identification.records.drive_csv import write_raw_csv
from pkm_identification.records.log import read_log, write_log
from pkm_identification.simulation.additional_sensors import AdditionalSensors
from pkm_identification.simulation.plant import Plant
from pkm_identification.simulation.sensors import SensorSettings
from pkm_identification.simulation.simulator import Simulator
from pkm_identification.simulation.trajectories import trajectory

pytestmark = pytest.mark.slow

STEP = 1e-3
PLACE, AXES = np.array([0.1, -0.05, 0.03]), Rotation.from_rotvec([0.3, -0.8, 0.5]).as_matrix()
SENSORS = {
    "imu": {"position": [0.05, -0.03, 0.02], "quaternion": [0.0995, 0.199, -0.0995, 0.9701]},
    "force": {"at": "platform"},
}


def second(values: np.ndarray) -> np.ndarray:
    """Second derivative of rows 1 ms apart, at the middle one of five (six digits here)."""
    return (-values[0] + 16 * values[1] - 30 * values[2] + 16 * values[3] - values[4]) / (12 * STEP**2)


def test_imu_reads_the_acceleration_of_its_place():
    machine = machine_of(untidy("uf", seed=1))
    path = six_axes(machine, 2)
    for time in (0.2, 0.9, 1.7):
        around = path.at(time + STEP * np.arange(-2, 3))
        place = around.position + around.rotation @ PLACE
        force = AXES.T @ around.rotation[2].T @ (second(place) - machine.gravity)
        turn = Rotation.from_matrix(around.rotation[3] @ around.rotation[1].T).as_rotvec() / (2 * STEP)
        reading = np.empty(6)
        imu_reading(
            PLACE, AXES, machine.gravity, around.rotation[2], around.twist[2], around.acceleration[2], reading
        )
        np.testing.assert_allclose(reading[:3], force, atol=1e-4)
        np.testing.assert_allclose(reading[3:], AXES.T @ around.rotation[2].T @ turn, atol=1e-3)


@pytest.mark.parametrize("at_platform", [False, True])
def test_force_sensors_read_what_is_left_of_the_drives_force(at_platform):
    """In the strut friction is off; at the platform body E's weight and inertia along the strut, by its own motion."""
    machine = machine_of(untidy("uf", seed=4))
    path = six_axes(machine, 5)
    around = path.at(0.7 + STEP * np.arange(-2, 3))
    tip = around.position[:, None] + np.einsum("nij,kj->nki", around.rotation, machine.platform_joints)
    along = tip - machine.base_joints
    length = np.linalg.norm(along, axis=2, keepdims=True)
    axis = along / length
    net = strut_forces(machine, around[2:3], friction=False)[0]
    expected = net.copy()
    if at_platform:
        for i, strut in enumerate(machine.struts):
            body = strut.body_e
            center = machine.base_joints[i] + (length[:, i] - body.center_of_mass) * axis[:, i]
            expected[i] -= body.mass * (second(center) - machine.gravity) @ axis[2, i]
    reading = np.empty(6)
    strut_force_reading(
        unpack_geometry(packed_geometry(machine)), basis_parameters(machine), at_platform,
        MotionSample(around.position[2], around.rotation[2], around.twist[2], around.acceleration[2]), net, reading,
    )  # fmt: skip
    np.testing.assert_allclose(reading, expected, atol=2e-4)


@pytest.mark.parametrize(
    ("section", "message"),
    [
        ({"gyro": {}}, "unknown key 'gyro' in 'sensors'"),
        ({"imu": {}}, "key 'sensors.imu.position' is missing"),
        ({"imu": {"position": [0, 0, 0], "quaternion": [1, 1, 1, 1]}}, "sensors.imu.quaternion .* length 1"),
        ({"imu": {"position": [0, 0, 0], "noise": [0.1]}}, "sensors.imu.noise must be 2 numbers"),
        ({"imu": {"position": [0, 0, 0], "noise": [0.0, 0.1]}}, "sensors.imu.noise .* greater than zero"),
        ({"force": {"at": "base"}}, "sensors.force.at .* one of strut, platform"),
        ({"force": {"at": "strut", "noise": -1.0}}, "sensors.force.noise .* greater than zero"),
        ({"force": {"at": "strut", "place": 1}}, "unknown key 'place' in 'sensors.force'"),
        ([], "sensors must be a mapping"),
    ],
)
def test_impossible_sections_are_refused(section, message):
    with pytest.raises(MachineError, match=message):
        Machine.from_document(changed("uf", sensors=section))


def test_a_machine_without_the_section_has_no_sensors():
    sensors = Machine.load("uf").sensors
    assert sensors.imu is None
    assert sensors.force is None


def log_with(imu: bool, sensor: bool) -> DriveLog:
    rng = np.random.default_rng(1)
    columns = [rng.normal(size=(12, 6)) for _ in range(4)]
    return DriveLog(
        np.arange(12) * STEP,
        0.4 + 1e-3 * columns[0],
        columns[1],
        imu=columns[2] if imu else None,
        sensor=columns[3] if sensor else None,
    )


@pytest.mark.parametrize(("imu", "sensor"), [(False, False), (True, False), (False, True), (True, True)])
def test_csv_keeps_additional_sensors(tmp_path, imu, sensor):
    log = log_with(imu, sensor)
    write_log(tmp_path / "log.csv", log)
    found = read_log(tmp_path / "log.csv")
    for name in ("time", "length", "force", "imu", "sensor"):
        value = getattr(log, name)
        if value is None:
            assert getattr(found, name) is None
        else:
            np.testing.assert_array_equal(getattr(found, name), value)


def test_raw_csv_keeps_additional_sensors(tmp_path):
    log = log_with(True, True)
    counts = np.arange(72).reshape(12, 6)
    write_raw_csv(tmp_path / "raw.csv", log.time, counts, log.force, log.imu, log.sensor)
    found = read_log(tmp_path / "raw.csv", Machine.load("uf"))
    np.testing.assert_array_equal(found.imu, log.imu)
    np.testing.assert_array_equal(found.sensor, log.sensor)


def test_half_a_sensor_is_refused(tmp_path):
    path = tmp_path / "log.csv"
    write_log(path, log_with(True, False))
    path.write_text(path.read_text().replace("imu_wz", "imu_w"))
    with pytest.raises(LogError, match=r"no column imu_wz; expected .* imu_ax\.\.imu_wz"):
        read_log(path)


def simulated(settings: SensorSettings, seconds: float = 1.6, seed: int = 0):
    truth = made(1.0, 1.0, SENSORS)
    return Simulator(truth, trajectory("rich", truth, seconds), sensors=settings, seed=seed).run()


def test_perfect_simulated_sensors_agree_with_the_truth():
    record = simulated(SensorSettings.perfect())
    motion, machine = record.truth.motion, made(1.0, 1.0, SENSORS)
    still = record.imu[100, :3] @ record.imu[100, :3]
    assert np.sqrt(still) == pytest.approx(9.81, rel=1e-6)
    speed = np.linalg.norm(record.imu[:, 3:], axis=1)
    np.testing.assert_allclose(speed, np.linalg.norm(motion.twist[:, 3:], axis=1), atol=1e-12)
    # at rest the platform hangs in its six joints: axial forces carry it, in total by their joints' lateral ones too
    assert record.sensor.shape == (len(record), 6)
    assert np.abs(record.sensor - (record.truth.force - record.truth.resistance)).max() > 1.0
    assert machine.sensors.force_at == "platform"


def test_friction_of_the_joints_is_no_force_along_a_strut():
    described = rubbing(untidy("uf", seed=4))
    described["sensors"] = {"force": {"at": "strut"}}
    machine = machine_of(described)
    plant = Plant(machine)
    plant.reset(twist=np.array([0.02, -0.03, 0.01, 0.1, 0.2, -0.1]), force=plant.holding_force())
    state = plant.state
    assert np.abs(state.rubbing).min() > 1.0
    # strut by strut, along it: the drive's force, friction and the motor's inertia
    h = 1e-4
    moved = integrate(
        machine, np.array([0.0, h]), plant.force,
        position=state.position, rotation=state.rotation, twist=state.twist,
    )  # fmt: skip
    rate = np.einsum("nij,nj->ni", jacobian(machine, moved.position, moved.rotation), moved.twist)
    expected = state.force - friction_force(state.rate, machine.friction)
    expected -= machine.motor_mass * (rate[1] - rate[0]) / h
    np.testing.assert_allclose(AdditionalSensors(machine, 0.0, 0).force(state), expected, atol=0.05)


def test_noise_and_bias_are_those_of_the_file():
    machine = made(1.0, 1.0, SENSORS)
    state = Simulator(machine).truth
    exact, noisy = AdditionalSensors(machine, 0.0, 3), AdditionalSensors(machine, 1.0, 3)
    error = np.array([noisy.imu(state) for _ in range(2000)]) - exact.imu(state)
    np.testing.assert_allclose(error.std(axis=0), machine.sensors.noise[:6], rtol=0.1)
    np.testing.assert_allclose((error.mean(axis=0) - noisy.bias) / machine.sensors.noise[:6], 0.0, atol=0.12)
    assert np.any(np.abs(noisy.bias) > 0.05 * machine.sensors.bias)
    force = np.array([noisy.force(state) for _ in range(2000)]) - exact.force(state)
    np.testing.assert_allclose(force.std(axis=0), machine.sensors.noise[6:], rtol=0.1)


def test_machine_without_sensors_logs_none():
    truth = made(1.0, 1.0)
    record = Simulator(truth, trajectory("rich", truth, 1.6)).run(0.02)
    assert record.imu is None
    assert record.log().sensor is None


@pytest.fixture(scope="module")
def improved():
    """One log with all sensors: parameters by lengths alone, with the IMU, with force sensors, and the truth."""
    truth, owner = made(1.0, 1.0, SENSORS), made(0.8, 0.5, SENSORS)
    record = Simulator(truth, trajectory("rich", owner, 2.5), nominal=owner, seed=5).run()
    samples, machine, parameters = samples_of(record, owner), as_machine(owner), few(owner)
    prior, rounds = Prior.of(parameters), iterate(machine, parameters, samples.without_readings(), PERIOD)
    found = {}
    for name, hidden in (("none", slice(0, 12)), ("imu", slice(6, 12)), ("force", slice(0, 6))):
        readings = samples.readings.copy()
        readings[:, hidden] = np.nan
        part = replace(samples, readings=readings)
        model = JointModel.of(machine, parameters, prior, part, PERIOD)
        values = np.zeros(model.unknowns)
        values[: len(parameters.names)] = rounds.values
        for _ in range(2):
            around = linearise(model, part, values, rounds.states.centre)
            found[name] = estimate_parameters(model, around, part, rounds.noise)
            values = found[name].values
    return found, few(truth).nominal, AdditionalSensors(truth, 1.0, 5).bias


def test_no_sensor_makes_the_estimate_less_sure_or_less_honest(improved):
    found, truth, _ = improved
    plain = np.sqrt(np.diag(found["none"].covariance))
    for name in ("imu", "force"):
        error, covariance = found[name].mean - truth, found[name].covariance
        assert np.all(np.sqrt(np.diag(covariance)) < 1.001 * plain)
        # one log: the upper 0.1 % of chi-square
        assert error @ np.linalg.solve(covariance, error) < stats.chi2.ppf(0.999, len(truth))


def test_force_sensors_show_the_mass_without_friction(improved):
    found, _, _ = improved
    assert np.sqrt(found["force"].covariance[0, 0]) < 0.5 * np.sqrt(found["none"].covariance[0, 0])


def test_biases_of_the_imu_are_found(improved):
    found, _, bias = improved
    error = (found["imu"].offset - bias) / found["imu"].offset_std
    assert np.abs(error).max() < 4.5
    assert np.all(found["imu"].offset_std < 0.3 * np.repeat([0.2, 0.01], 3))


def test_readings_are_as_far_off_as_expected(improved):
    found, _, _ = improved
    assert np.isnan(found["none"].reading_nis)
    for name in ("imu", "force"):
        assert found[name].reading_nis == pytest.approx(1.0, abs=0.6)


def test_a_sensor_that_begins_late_begins_with_no_offset():
    """The estimate from the beginning, which knows of no such sensor, is where that of the whole log begins."""
    owner = made(0.8, 0.5, SENSORS)
    machine, parameters = as_machine(owner), few(owner)
    record = Simulator(owner, trajectory("rich", owner, 2.5), nominal=owner, seed=5).run(0.3)
    samples = samples_of(record, owner)
    readings = samples.readings.copy()
    readings[:100] = np.nan
    samples = replace(samples, readings=readings)
    early, whole = (
        JointModel.of(machine, parameters, Prior.of(parameters), part, PERIOD)
        for part in (samples.first(100), samples)
    )
    values = np.arange(1.0, early.unknowns + 1.0)
    assert early.unknowns == len(parameters.names) < whole.unknowns
    started = whole.begin_with(values)
    np.testing.assert_array_equal(started, [*values, *np.zeros(whole.unknowns - len(values))])
    assert whole.begin_with(started) is started


def test_document_is_not_changed_by_reading_it():
    description = changed(document("uf"), sensors=copy.deepcopy(SENSORS))
    machine = Machine.from_document(description)
    assert machine.hash != Machine.load("uf").hash
    np.testing.assert_allclose(np.linalg.det(machine.sensors.axes), 1.0)
