# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Laws of control compared on one machine, beside what their equations say."""

from __future__ import annotations

import json

import numpy as np
import pytest

from pkm_identification.cli import main
from pkm_identification.control.laws.force_loop import ForceLoop
from pkm_identification.control.settings import find_stated_loops
from pkm_identification.errors import SettingsError
from pkm_identification.exporting.control_gains import write_gains
from pkm_identification.machines.load import load_machine
from pkm_identification.ros.parameters.controller import PARAMETERS, build_controller_settings
from pkm_identification.simulation.actuated.control_design import (
    choose_bandwidth,
    compare_laws,
    find_carrier,
    name_laws,
)
from pkm_identification.simulation.actuated.frequency_response import bandwidths, response
from pkm_identification.simulation.actuated.modes import mass_of_drives
from pkm_identification.simulation.actuated.subject import Subject
from pkm_identification.simulation.motion_file import format_motion_text
from pkm_identification.simulation.physics.load import build_physics
from pkm_identification.simulation.sensors import SensorSettings
from pkm_identification.simulation.simulator import simulate
from pkm_identification.simulation.waveforms import MultiSine

BANDWIDTH, PAYLOAD = 8.0, 0.5  # Hz, kg


def pair(name, payload=PAYLOAD):
    machine = load_machine(name)
    subject = Subject.of(machine, name)
    path, _ = find_carrier(subject)
    return subject, Subject.of(machine.with_changes({path: payload}), name)


@pytest.fixture(scope="module")
def results():
    subject, loaded = pair("mast_belt")
    names = ("as tuned", "gravity", "decoupling", "computed torque")
    found = compare_laws(subject, loaded, ("psi",), BANDWIDTH, 0.02, names)
    return {one.name: one for one in found}


@pytest.mark.slow
def test_the_tuned_loops_are_those_of_the_response(results):
    gain = response(Subject.load("mast_belt"), "psi", np.geomspace(3.2, 5.2, 3).tolist(), 0.01)
    assert results["as tuned"].bandwidth["psi"] == pytest.approx(
        bandwidths(gain.frequency, gain.gain)[0], rel=0.02
    )


@pytest.mark.slow
def test_a_law_follows_as_its_equation_says(results):
    s, w = 0.25j, 1.0  # at a quarter of the bandwidth
    expected = 100 * abs(s**2 / (s**2 + 2 * w * s + w**2))
    # rates are differences of half a period ago, and forces are held
    assert results["decoupling"].tracking["psi"] == pytest.approx(expected, rel=0.15)
    # with the whole model the wanted acceleration is there before an error is
    assert results["computed torque"].tracking["psi"] < 0.1 * expected
    assert results["computed torque"].bandwidth["psi"] is None


@pytest.mark.slow
def test_decoupling_and_the_whole_model_move_nothing_aside(results):
    assert results["gravity"].crosstalk["psi"] > 2 * results["decoupling"].crosstalk["psi"]
    assert results["computed torque"].crosstalk["psi"] < 1.0


@pytest.mark.slow
def test_a_law_holds_as_stiffly_as_mass_times_bandwidth_squared(results):
    subject = Subject.load("mast_belt")
    mass = mass_of_drives(subject) + np.diag([one.inertia_behind for one in subject.actuators])
    # psi gives way by the drives' own stiffness, M_ii w^2 each, along its row of the inverse Jacobian
    row = np.linalg.inv(np.array([subject.direction(axis) for axis in ("z", "psi", "theta")]).T)[1]
    stiff = 1.0 / np.sum(row**2 / (np.diag(mass) * (2 * np.pi * BANDWIDTH) ** 2))
    assert results["gravity"].stiffness["psi"] == pytest.approx(stiff, rel=0.05)
    # integral parts of the tuned loops give way less
    assert results["as tuned"].stiffness["psi"] > results["gravity"].stiffness["psi"]


