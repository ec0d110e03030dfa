# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Reduced sets: the proven bound, what is given to others, the file that identify takes."""

from __future__ import annotations

import json

import numpy as np
import pytest
import yaml

from pkm_identification.cli import main
from pkm_identification.identification.procedures.pruning import reduce_set
from pkm_identification.identification.settings import Settings
from pkm_identification.machines.load import as_machine
from pkm_identification.mechanisms.hexapod.dynamics.regressor import regressor
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.mechanisms.multibody.dynamics import forces
from pkm_identification.mechanisms.multibody.mechanism import Mechanism
from pkm_identification.parameters.parameter import Kind, Parameter
from pkm_identification.parameters.parameter_set import ParameterSet
from pkm_identification.simulation.multibody.motions import generate_motion
from pkm_identification.simulation.trajectories import trajectory


def of(names, values):
    entries = tuple(
        Parameter(n, "kg", Kind.MASS, "", v, abs(v) or 1.0) for n, v in zip(names, values, strict=True)
    )
    return ParameterSet("toy", entries, np.eye(len(names)), np.zeros(len(names)))


def test_what_is_small_is_dropped_and_what_depends_is_given():
    """By hand: c = 2 a in these rows, d is a thousandth, so a + 2 c and b say all but d."""
    rng = np.random.default_rng(3)
    columns = rng.normal(size=(50, 1, 4))
    columns[:, :, 2] = 2 * columns[:, :, 0]
    parameters = of("abcd", [1.0, 1.0, 0.5, 0.001])
    found = reduce_set(parameters, columns, 0.01)
    assert set(found.small) == {"d"}
    assert found.given in (("c",), ("a",))
    stays = {"c": ("a", 2.0), "a": ("c", 1.0)}[found.given[0]]
    assert found.values[stays[0]] == pytest.approx(stays[1])
    assert 0 < found.error <= found.bound * (1 + 1e-12) < 0.01
    # nothing is dropped below nothing that matters
    assert not reduce_set(parameters, columns, 1e-5).small


@pytest.mark.parametrize("below", [0.003, 0.03, 0.2])
def test_the_bound_holds_in_motions_of_a_machine(below):
    machine = Machine.load("uf")
    parameters = Settings.of(estimator="ls").parameter_set(machine)
    path = trajectory("rich", machine, 10.0)
    columns = regressor(machine, path.motion(np.arange(0.0, 10.0, 0.05)), parameters.mapping)
    found = reduce_set(parameters, columns[:140], below, columns[140:])
    assert found.error <= found.bound <= below
    assert found.held_error is not None
    assert found.held_bound is not None
    assert found.held_error <= found.held_bound + 1e-9
    assert len(found.values) + len(found.small) + len(found.given) == 20


@pytest.mark.slow
def test_identify_takes_the_file(tmp_path, capsys):
    """Of motion x: what is left is estimated, and alone; the whole set is not."""
    log, file, out = (str(tmp_path / name) for name in ("log.csv", "set.yaml", "found.json"))
    assert main(["simulate", "--machine", "uf", "--trajectory", "x", "--duration", "8", "--out", log]) == 0
    arguments = ["identifiability", "--machine", "uf", "--trajectory", "x", "--json", out]
    assert main([*arguments, "--drop-below", "2", "--reduced", file]) == 0
    less = json.loads((tmp_path / "found.json").read_text())["reduced"]
    assert less["error"] <= less["bound"] <= 0.02
    elsewhere = {entry["parameter"]: entry["motion"] for entry in less["elsewhere"] if entry["size"] > 0.02}
    assert elsewhere["Izz_p"] == "turning about z, fast"
    capsys.readouterr()
    estimate = ["identify", "--machine", "uf", log, "--estimator", "ls", "--json", out, "--parameters", file]
    assert main(estimate) in (0, 1)
    found = json.loads((tmp_path / "found.json").read_text())["parameters"]
    names = {entry["name"] for entry in found}
    assert set(less["parameters"]) <= names
    assert not names & {*less["dropped"], *less["given_to_others"]}


