# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""estimate.json: the schema, no NaN, no prior."""

import json
from dataclasses import replace

import numpy as np
import pytest
from core.report.made_identification import made_identification, without

from pkm_identification.errors import OutputError
from pkm_identification.identification.estimate_file import estimate_document, write_estimate_json

KEYS = [
    "schema",
    "machine",
    "estimator",
    "model",
    "consistent",
    "converged",
    "samples",
    "equations",
    "dropped",
    "parameters",
    "validation",
    "fit",
    "provenance",
]
KEYS += [
    "machine_hash",
    "state",
    "parameter_set",
    "stated",
    "near_zero",
    "drives",
    "base",
    "warnings",
    "contradiction",
    "state_sha256",
]


def strict(text):
    def refuse(name):
        raise ValueError(name)

    return json.loads(text, parse_constant=refuse)


def test_file_follows_the_schema(tmp_path):
    result = made_identification()
    write_estimate_json(tmp_path / "estimate.json", result)
    document = strict((tmp_path / "estimate.json").read_text())
    assert list(document) == KEYS
    assert document["schema"] == 1
    assert document["machine"] == "uf"
    assert document["dropped"] == {"spike": 3, "gap": 1}
    assert (document["parameter_set"], document["stated"]) == ("identifiable", "")
    names = [entry["name"] for entry in document["parameters"]]
    assert names == [*result.estimate.names, "m_p + 6 m_e"]
    keys = {"name", "value", "std", "unit", "status", "nominal"}
    for entry in document["parameters"]:
        assert set(entry) == (keys if entry["name"] in result.estimate.names else keys | {"weights"})
        assert entry["status"] in ("identifiable", "in_doubt", "combination", "unidentifiable")
    by_name = {entry["name"]: entry for entry in document["parameters"]}
    assert by_name["m_b"]["value"] == result.estimate.values[1]
    assert by_name["Izz_p"]["value"] is None
    assert by_name["m_p"]["value"] is None
    assert by_name["m_p + 6 m_e"] == {
        "name": "m_p + 6 m_e",
        "value": 15.25,
        "std": 0.04,
        "unit": "kg",
        "status": "combination",
        "nominal": result.estimate.combinations[0].nominal,
        "weights": {"m_p": 1.0, "m_e": 6.0},
    }
    assert document["validation"]["rms_percent"] == {
        "per_drive": [0.3] * 6,
        "per_strut": [0.3] * 6,
        "total": 0.3,
    }
    assert document["validation"]["rms_percent_raw"] == {
        "per_drive": [7.0] * 6,
        "per_strut": [7.0] * 6,
        "total": 7.0,
    }


def test_what_is_not_finite_is_null():
    result = made_identification()
    std = result.estimate.std.copy()
    std[1] = np.inf
    values = np.full(len(std), np.nan)
    broken = replace(result, estimate=replace(result.estimate, values=values, std=std))
    document = strict(json.dumps(estimate_document(broken)))
    assert document["parameters"][1]["std"] is None
    assert all(entry["value"] is None for entry in document["parameters"][:-1])
    assert estimate_document(without(result, "validation"))["validation"] is None


def test_same_result_same_bytes_and_nothing_left_on_failure(tmp_path):
    for name in ("a.json", "b.json"):
        write_estimate_json(tmp_path / name, made_identification())
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()
    (tmp_path / "folder").mkdir()
    with pytest.raises(OutputError, match="folder: cannot be written"):
        write_estimate_json(tmp_path / "folder", made_identification())
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.json", "b.json", "folder"]