def test_names_payload_and_bandwidth_follow_from_the_machine():
    motors, valves = Subject.load("mast_belt"), Subject.load("epaas_hydraulic")
    assert "computed torque" in name_laws(motors)
    assert "computed torque" not in name_laws(valves)
    assert find_carrier(motors) == ("bodies.platform.mass", pytest.approx(2.06))
    assert find_carrier(Subject.load("uf_hydraulic"))[0] == "platform.mass"
    assert choose_bandwidth(motors) == pytest.approx(20 / (2 * np.pi))
    # K_r K_m dQ/dx of five servos, table 7.2.2-1
    assert 5.0 < choose_bandwidth(valves) < 50.0


@pytest.mark.slow
def test_the_command_compares_laws_of_valves(capsys, tmp_path):
    arguments = ["control-design", "--machine", "epaas_testrig", "--amplitude", "0.002", "--json", "-"]
    arguments += ["--write", str(tmp_path / "tuned.yaml")]
    assert main(arguments) == 0
    document = json.loads(capsys.readouterr().out)
    assert [one["name"] for one in document["laws"]] == [
        "as tuned", "gravity", "scheduling", "force feed-forward", "force loop", "workspace", "as written: position"
    ]  # fmt: skip
    laws, (axis,) = {one["name"]: one for one in document["laws"]}, document["axes"]
    assert all(one["why_not"] is None and one["stiffness"][axis] > 0 for one in laws.values())
    # c_h and the loop: what a valve holds for a load that stays is K_v / c_h^-1, less at first
    rig = Subject.load("epaas_testrig").actuators[0]
    static = rig.gain_of_loop / rig.hydraulic_compliance
    assert laws["as tuned"]["stiffness"][axis] < 1.5 * static
    # a cylinder that follows forces takes the whole model
    assert laws["force loop"]["tracking"][axis] < 0.1 * laws["as tuned"]["tracking"][axis]
    assert {one["advice"] for one in document["advice"]} >= {"compensate gravity"}
    # without --bandwidth the gains that are written are those of the file
    written = laws["as written: position"]["tracking"][axis]
    assert written == pytest.approx(laws["as tuned"]["tracking"][axis], rel=0.01)


@pytest.mark.slow
def test_a_hexapod_without_actuators_is_driven_by_forces(tmp_path, capsys, monkeypatch):
    """By the command; of its seven laws two are compared, which take a quarter of a minute each."""
    assert set(name_laws(Subject.of_forces(load_machine("uf"), "uf"))) == {
        "as tuned", "position", "gravity", "scheduling", "decoupling", "computed torque", "workspace"
    }  # fmt: skip
    module = "pkm_identification.simulation.actuated.control_design"
    monkeypatch.setattr(f"{module}.name_laws", lambda subject: ("as tuned", "computed torque"))
    arguments = ["control-design", "--machine", "uf", "--axes", "z", "--json", "-"]
    written = tmp_path / "uf_tuned.yaml"
    assert main([*arguments, "--law", "computed torque", "--write", str(written)]) == 0
    assert "computed_torque" in written.read_text()
    document = json.loads(capsys.readouterr().out)
    laws = {one["name"]: one for one in document["laws"]}
    assert set(laws) == {"as tuned", "computed torque", "as written: computed torque"}
    assert all(one["why_not"] is None for one in laws.values())
    assert laws["computed torque"]["tracking"]["z"] < 0.05 * laws["as tuned"]["tracking"]["z"]
    assert laws["computed torque"]["crosstalk"]["z"] < 0.5 * laws["as tuned"]["crosstalk"]["z"]


def test_a_force_loop_solves_the_cylinders_equation():
    rig = Subject.load("epaas_testrig").actuators[0]
    loop = ForceLoop([rig], 1e-3)
    # c_o F' = Q_nl(i) - x' - F / c_h is c_o k (F* - F) at the rate of the instant at which the valve opens
    wanted, load, rate, acceleration = (np.array([one]) for one in (80.0, 50.0, 0.1, 2.0))
    current = loop.step(wanted, load, rate, acceleration)[0]
    ahead = 0.1 + loop.late[0] * 2.0
    grows = (rig.no_load(current) - ahead - rig.hydraulic_compliance * 50.0) / rig.oil_compliance
    assert grows == pytest.approx(loop.rate[0] * 30.0)
    # the valve's delay and 2 D / w, the hold and the difference
    assert loop.late[0] == pytest.approx(1.629e-3 + 2 * 0.38 / 1443 + 1.5e-3, rel=1e-3)
    with pytest.raises(SettingsError):
        ForceLoop(Subject.load("mast_belt").actuators, 1e-3)


