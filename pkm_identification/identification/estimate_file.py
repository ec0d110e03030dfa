# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""estimate.json: an identification for programs."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pkm_identification.numerics.finite import finite_or_none
from pkm_identification.parameters.parameter import Kind
from pkm_identification.parameters.reduced import ENDING
from pkm_identification.records.atomic import write_text

from .answer_file import answer_document

if TYPE_CHECKING:
    from pkm_identification.estimation.estimate import ParameterEstimate

    from .diagnosis.findings import Cause, Diagnosis
    from .result import Identification
    from .validation import Validation

SCHEMA = 1
EFFECT = "effect"  # kind of a parameter that is estimated besides
_NUMBERS = re.compile(r"\[[-+.,\deE\s]+\]")


def estimate_document(result: Identification, origin: dict[str, Any] | None = None) -> dict[str, Any]:
    """Return the content of estimate.json; numbers that are not finite are None.

    The value of a parameter that the data do not show alone is None: a prior is no estimate. The combinations they
    do show follow the parameters, named by their terms; their status is 'combination', or 'in_doubt' where the model
    does not fit, and `weights` are the terms' factors. `contradiction` says how far the values are from any body where
    that is beyond chance, '' else. `state` is what an estimation
    needs to go on from here (see `saved_estimate`): means and covariance of all parameters, shown or not, in SI units;
    None if not finite. `state_sha256` tells a damaged one.
    `drives` are the names of the forces, in the order of what stands `per_drive`; `base` names the entries that each
    base parameter is a sum of, with their factors; empty of sets whose names say it.
    `parameter_set` is the set's name, `stated` in words what was fixed, tied or stated of it; '' if nothing was.
    Where effects were estimated as well, `also` names them, and their parameters have the `kind` EFFECT.
    `near_zero` names friction and effects that are not distinguishable from zero; `warnings` are sentences on what is
    odd about the logs and on what they cannot show. `tolerance_changes`, where the machine file has tolerances, are
    rows of what each quantity that is off by its tolerance does to the parameters of `state`. `answer`, where total
    deviations were asked for, has values with their deviations and what they rest on, and the verdict.
    `origin` is its provenance.
    """
    estimate = result.estimate
    effects = _list_effects(result)
    entries = [
        entry | ({"kind": EFFECT} if entry["name"] in effects else {})
        for entry in build_parameter_entries(estimate)
    ]
    entries += [
        entry
        | {
            "weights": {
                name: finite_or_none(weight)
                for name, weight in zip(estimate.names, combination.weights, strict=True)
                if weight
            },
        }
        for entry, combination in zip(build_combination_entries(estimate), estimate.combinations, strict=True)
    ]
    state = _write_state(estimate)
    besides: dict[str, Any] = {"also": list(result.also)} if result.also else {}
    if result.answer is not None:
        besides["answer"] = answer_document(result.answer)
    if result.tolerance_changes is not None and np.isfinite(result.tolerance_changes).all():
        besides["tolerance_changes"] = result.tolerance_changes.tolist()
    return {
        "schema": SCHEMA,
        "machine": result.machine.name,
        "estimator": estimate.estimator,
        "model": estimate.model,
        "consistent": result.settings.estimator.consistent,
        "converged": bool(result.converged),
        "samples": int(result.samples),
        "equations": int(estimate.count),
        "dropped": {reason: int(count) for reason, count in result.dropped.items()},
        "parameters": entries,
        "validation": build_validation_document(result.validation),
        "fit": None if result.fit is None else fit_document(result.fit),
        "provenance": origin,
        "machine_hash": result.machine.hash,
        "state": state,
        "parameter_set": _name_set(result),
        "stated": result.settings.estimator.assumptions.described(),
        "near_zero": list(result.near_zero),
        "drives": [drive.force_name for drive in result.machine.drives],
        "base": {name: dict(terms) for name, terms in result.sums.items()},
        "warnings": list(result.warnings),
        "contradiction": result.contradiction,
        **besides,
        "state_sha256": compute_state_checksum(state),
    }


def _name_set(result: Identification) -> str:
    """Return the name of the set as `Settings` takes it; of a reduced set that is its file."""
    asked = result.settings.estimator.parameters
    return asked if asked.endswith(ENDING) else result.parameters.name


def _list_effects(result: Identification) -> tuple[str, ...]:
    """Return names of parameters that are estimated in addition to those of the set."""
    estimator = result.settings.estimator
    effects = {entry.name for entry in result.parameters.entries if entry.kind is Kind.EFFECT}
    if estimator.also:  # some are of the friction law, or free what the set holds
        plain = replace(estimator, also=()).parameter_set(result.machine).names
        effects |= set(result.estimate.names) - set(plain)
    return tuple(name for name in result.estimate.names if name in effects)