@pytest.mark.slow
def test_a_mechanisms_set_predicts_its_forces_and_is_taken_again(tmp_path, capsys):
    """The forces of what stays, beside the mechanism's own by its dynamics."""
    file, out = str(tmp_path / "set.yaml"), str(tmp_path / "found.json")
    arguments = ["identifiability", "--machine", "mast", "--trajectory", "rich", "--duration", "6"]
    assert main([*arguments, "--json", out, "--drop-below", "2", "--reduced", file]) == 0
    less = json.loads((tmp_path / "found.json").read_text())["reduced"]
    assert 0 < less["error"] <= less["bound"] <= 0.02
    mechanism = Mechanism.load("mast")
    machine = as_machine(mechanism)
    chosen = Settings.of(estimator="ls", parameters=file).parameter_set(machine)
    assert 0 < len(chosen) == len(less["parameters"]) < 19
    motion = generate_motion("rich", mechanism, 6.0).motion(mechanism, np.arange(0.0, 0.7 * 6.0, 0.05))
    whole = forces(mechanism, motion, friction=False)
    of_drives = machine.compute_motion(motion.drive, motion.drive_rate, motion.drive_acceleration)
    part = machine.compute_regressor(of_drives, chosen.mapping) @ chosen.nominal
    error = np.linalg.norm(part - whole) / np.linalg.norm(whole)
    assert error == pytest.approx(less["error"], rel=1e-6)
    capsys.readouterr()
    assert main([*arguments, "--parameters", file]) == 0
    count = len(chosen)
    assert f"{count} of {count} combinations are identifiable" in capsys.readouterr().out
    (tmp_path / "other.yaml").write_text((tmp_path / "set.yaml").read_text().replace("mast", "epaas"))
    refused = ["--machine", "epaas", "--trajectory", "rich", "--parameters", str(tmp_path / "other.yaml")]
    assert main(["identifiability", *refused]) == 2
    assert "is of machine 'epaas' as it was" in capsys.readouterr().err


def test_units_of_forces_and_torques_decide_nothing():
    """Rows in N beside rows in N m: in kN nothing changes, since both are over their rms."""
    rng = np.random.default_rng(7)
    columns = rng.normal(size=(60, 2, 5)) * [1.0, 1.0, 0.3, 0.02, 0.01]
    parameters, other = of("abcde", [1.0] * 5), np.array([1.0, 1e3])
    scale = np.sqrt(np.mean((columns @ parameters.nominal) ** 2, axis=0))
    found = reduce_set(parameters, columns, 0.05, row_scale=scale)
    again = reduce_set(parameters, columns / other[:, None], 0.05, row_scale=scale / other)
    assert again.error == pytest.approx(found.error)
    assert found.small
    # without it they do
    assert reduce_set(parameters, columns / other[:, None], 0.05).error != pytest.approx(
        found.error, rel=1e-3
    )


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"machine_hash": "0"}, "machine_hash = 0: is of machine 'uf'"),
        ({"end": None}, "key 'end' is missing"),
        ({"parameters": {"mass": 1.0}}, "'mass', which is not in"),
        ({"parameters": {}}, "must be parameters"),
        ({"schema": 2}, "schema = 2: must be 1"),
    ],
)
def test_sets_that_cannot_be_used(tmp_path, change, text, capsys):
    document = {
        "schema": 1, "kind": "parameter set", "machine": "uf", "machine_hash": Machine.load("uf").hash,
        "of": "identifiable", "parameters": {"m_p": 4.0}, "end": "whole",
    } | change  # fmt: skip
    path = tmp_path / "set.yaml"
    path.write_text(yaml.safe_dump({key: value for key, value in document.items() if value is not None}))
    arguments = ["identifiability", "--machine", "uf", "--trajectory", "z", "--parameters", str(path)]
    assert main(arguments) == 2
    error = capsys.readouterr().err
    assert text in error
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("--drop-below", "0", "--reduced", "a.yaml"), "--drop-below 0: must be between"),
        (("--drop-below", "1"), "go together"),
        (("--drop-below", "1", "--reduced", "a.txt"), "must end in .yaml"),
        (("--parameters", "none"), "or a reduced set (.yaml)"),
    ],
)
def test_what_cannot_be_asked_is_one_line(arguments, text, capsys):
    assert main(["identifiability", "--machine", "uf", "--trajectory", "z", *arguments]) == 2
    error = capsys.readouterr().err
    assert text in error
    assert error.count("\n") == 1