@pytest.mark.parametrize(
    ("name", "law"),
    [("uf", "computed torque"), ("uf", "workspace"), ("mast_belt", "computed torque"), ("mast_belt", "workspace"),
     ("mast_belt", "position"), ("uf_belt", "position"), ("epaas_hydraulic", "position")],
)  # fmt: skip
def test_gains_that_are_written_are_read_again(name, law, tmp_path):
    file, wanted = tmp_path / "machine.yaml", 6.0
    file.write_text(write_gains(load_machine(name), law, wanted))
    machine = load_machine(str(file))
    assert choose_bandwidth(Subject.of(machine, name)) == pytest.approx(wanted, rel=1e-4)
    control = machine.bodies.description.control
    assert (control is not None and control.workspace) == (law == "workspace")
    stated = find_stated_loops(machine)
    assert (stated == {}) == (control is None or control.computed_torque is None)
    if stated:
        assert stated == pytest.approx({"bandwidth": wanted, "damping": 1.0})
        values = {one.name: one.default for one in PARAMETERS}
        loops = build_controller_settings(values, machine).loops
        assert (loops.bandwidth, loops.damping) == pytest.approx((wanted, 1.0))
        # what is set is not the file's
        assert build_controller_settings({**values, "bandwidth": 9.0}, machine).loops.bandwidth == 9.0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "law", "axis", "wanted"),
    [("mast_belt", "position", "psi", 3.0), ("uf", "computed torque", "z", 12.0)],
)
def test_a_run_of_the_written_file_follows_as_promised(name, law, axis, wanted, tmp_path):
    file, motion, amplitude = tmp_path / "machine.yaml", tmp_path / "motion.yaml", 0.004
    file.write_text(write_gains(load_machine(name), law, wanted))
    machine = load_machine(str(file))
    subject = Subject.of(machine, name)
    promised = compare_laws(subject, subject, (axis,), wanted, amplitude, ("as tuned",))[0].tracking[axis]
    moved = np.eye(6)[subject.axes.index(axis)] if subject.position is not None else subject.direction(axis)
    f = wanted / 4
    signal = MultiSine(np.array([f]), amplitude * moved[:, None], 0.0 * moved[:, None])
    motion.write_text(format_motion_text(machine, signal, 3.0 + 1 / f, "one sine along an axis"))
    run = simulate(machine, str(motion), sensors=SensorSettings.perfect())
    physics = build_physics(machine)
    there = physics.compute_motion(physics.build_motion(str(motion), None, 0), run.time).coordinate
    used = (run.time >= 1.5) & (run.time < 1.5 + 1 / f)
    angle = 2 * np.pi * f * run.time[used]
    columns = np.column_stack([np.sin(angle), np.cos(angle), np.ones_like(angle)])
    done, asked = (np.linalg.lstsq(columns, one[used], rcond=None)[0] for one in (run.truth.length, there))
    drive = int(np.argmax(np.abs(asked[0])))
    followed = 100 * abs(1 - (done[0] + 1j * done[1]) / (asked[0] + 1j * asked[1]))[drive]
    # the twelve sines of the promise make harmonics of their own, some tenths of a per cent
    assert followed == pytest.approx(promised, rel=0.03, abs=0.25)
    assert (followed < 0.3) == (law == "computed torque")


def test_a_law_without_keys_is_not_written():
    for name, law in (("uf", "decoupling"), ("uf", "position"), ("epaas_testrig", "computed torque")):
        with pytest.raises(SettingsError):
            write_gains(load_machine(name), law, 5.0)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--machine", "uf", "--law", "scheduling"], "no key"),
        (["--machine", "mast_belt", "--axes", "z,z"], "twice"),
        (["--machine", "mast_belt", "--axes", "up"], "must be one of"),
        (["--machine", "mast_belt", "--payload", "-1"], "must be positive"),
    ],
)
def test_bad_input_is_refused_in_one_line(options, words, capsys):
    assert main(["control-design", *options]) == 2
    error = capsys.readouterr().err
    assert words in error
    assert error.count("\n") == 1
