# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Lengths and masses of the pendulum of Oh 2003, chapter 3, from a fall, by the public commands."""

from __future__ import annotations

import json

import numpy as np
import pytest
import yaml

from pkm_identification.cli import main
from pkm_identification.mechanisms.builtin import list_builtin_files

TRUE = {"l1": 0.5, "l2": 0.75, "m1": 0.75, "m2": 0.5, "M": 1.5}


def write_guess(path):
    document = yaml.safe_load(list_builtin_files("mechanisms")["pendulum"].read_text())
    assert document["constants"] == TRUE
    document["constants"] = dict.fromkeys(TRUE, 1.0)  # the text's first guess
    path.write_text(yaml.safe_dump(document, sort_keys=False))
    return str(path)


@pytest.mark.slow
def test_lengths_and_ratios_of_masses_come_out_of_a_fall(tmp_path, capsys):
    guess, log = write_guess(tmp_path / "guess.yaml"), str(tmp_path / "fall.csv")
    assert (
        main(["simulate", "--machine", "pendulum", "--trajectory", "free", "--duration", "3", "--out", log])
        == 0
    )
    capsys.readouterr()
    arguments = ["identify", log, "--machine", guess, "--estimator", "ukf", "--unknown", ",".join(TRUE)]
    assert main([*arguments, "--json", "-"]) == 0
    document = json.loads(capsys.readouterr().out)
    found = {one["path"].removeprefix("constants."): one for one in document["numbers"]}
    assert [name for name, one in found.items() if one["known"]] == ["l1", "l2"]
    for name in ("l1", "l2"):
        # within the text's one per cent, and within what is claimed
        assert found[name]["value"] == pytest.approx(TRUE[name], rel=0.01)
        assert abs(found[name]["value"] - TRUE[name]) < 4 * found[name]["std"]
    for name in ("m1", "m2"):
        ratio = found[name]["value"] / found["M"]["value"]
        assert ratio == pytest.approx(TRUE[name] / TRUE["M"], rel=0.01)
    # no fall shows all masses by one factor
    (unseen,) = document["unseen"]
    np.testing.assert_allclose(list(unseen.values()), [0, 0, 1, 1, 1], atol=1e-3)
    assert document["residual"] < 0.01


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--unknown", "l3"], "is not in the file"),
        (["--unknown", "l1,l1"], "each once"),
        (["--unknown", "l1", "--estimator", "ls"], "not ls"),
        (["--unknown", "l1", "--also", "geometry"], "--also"),
    ],
)
def test_what_cannot_be_asked_is_refused_in_one_line(options, words, tmp_path, capsys):
    log = tmp_path / "log.csv"
    log.write_text(
        "t,x,t1,t2,force,torque_1,torque_2\n" + "".join(f"{k / 1000},0,.1,.2,0,0,0\n" for k in range(99))
    )
    assert main(["identify", str(log), "--machine", "pendulum", *options]) == 2
    error = capsys.readouterr().err
    assert words in error
    assert error.count("\n") == 1
