# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""pkm identify of a mechanism: tables, JSON, page, held-out logs and refusals."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import yaml

import pkm_identification as pkm
from pkm_identification.cli import main
from pkm_identification.errors import DocumentError
from pkm_identification.identification.saved_estimate import compute_stated_deviations
from pkm_identification.machines.load import load_machine
from pkm_identification.mechanisms.builtin import list_builtin_files
from pkm_identification.mechanisms.multibody import dynamics
from pkm_identification.mechanisms.multibody.mechanism import Mechanism
from pkm_identification.records.mechanism_csv import write_named_csv
from pkm_identification.simulation.multibody.motions import generate_motion

TABLE = yaml.safe_load(list_builtin_files("mechanisms")["mast"].read_text())
RUBBING = TABLE | {"friction": {"viscous": [0.0] * 3, "coulomb": [3.0, 4.0, 5.0]}}


def written(path: Path, mechanism: Mechanism, motion: str, seed: int, duration: float = 12.0) -> str:
    time = np.arange(0.0, duration, 2e-3)
    moved = generate_motion(motion, mechanism, duration)
    force = dynamics.forces(mechanism, moved.motion(mechanism, time))
    noise = 0.01 * np.sqrt(np.mean(force**2, axis=0))
    force = force + noise * np.random.default_rng(seed).standard_normal(force.shape)
    columns = dict(zip(mechanism.drive_names, moved.drives(time)[0].T, strict=True))
    write_named_csv(path, columns | dict(zip(mechanism.force_names, force.T, strict=True)), time)
    return str(path)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """The table with friction, its file, a log of it and another one."""
    folder = tmp_path_factory.mktemp("table")
    machine = folder / "table.yaml"
    machine.write_text(yaml.safe_dump(RUBBING, sort_keys=False))
    made = Mechanism.load(machine)
    return machine, *(
        written(folder / f"{name}.csv", made, name, k) for k, name in enumerate(("rich", "rich2"))
    )


@pytest.mark.slow
def test_base_parameters_and_friction_with_what_predicts_another_log(files, tmp_path, capsys):
    machine, log, other = files
    options = ["--machine", str(machine), "--estimator", "ls", "--fix", "viscous", "--validate", other]
    results = ["--json", str(tmp_path / "e.json"), "--out", str(tmp_path / "result")]
    assert main(["identify", log, *options, *results]) == 0
    text = capsys.readouterr().out
    assert "stated beforehand: viscous = the file" in text
    # the verdict, before the values and after them
    assert text.count("The model fits") == 2
    summed = [
        k for k, parts in json.loads((tmp_path / "e.json").read_text())["base"].items() if len(parts) > 1
    ]
    assert len(summed) > 5
    assert all(f"  {name} (sum) = {name} " in text for name in summed)
    document = json.loads((tmp_path / "e.json").read_text())
    found = {entry["name"]: entry for entry in document["parameters"]}
    combined = {name for name in found if " " in name}
    assert len(found) - len(combined) == 19 + 3
    # across a bar of 50 g: known to a quarter of its mass times half its length, which is not to know it
    assert found["mz_bar_1"]["status"] != "identifiable"
    for k, true in enumerate((3.0, 4.0, 5.0), 1):
        assert found[f"coulomb_length_{k}"]["status"] == "identifiable"
        assert found[f"coulomb_length_{k}"]["value"] == pytest.approx(true, rel=0.01)
    assert document["base"]["m_bar_1"]["m_platform"] == pytest.approx(0.5)
    assert document["validation"]["held_out"] == Path(other).name
    assert document["validation"]["rms_percent"]["total"] < 0.5
    assert 0.8 < document["fit"]["ratio"] < 1.2
    assert document["provenance"]["logs"][0]["path"] == log
    assert document["provenance"]["validation"][0]["path"] == other
    assert document == json.loads((tmp_path / "result" / "estimate.json").read_text())
    page = (tmp_path / "result" / "report.html").read_text()
    assert "coulomb_length_3" in page
    # and `pkm identifiability --estimate` draws what it states beside what was to be expected of the same log
    estimate = tmp_path / "e.json"
    stated = compute_stated_deviations(estimate, load_machine(machine))
    assert stated == {name: entry["std"] for name, entry in found.items()}
    asked = ["identifiability", "--machine", str(machine), log, "--out", str(tmp_path / "known")]
    assert main([*asked, "--estimate", str(estimate)]) == 0
    assert (tmp_path / "known" / "deviations.png").exists()
    with pytest.raises(DocumentError, match=r"e\.json: belongs to machine 'mast' .*, expected 'mast' "):
        compute_stated_deviations(estimate, load_machine("mast"))
    again = pkm.load(estimate, machine, fix="viscous")
    np.testing.assert_allclose(again.table()["std"], [found[name]["std"] for name in again.table()["name"]])
    assert page.count("data:image/png") >= 4  # machine, forces, residual, misfit


@pytest.mark.slow
def test_friction_that_the_file_denies_is_a_misfit_with_exit_code_one(files, capsys):
    """With friction held at the file's nothing, 3 to 5 N of it are no body's."""
    _, log, _ = files
    assert (
        main(["identify", log, "--machine", "mast", "--estimator", "ls", "--fix", "friction", "--json", "-"])
        == 1
    )
    streams = capsys.readouterr()
    document = json.loads(streams.out)
    assert not document["fit"]["adequate"]
    assert "identifiable" not in {entry["status"] for entry in document["parameters"]}
    assert "full model" in streams.err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--parameters", "oh12"], "parameters 'oh12': must be identifiable or base"),
        (["--also", "force_delay_4"], "also 'force_delay_4': there is no drive '4'"),
        (["--payload", "1,0,0,0"], "--payload: give two logs, the second with the load"),
        (["--units", "deg"], "--units: 'deg' is of angle, which no column has"),
        (["--report", "page.txt"], "--report page.txt: must end in .html"),
        ([], "no column force_3"),
    ],
)
def test_what_does_not_apply_is_refused_in_one_line(options, message, tmp_path, capsys):
    log = tmp_path / "log.csv"
    log.write_text("t,length_1,length_2,length_3,force_1,force_2\n0,0,0,0,0,0\n")
    assert main(["identify", str(log), "--machine", "mast", *options]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda values: values * [1, 1, 1, 1, 0, 0, 0], "all forces are 0"),
        (lambda values: values * [1, 1, 1, 1, 1, 0, 1], "force_2: 0 throughout"),
        (lambda values: values + np.eye(7)[1], "100 % of its samples have length_1 outside 0"),
        (lambda values: values - [0, 0.2, 0.2, 0, 0, 0, 0], "100 % of its samples have length_1 outside"),
        (lambda values: values[:1], "only 1 samples"),
    ],
)
def test_a_log_that_cannot_be_the_mechanisms_is_named(damage, message, files, tmp_path, capsys):
    machine, log, _ = files
    header, *lines = Path(log).read_text().splitlines()[:800]
    values = damage(np.array([line.split(",") for line in lines], dtype=float))
    np.savetxt(tmp_path / "other.csv", values, delimiter=",", header=header, comments="")
    assert main(["identify", str(tmp_path / "other.csv"), "--machine", str(machine)]) == 2
    error = capsys.readouterr().err
    assert "other.csv: " in error
    assert message in error
    assert error.count("\n") == 1
