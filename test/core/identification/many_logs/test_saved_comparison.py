# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""pkm compare: what changed in a machine is found, what did not is not, and what cannot be compared is refused."""

from __future__ import annotations

import copy
import json
import re
from dataclasses import replace

import numpy as np
import pytest
from core import synthetic
from core.mechanisms.hexapod.machine_variants import document

from pkm_identification.cli import main
from pkm_identification.identification.estimate_file import write_estimate_json
from pkm_identification.identification.identify import identify
from pkm_identification.identification.many_logs.saved_comparison import compare_files
from pkm_identification.identification.result import NEAR
from pkm_identification.identification.settings import Settings
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.report.listing import ABSENT
from pkm_identification.report.many_logs.comparison import build_comparison_table

GROWN = 1.2  # of the viscous friction of strut 3


def grown(machine: Machine) -> Machine:
    made = copy.deepcopy(machine.document)
    made["friction"]["viscous"][2] *= GROWN
    return Machine.from_document(made)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Estimates of the machine, of it again, and of it with the friction of a strut grown."""
    folder = tmp_path_factory.mktemp("estimates")
    truth, nominal = synthetic.truth(), synthetic.nominal()
    settings = Settings.of(estimator="ls", hold_out=0.0)
    paths = {}
    for seed, (name, machine) in enumerate({"new": truth, "again": truth, "worn": grown(truth)}.items()):
        result = identify([synthetic.log(machine, 9.0, seed, real=True)], nominal, settings)
        paths[name] = folder / f"{name}.json"
        write_estimate_json(paths[name], result, {"logs": [{"path": name, "sha256": name}]})
    return paths


def compared(capsys, *arguments):
    code = main(["compare", *map(str, arguments), "--json", "-"])
    return code, json.loads(capsys.readouterr().out)


@pytest.mark.slow
def test_what_changed_is_found_and_nothing_else(files, capsys):
    code, found = compared(capsys, files["new"], files["worn"])
    assert code == 0
    changed = {entry["name"]: entry for entry in found["parameters"] if entry["changed"]}
    assert set(changed) == {"viscous_3"}
    true = (GROWN - 1) * synthetic.truth().friction.coefficients[0, 2]
    entry = changed["viscous_3"]
    assert abs(entry["differences"][0] - true) < 4 * entry["difference_std"][0]
    assert found["p"] < 1e-9


@pytest.mark.slow
def test_an_unchanged_machine_is_called_unchanged(files, capsys):
    _, found = compared(capsys, files["new"], files["again"])
    assert not any(entry["changed"] for entry in found["parameters"])
    assert len(found["parameters"]) >= 15
    _, three = compared(capsys, files["new"], files["again"], files["worn"])
    assert [entry["name"] for entry in three["parameters"] if entry["changed"]] == ["viscous_3"]
    assert main(["compare", str(files["new"]), str(files["worn"])]) == 0
    assert "Changed beyond chance: viscous_3." in capsys.readouterr().out


@pytest.mark.slow
def test_a_value_that_may_be_zero_changes_by_no_percentage(files):
    found = compare_files([str(files[name]) for name in ("new", "worn")], 0.05)
    values = found.comparison.values.copy()
    values[0, 0] = (NEAR - 1.0) * found.comparison.std[0, 0]
    table = build_comparison_table(replace(found, comparison=replace(found.comparison, values=values)))
    first, *others = (row[table.header.index("%")] for row in table.rows)
    assert first == ABSENT
    assert ABSENT not in others


@pytest.mark.slow
def test_what_is_in_doubt_is_told_and_not_called_changed(files, tmp_path, capsys):
    doubtful = json.loads(files["worn"].read_text())
    for entry in doubtful["parameters"]:
        if entry["name"] == "viscous_3":
            entry["status"] = "in_doubt"
    path = tmp_path / "doubtful.json"
    path.write_text(json.dumps(doubtful))
    assert main(["compare", str(files["new"]), str(path)]) == 1
    said = capsys.readouterr()
    assert re.search(r"Different beyond chance.*: viscous_3\.", said.out)
    assert "Changed beyond" not in said.out
    assert re.fullmatch(r"pkm compare: 1 of \d+ values are affected.*\n", said.err)


@pytest.mark.slow
def test_estimates_of_one_log_are_told(files, capsys):
    _, found = compared(capsys, files["new"], files["new"])
    assert any("come from the same log" in one for one in found["remarks"])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("machine", "other", "machine 'other', "),
        ("machine_hash", "0123", "description of the machine (hash) '0123'"),
        ("parameter_set", "extended", "parameter set 'extended'"),
        ("stated", "m_p fixed", "assumptions 'm_p fixed'"),
    ],
)
def test_another_machine_or_set_is_refused_unless_asked_for(files, tmp_path, capsys, key, value, said):
    other = json.loads(files["worn"].read_text())
    other[key] = value
    other["parameters"][0]["unit"] = "g"
    path = tmp_path / "other.json"
    path.write_text(json.dumps(other))
    assert main(["compare", str(files["new"]), str(path)]) == 2
    err = capsys.readouterr().err
    assert said in err
    assert err.count("\n") == 1
    _, found = compared(capsys, files["new"], path, "--common")
    assert [entry["name"] for entry in found["parameters"] if entry["changed"]] == ["viscous_3"]
    assert found["left_out"]["m_p"] == f"in g in {path}, in kg in {files['new']}"


@pytest.mark.slow
def test_a_combination_of_other_units_is_not_compared(files, tmp_path, capsys):
    """Two parameters that only their sum shows; in the other file one of them is in another unit."""
    paths, sum_of = [], ("coulomb_1", "coulomb_2")
    for name in ("new", "again"):
        made = json.loads(files[name].read_text())
        for entry in made["parameters"]:
            if entry["name"] in sum_of:
                entry["status"] = "unidentifiable"
        numbers = {"value": 1.0, "std": 0.1, "nominal": 1.0, "weights": dict.fromkeys(sum_of, 1.0)}
        made["parameters"].append({"name": "sum", "unit": "N", "status": "combination", **numbers})
        paths.append(tmp_path / f"{name}.json")
        paths[-1].write_text(json.dumps(made))
    _, found = compared(capsys, *paths)
    assert "sum" in {entry["name"] for entry in found["parameters"]}
    (one,) = (entry for entry in made["parameters"] if entry["name"] == sum_of[0])
    one["unit"] = "kN"
    paths[1].write_text(json.dumps(made))
    _, found = compared(capsys, *paths, "--common")
    assert "sum" not in {entry["name"] for entry in found["parameters"]}


@pytest.mark.slow
def test_bad_input_is_one_line(files, tmp_path, capsys):
    one = str(files["new"])
    broken, cut = tmp_path / "broken.json", tmp_path / "cut.json"
    broken.write_text("{")
    changed = json.loads(files["new"].read_text())
    changed["tolerance_changes"] = [[1.0, "x"]]
    cut.write_text(json.dumps(changed))
    uneven, count = tmp_path / "uneven.json", len(changed["state"]["names"])
    changed["tolerance_changes"] = np.ones((count, 2)).tolist()  # as many numbers as two rows, but not rows
    uneven.write_text(json.dumps(changed))
    for arguments, said in (
        ([one], "at least two"),
        ([one, str(broken)], f"{broken}: is no estimate.json"),
        ([one, str(cut)], f"{cut}: tolerance_changes: must be rows of"),
        ([one, str(uneven)], f"{uneven}: tolerance_changes: must be rows of {count} finite numbers"),
        ([one, str(tmp_path / "none.json")], "cannot be read"),
        ([one, one, "--level", "0"], "--level 0: must lie between 0 and 1"),
    ):
        assert main(["compare", *arguments]) == 2
        err = capsys.readouterr().err
        assert said in err
        assert err.count("\n") == 1


@pytest.mark.slow
def test_tolerances_are_the_same_error_in_both(tmp_path, capsys):
    """What the gains of the forces may be off by widens each estimate, but not what differs between two."""
    believed = copy.deepcopy(document("uf")) | {"tolerances": {"force_gain": 0.01}}
    machine = Machine.from_document(believed)
    paths = []
    for seed in range(2):
        result = identify(
            [synthetic.log(Machine.from_document(document("uf")), 9.0, 7 + seed, real=True)],
            machine,
            Settings.of(estimator="full", hold_out=0.0),
        )
        assert result.tolerance_changes is not None
        share = np.sum(result.tolerance_changes**2, axis=0)
        assert np.all(share <= np.diag(result.estimate.covariance) * (1 + 1e-9))
        paths.append(tmp_path / f"{seed}.json")
        write_estimate_json(paths[-1], result)
    _, found = compared(capsys, *paths)
    viscous = {entry["name"]: entry for entry in found["parameters"]}["viscous_1"]
    # a hundredth of the friction each by the gain; far less between the two
    assert min(viscous["std"]) > 0.005 * viscous["values"][0]
    assert viscous["difference_std"][0] < 0.3 * min(viscous["std"])
    assert not any(entry["changed"] for entry in found["parameters"])
    old = json.loads(paths[1].read_text())
    del old["tolerance_changes"]
    paths[1].write_text(json.dumps(old))
    _, found = compared(capsys, *paths)
    (remark,) = found["remarks"]
    assert f"because {paths[1]}, of an older version, does not say" in remark
