# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""pkm identify: its choices reach the estimate, and mistakes in them get one line."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
import yaml
from core import synthetic

from pkm_identification.cli import main
from pkm_identification.estimation.estimators import ESTIMATORS
from pkm_identification.identification import of_logs
from pkm_identification.identification.saved_estimate import read_saved_estimate
from pkm_identification.mechanisms.hexapod.parameters.sets import NAMES, list_hexapod_parameters
from pkm_identification.records.log import write_log

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Folder with a log of 9 s and the machine file its owner has."""
    folder = tmp_path_factory.mktemp("identify")
    log = synthetic.log(synthetic.truth(), 9.0, 1, real=True)
    write_log(folder / "rich.csv", log)
    (folder / "machine.yaml").write_text(yaml.safe_dump(dict(synthetic.nominal().document)))
    return folder


def identify(files, capsys, *options, code=0) -> dict:
    """estimate.json of a run that ends well."""
    capsys.readouterr()
    arguments = ["identify", files / "rich.csv", "--machine", files / "machine.yaml", "--json", "-", *options]
    assert main([str(a) for a in arguments]) == code
    return json.loads(capsys.readouterr().out)


def refused(files, capsys, *options) -> str:
    """The one line of a run that is refused with exit code 2."""
    capsys.readouterr()
    arguments = ["identify", files / "rich.csv", "--machine", files / "machine.yaml", *options]
    assert main([str(a) for a in arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert len(err.strip().splitlines()) == 1, err
    return err


@pytest.mark.usefixtures("unjudged")
@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_every_estimator_is_reachable_and_ends_with_a_held_out_prediction(estimator, files, capsys):
    document = identify(files, capsys, "--estimator", estimator)
    assert document["estimator"] == estimator
    assert document["validation"]["held_out"] == "last 20 % of rich.csv"
    assert "other samples" in document["validation"]["predicted_by"]
    assert document["validation"]["rms_percent"]["total"] < 2.0


@pytest.mark.usefixtures("unjudged")
@pytest.mark.parametrize("name", NAMES)
def test_every_parameter_set_is_reachable(name, files, capsys):
    document = identify(files, capsys, "--estimator", "ls", "--parameters", name)
    names = list_hexapod_parameters(synthetic.nominal(), name).names
    assert tuple(entry["name"] for entry in document["parameters"])[: len(names)] == names


def test_what_is_known_is_left_out_and_said(files, capsys):
    prior = files / "cad.yaml"
    prior.write_text("m_b: {value: 7.1, std: 0.001}\n")
    options = ("--estimator", "ls", "--fix", "m_p=5.7", "--fix", "Ia_b+Ia_e", "--tie", "m_e=m_b*0.28",
               "--prior", prior)  # fmt: skip
    out = files / "known.json"
    arguments = ["identify", files / "rich.csv", "--machine", files / "machine.yaml", *options, "--json", out]
    # the file's axial moment is not the machine's, and that shows
    assert main([str(a) for a in arguments]) == 1
    document = json.loads(out.read_text())
    entries = {entry["name"]: entry for entry in document["parameters"]}
    assert not {"m_p", "Ia_b+Ia_e", "m_e"} & set(entries)
    assert entries["m_b"]["status"] != "identifiable"  # it is the prior
    assert entries["m_b"]["value"] is None
    said = "stated beforehand: m_p = 5.7, Ia_b+Ia_e = the file, m_e = 0.28 m_b, m_b ~ 7.1 ± 0.001"
    assert said in capsys.readouterr().out


def test_the_held_out_prediction_is_said_in_one_line(files, capsys):
    assert main(["identify", str(files / "rich.csv"), "--machine", str(files / "machine.yaml")]) == 0
    start = (
        "Held out: forces of the last 20 % of rich.csv are predicted by an estimate from the other samples to"
    )
    (line,) = (line for line in capsys.readouterr().out.splitlines() if line.startswith(start))
    assert "% rms below 10 Hz" in line
    assert "noise floor" in line


def test_another_log_takes_the_place_of_the_held_out_part(files, capsys):
    validation = identify(files, capsys, "--estimator", "ls", "--validate", files / "rich.csv")["validation"]
    assert validation["held_out"] == "rich.csv"
    assert validation["predicted_by"] == "the estimate"


@pytest.mark.parametrize(
    ("options", "mentions"),
    [
        (("--fix", "mass"), ["'mass'", "m_p"]),
        (("--fix", "m_p=heavy"), ["fix m_p=heavy", "'heavy'"]),
        (("--tie", "m_e"), ["tie m_e", "NAME=OTHER"]),
        (("--tie", "m_e=viscous_1"), ["kg", "N s/m"]),
        (("--prior", "none.yaml"), ["none.yaml", "No such file"]),
        (("--forgetting", "0.9"), ["forgetting", "rls"]),
        (("--estimator", "rls", "--forgetting", "2"), ["forgetting", "between 0.5 and 1"]),
        (("--estimator", "iv", "--causal"), ["'iv'", "causal"]),
    ],
)
def test_mistakes_get_one_line(options, mentions, files, capsys):
    line = refused(files, capsys, *options)
    for text in mentions:
        assert text in line, line


def test_prior_of_an_unknown_parameter_is_refused_by_file_and_name(files, capsys):
    prior = files / "wrong.yaml"
    prior.write_text("m_q: {value: 7.1, std: 0.001}\n")
    line = refused(files, capsys, "--prior", str(prior))
    assert "wrong.yaml" in line
    assert "'m_q'" in line


def test_data_that_show_nothing_are_refused(files, capsys):
    rows = (files / "rich.csv").read_text().splitlines()
    still = files / "still.csv"
    values = rows[1].split(",")[1:]
    still.write_text(
        "\n".join([rows[0], *(",".join([f"{k * 1e-3:.3f}", *values]) for k in range(6000))]) + "\n"
    )
    capsys.readouterr()
    arguments = [
        "identify",
        still,
        "--machine",
        files / "machine.yaml",
        "--model",
        "energy",
        "--estimator",
        "ls",
    ]
    assert main([str(a) for a in arguments]) == 2
    err = capsys.readouterr().err
    assert "still.csv: no parameter" in err
    assert len(err.strip().splitlines()) == 1


def test_one_verdict_of_the_full_model_and_of_a_fit_that_is_asked_for(files, capsys):
    """Without an estimator or a set of parameters the values are the full model's; the verdict always is."""
    found = []
    for options in ((), ("--estimator", "ls")):
        out = files / "found.json"
        arguments = [
            "identify",
            files / "rich.csv",
            "--machine",
            files / "machine.yaml",
            *options,
            "--json",
            out,
        ]
        assert main([str(a) for a in arguments]) == 0
        assert capsys.readouterr().out.count("The model fits") == 2  # the first line and the last
        found.append(json.loads(out.read_text()))
    full, fitted = found
    assert full["estimator"] == "full"
    assert full["answer"]["verdict"]["grade"] == fitted["answer"]["verdict"]["grade"] == "fits"
    values = {one["name"]: one for one in full["answer"]["values"]}
    for one in full["parameters"]:
        assert one["status"] == values[one["name"]]["status"]
        assert one["std"] == pytest.approx(
            np.hypot(*(values[one["name"]][part] for part in ("std_data", "std_file")))
        )
    assert {one["status"] for one in full["parameters"]} >= {"identified", "from the file"}
    saved = files / "full.json"
    saved.write_text(json.dumps(full))
    again = read_saved_estimate(saved)  # which refuses what is no covariance
    assert again.answer.verdict.grade == "fits"
    assert again.status == {one["name"]: one["status"] for one in full["parameters"]}
    assert [one.rests_on for one in again.answer.values if one.status == "from the file"]
    assert {one["status"] for one in fitted["parameters"]} <= {
        "identifiable",
        "unidentifiable",
        "combination",
    }


def test_a_fit_that_leaves_more_than_the_full_model_is_refused(files, capsys):
    document = identify(files, capsys, "--parameters", "oh12", code=1)
    assert document["answer"]["verdict"]["grade"] == "do not use"
    assert "identifiable" not in {one["status"] for one in document["parameters"]}


def test_total_deviations_of_what_did_not_converge_end_with_that_reason(files, capsys, monkeypatch):
    """Its verdict may well say that the model fits: that is not why the values must not be used, nor exported."""
    whole = of_logs.identify_logs

    def stopped(*arguments, **named):
        return replace(whole(*arguments, **named), converged=False, nonconvergence="b_1 moved")

    monkeypatch.setattr(of_logs, "identify_logs", stopped)
    estimate = files / "stopped.json"
    arguments = ["identify", files / "rich.csv", "--machine", files / "machine.yaml", "--json", estimate]
    assert main([str(a) for a in arguments]) == 1
    out, err = capsys.readouterr()
    (line,) = err.strip().splitlines()
    assert "Do not use these values: the estimator did not converge (b_1 moved)" in line
    assert "The model fits" not in out.replace("Verdict of the full model: The model fits", "")
    assert estimate.exists()
    assert "pkm export" not in out