def build_parameter_entries(estimate: ParameterEstimate) -> list[dict[str, Any]]:
    """Return parameters one by one; the value of one that the data do not show alone is None."""
    return [
        {
            "name": name,
            "value": finite_or_none(estimate.shown(name)),
            "std": finite_or_none(std),
            "unit": unit,
            "status": status,
            "nominal": finite_or_none(nominal),
        }
        for name, std, unit, status, nominal in zip(
            estimate.names, estimate.std, estimate.units, estimate.status, estimate.nominal, strict=True
        )
    ]


def build_combination_entries(estimate: ParameterEstimate) -> list[dict[str, Any]]:
    """Return what the data do show of the others, in the same form."""
    return [
        {
            "name": one.name,
            "value": finite_or_none(one.value),
            "std": finite_or_none(one.std),
            "unit": one.unit,
            "status": one.status,
            "nominal": finite_or_none(one.nominal),
        }
        for one in estimate.combinations
    ]


def fit_document(diagnosis: Diagnosis) -> dict[str, Any]:
    """Return whether the model fits: residual over noise floor, and what is wrong where it does not.

    `ratio` and `per_drive` are residuals in the band over the noise floor, `noise_std` that floor in N or N m. `causes`
    are of a misfit, the likeliest first; `unseen` would have been found above that size.
    """
    each = [finite_or_none(value) for value in diagnosis.per_strut]
    return {
        "adequate": bool(diagnosis.adequate),
        "ratio": finite_or_none(diagnosis.ratio),
        "per_drive": each,
        "per_strut": each,
        "noise_floor_percent": finite_or_none(diagnosis.floor_percent),
        "noise_std": [finite_or_none(value) for value in diagnosis.floor.std],
        "noise_basis": diagnosis.floor.basis,
        "causes": [_write_cause(cause) for cause in diagnosis.causes],
        "unseen": [
            {"name": one.name, "above": finite_or_none(one.size), "unit": one.unit}
            for one in diagnosis.unseen
        ],
    }


def _write_cause(cause: Cause) -> dict[str, Any]:
    return {
        "name": cause.name,
        "value": finite_or_none(cause.value),
        "std": finite_or_none(cause.std),
        "unit": cause.unit,
        "explains": finite_or_none(cause.explains),
        "cure": cause.correction,
        "detail": cause.detail,
    }


def build_validation_document(validation: Validation | None) -> dict[str, Any] | None:
    """A prediction of forces that were not used, in %; None when there is none."""
    if validation is None:
        return None
    return {
        "rms_percent": _read_drive_values(validation.rms_percent, validation.rms_percent_total),
        "rms_percent_raw": _read_drive_values(validation.rms_percent_raw, validation.rms_percent_raw_total),
        "without_friction_percent": finite_or_none(validation.without_friction_percent),
        "nominal_percent": finite_or_none(validation.nominal_percent),
        "parameters_percent": finite_or_none(validation.parameters_percent),
        "repeats_after_s": finite_or_none(validation.repeats_after),
        "held_out": validation.held_out,
        "predicted_by": validation.predicted_by,
    }


def write_estimate_json(
    path: str | Path, result: Identification, origin: dict[str, Any] | None = None, machine_id: str = ""
) -> None:
    """Write estimate.json, complete or not at all; raises OutputError if it cannot be written.

    `machine_id`, where there are several machines of one description, says which one's it is.
    """
    document = estimate_document(result, origin) | ({"machine_id": machine_id} if machine_id else {})
    text = json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False)
    # a list of numbers is one line
    text = _NUMBERS.sub(lambda match: " ".join(match[0].split()), text)
    write_text(path, text + "\n")


def compute_state_checksum(state: Any) -> str:
    """SHA-256 of a state, however a file is laid out: a damaged number may look like any other."""
    return hashlib.sha256(json.dumps(state, sort_keys=True).encode()).hexdigest()


def _write_state(estimate: ParameterEstimate) -> dict[str, Any] | None:
    if not (np.isfinite(estimate.values).all() and np.isfinite(estimate.covariance).all()):
        return None
    return {
        "names": list(estimate.names),
        "mean": estimate.values.tolist(),
        "covariance": estimate.covariance.tolist(),
        "count": int(estimate.count),
        "time": finite_or_none(estimate.time),
    }


def _read_drive_values(values: np.ndarray, total: float) -> dict[str, Any]:
    """Return values of the drives; `per_strut` is what versions before 0.2 called them."""
    each = [finite_or_none(value) for value in values]
    return {"per_drive": each, "per_strut": each, "total": finite_or_none(total)}
