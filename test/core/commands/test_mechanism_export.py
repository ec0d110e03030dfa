# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""pkm export of mechanisms: files that other programs read back."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from pkm_identification.cli import main
from pkm_identification.mechanisms.multibody.mechanism import Mechanism, builtin_mechanisms


@pytest.mark.parametrize("name", sorted(builtin_mechanisms()))
def test_every_built_in_mechanism_is_exported_with_its_loops_closed(name, tmp_path, capsys):
    path = tmp_path / "made.xml"
    assert main(["export", "--machine", name, "--out", str(path)]) == 0
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    mujoco.mj_forward(model, data)
    assert model.neq == Mechanism.load(name).loops
    assert np.abs(data.efc_pos).max(initial=0.0) < 1e-12


@pytest.mark.slow
def test_yaml_goes_out_and_comes_back(tmp_path, capsys):
    path = tmp_path / "made.yaml"
    assert main(["export", "--machine", "mast", "--out", str(path)]) == 0
    again = Mechanism.load(path)
    np.testing.assert_array_equal(again.home, Mechanism.load("mast").home)
    np.testing.assert_array_equal(again.parameters, Mechanism.load("mast").parameters)
    assert main(["export", "--machine", "mast", "--out", "-", "--format", "mjcf"]) == 0
    assert capsys.readouterr().out.startswith("<mujoco")


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--format", "linuxcnc", "--out", "-"], "format linuxcnc: needs a hexapod"),
        (["--out", "made.txt"], "give --format, one of urdf"),
        (["--out", "made.xml", "--cures", "x.json"], "x.json: cannot be read"),
        (["--out", "made.xml", "--estimate", "x.json"], "x.json: cannot be read"),
        (["--out", "made.xml", "--set", "drive.force_delay=0.1"], "drive belongs into a hexapod's file"),
    ],
)
def test_what_a_mechanism_has_not_is_refused(options, says, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["export", "--machine", "mast", *options]) == 2
    error = capsys.readouterr().err
    assert says in error
    assert error.count("\n") == 1
    assert list(tmp_path.iterdir()) == []
