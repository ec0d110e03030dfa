# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""pkm step, response and modes: numbers, documents, figures, and one line for what cannot be."""

from __future__ import annotations

import json
import re

import pytest
import yaml
from core.mechanisms.hexapod.machine_variants import DELETED, edited

from pkm_identification.cli import main
from pkm_identification.mechanisms.hexapod.machine import builtin_machines


def run(*arguments):
    return main([str(argument) for argument in arguments])


@pytest.mark.slow
def test_modes_as_table_document_and_figure(tmp_path, capsys):
    out = tmp_path / "m.json"
    assert run("modes", "--machine", "uf_hydraulic", "--json", out, "--out", tmp_path) == 0
    document = json.loads(out.read_text())
    assert len(document["modes"]) == 6
    frequencies = [mode["frequency_hz"] for mode in document["modes"]]
    assert frequencies == sorted(frequencies)
    out = capsys.readouterr().out
    assert f"{frequencies[0]:7.2f}" in out
    lowest = document["modes"][0]
    swing = lowest["natural_hz"] * (1 - lowest["damping"] ** 2) ** 0.5
    assert lowest["damped_hz"] == pytest.approx(swing, rel=1e-12)
    assert lowest["damped_hz"] < lowest["natural_hz"]
    assert f"{lowest['natural_hz']:8.2f}  {swing:10.2f} {lowest['damping']:6.3f}" in out
    assert (tmp_path / "modes.png").stat().st_size > 10_000


@pytest.mark.parametrize("load", ["x", "1,2", "1,2,3,4,5", ""])
def test_a_load_that_is_none_is_named_as_it_was_given_and_leaves_no_folder(load, tmp_path, capsys):
    folder = tmp_path / "slices"
    assert run("workspace", "--machine", "uf", "--payload", load, "--out", folder) == 2
    error = capsys.readouterr().err
    assert f"--payload '{load}': expected MASS or MASS,X,Y,Z, numbers in kg and m" in error
    assert error.count("\n") == 1
    assert not folder.exists()


@pytest.mark.slow
def test_a_step_and_a_response_of_the_hydraulic_machine(tmp_path, capsys):
    out = tmp_path / "s.json"
    assert run("step", "--machine", "uf_hydraulic", "--axis", "z", "--duration", 0.1, "--json", out) == 0
    step = json.loads(out.read_text())
    assert step["metrics"]["overshoot_percent"] >= 0
    assert step["force_range"][0] < step["force_range"][1]
    assert run(
        "response", "--machine", "uf_hydraulic", "--axis", "strut_1", "--from", 4, "--to", 40, "--points", 2,
        "--json", out, "--out", tmp_path,
    ) == 0  # fmt: skip
    response = json.loads(out.read_text())
    slow, fast = response["with_mechanism"]["gain"]
    assert 1 > slow > fast > 0
    assert min(response["force_error"]) > 0
    assert (tmp_path / "response.png").exists()


REFUSED = [
    (["modes", "--machine", "uf"], "no compliance in this file"),
    (["modes", "--machine", "mast", "--pose", 0, 0, 0, 0, 0, 0], "no compliance"),
    (["step", "--machine", "uf_belt", "--strut", 7], "--strut 7: must be from 1 to 6"),
    (["step", "--machine", "uf_belt", "--axis", "up"], "--axis up: must be one of x, y, z, rx, ry, rz"),
    (["step", "--machine", "uf_belt", "--axis", "z", "--size", 0.5], "its end stops are at 0.3 and 0.55"),
    (["step", "--machine", "uf_belt", "--vary", 100], "--vary 100: must be more than 0"),
    (
        ["response", "--machine", "uf_belt", "--axis", "z", "--amplitude", 1],
        "--amplitude: 1 along 'z' takes drive",
    ),
    (
        ["response", "--machine", "uf_belt", "--axis", "z", "--to", 300],
        "below half the slowest loop's rate, 250 Hz",
    ),
    (
        ["response", "--machine", "uf_belt", "--axis", "z", "--from", 9, "--to", 3],
        "must be positive and rise",
    ),
]


@pytest.mark.parametrize(("arguments", "message"), REFUSED)
def test_what_cannot_be_measured_is_one_line(arguments, message, capsys):
    assert run(*arguments) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


WRONG_FILES = [
    ("uf_hydraulic", "actuator.oil_compliance", DELETED, "modes", "key 'actuator.oil_compliance' is missing"),
    (
        "uf_hydraulic",
        "actuator.valve.delay",
        1e-6,
        "step",
        "command delay 1e-06 s: shorter than the small step",
    ),
    (
        "uf_hydraulic",
        "actuator.sensor.delay",
        0.5,
        "step",
        "its delays, 0.5016 s, are longer than the run of 0.3 s",
    ),
    # what is right beside it is not blamed, too
    ("uf_belt", "actuator.encoder", "middle", "modes", "must be one of motor, load, both\n"),
]


@pytest.mark.parametrize(("name", "key", "value", "command", "message"), WRONG_FILES)
def test_what_no_drive_can_be_is_one_line(name, key, value, command, message, tmp_path, capsys):
    machine = tmp_path / "m.yaml"
    machine.write_text(
        yaml.safe_dump(edited(key, value, yaml.safe_load(builtin_machines()[name].read_text())))
    )
    assert run(command, "--machine", machine) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


def test_a_step_that_diverges_says_when_and_where_the_drives_were(tmp_path, capsys):
    document = yaml.safe_load(builtin_machines()["uf"].read_text()) | {
        "actuator": {"type": "ideal"},
        "control": {"computed_torque": {"position_gain": 1e9, "rate_gain": 24.0, "period": 0.001}},
    }
    machine = tmp_path / "m.yaml"
    machine.write_text(yaml.safe_dump(document))
    assert run("step", "--machine", machine, "--duration", 0.05) == 1
    error = capsys.readouterr().err
    assert re.search(r"at 0\.0\d+ s \(length_1, .* = \[0\.\d+, ", error)
    assert error.count("\n") == 1
