# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Laws of control compared on one machine, beside what their equations say."""

from __future__ import annotations

import json

import numpy as np
import pytest

from pkm_identification.cli import main
from pkm_identification.machines.load import load_machine
from pkm_identification.simulation.actuated.control_design import (
    choose_bandwidth,
    compare_laws,
    find_carrier,
    name_laws,
)
from pkm_identification.simulation.actuated.frequency_response import bandwidths, response
from pkm_identification.simulation.actuated.modes import mass_of_drives
from pkm_identification.simulation.actuated.subject import Subject

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
    gain = response(Subject.load("mast_belt"), "psi", np.geomspace(2.0, 8.0, 8).tolist(), 0.01)
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
    behind = subject.actuators[0].inertia_behind
    own = np.diag(mass_of_drives(subject)) + behind
    stiff = own * (2 * np.pi * BANDWIDTH) ** 2
    assert stiff.min() < results["gravity"].stiffness < 1.1 * stiff.max()
    # integral parts of the tuned loops give way less
    assert results["as tuned"].stiffness > results["gravity"].stiffness


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
def test_the_command_compares_laws_of_valves(capsys):
    arguments = ["control-design", "--machine", "epaas_testrig", "--amplitude", "0.002", "--json", "-"]
    assert main(arguments) == 0
    document = json.loads(capsys.readouterr().out)
    assert [one["name"] for one in document["laws"]] == [
        "as tuned", "gravity", "scheduling", "force feed-forward", "workspace"
    ]  # fmt: skip
    for one in document["laws"]:
        assert one["why_not"] is None
        assert one["stiffness"] > 0
    # c_h and the loop: what a valve holds for a load that stays is K_v / c_h^-1, less at first
    rig = Subject.load("epaas_testrig").actuators[0]
    static = rig.gain_of_loop / rig.hydraulic_compliance
    assert document["laws"][0]["stiffness"] < 1.5 * static


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--machine", "uf"], "no 'actuator'"),
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
