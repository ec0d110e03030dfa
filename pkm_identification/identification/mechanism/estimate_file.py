# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""estimate.json of a mechanism that is no hexapod."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from pkm_identification.errors import DocumentError
from pkm_identification.mechanisms.multibody.mechanism import Mechanism
from pkm_identification.numerics.finite import finite_or_none
from pkm_identification.records.atomic import write_text

from ..estimate_file import SCHEMA, combination_entries, parameter_entries
from ..saved_estimate import deviations_by_name, read_estimate_document
from .misfit import Cause, Exchange
from .result import MechanismIdentification, Prediction


def estimate_document(
    result: MechanismIdentification, origin: dict[str, Any] | None = None
) -> dict[str, Any]:
    """The content of estimate.json; as a hexapod's, with `drives` in the place of struts.

    `value` is None where the logs do not show a parameter alone; `base` names the parameters each base parameter is a
    sum of. Errors are in %, in the estimation band.
    """
    estimate, base = result.estimate, result.base
    return {
        "schema": SCHEMA,
        "machine": result.mechanism.name,
        "machine_hash": result.mechanism.hash,
        "estimator": estimate.estimator,
        "model": estimate.model,
        "converged": result.converged,
        "samples": int(result.problem.samples),
        "equations": int(estimate.count),
        "dropped": dict(result.dropped),
        "parameters": [*parameter_entries(estimate), *combination_entries(estimate)],
        "base": {
            name: {base.everything[k]: float(row[k]) for k in np.flatnonzero(row)}
            for name, row in zip(base.names, base.sums, strict=True)
        },
        "also": list(result.also),
        "drives": list(result.mechanism.force_names),
        "validation": _prediction(result.prediction),
        "fit": fit_document(result),
        "stated": result.settings.estimator.assumptions.described(),
        "near_zero": list(result.near_zero),
        "provenance": origin,
    }


def fit_document(result: MechanismIdentification) -> dict[str, Any]:
    """Return whether the model fits, and what is wrong where it does not."""
    return {
        "adequate": result.fits,
        "ratio": None if result.total_ratio is None else finite_or_none(result.total_ratio),
        "per_drive": None if result.ratio is None else [finite_or_none(one) for one in result.ratio],
        "noise_std": None if result.floor is None else [finite_or_none(one) for one in result.floor],
        "causes": _causes(result.causes, result.mechanism.drive_names),
    }


def write_estimate_json(
    path: str | Path, result: MechanismIdentification, origin: dict[str, Any] | None = None
) -> None:
    """Write estimate.json, complete or not at all; raises OutputError if it cannot be written."""
    document = estimate_document(result, origin)
    write_text(path, json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n")


def stated_deviations(path: str | Path, mechanism: Mechanism) -> dict[str, float]:
    """Standard deviations that an estimate.json of a mechanism states, by the parameters' names.

    Raises
    ------
    DocumentError
        If it cannot be read, is none of a mechanism, or is another one's.
    """
    document = read_estimate_document(path)
    if "base" not in document or "drives" not in document:
        raise DocumentError(f"{path}: no estimate of a mechanism; expected one of '{mechanism.name}'")
    if document.get("machine_hash") != mechanism.hash:
        raise DocumentError(
            f"{path}: belongs to mechanism '{document.get('machine')}' (hash {document.get('machine_hash')}), "
            f"expected '{mechanism.name}' (hash {mechanism.hash})"
        )
    return deviations_by_name(document.get("parameters"))


def _causes(causes: tuple[Cause, ...] | Exchange, drives: Sequence[str]) -> list[dict[str, Any]]:
    if isinstance(causes, Exchange):
        return [{"name": "exchanged", "columns": [column + 1 for column in causes.column]}]
    return [
        {
            "name": cause.effect.name,
            "also": cause.effect.also(drives),
            "value": _one_or_each(cause.values),
            "std": _one_or_each(cause.stds),
            "evidence": finite_or_none(cause.evidence),
            "left": finite_or_none(cause.left),
            "explains": finite_or_none(cause.explains),
            "rivals": list(cause.rivals),
        }
        for cause in causes
    ]


def _one_or_each(values: Sequence[float]) -> Any:
    each = [finite_or_none(one) for one in values]
    return each[0] if len(each) == 1 else each


def _prediction(held: Prediction | None) -> dict[str, Any] | None:
    if held is None:
        return None
    own, file = held.total
    return {
        "rms_percent": {
            "per_drive": [finite_or_none(100 * one) for one in held.missed],
            "total": finite_or_none(100 * own),
        },
        "nominal_percent": finite_or_none(100 * file),
        "held_out": held.what,
        "predicted_by": "an estimate from the rest" if held.part else "the estimate",
    }
