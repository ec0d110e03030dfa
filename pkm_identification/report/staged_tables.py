# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The staged procedure as tables, sentences and a document."""

from __future__ import annotations

from typing import Any

import numpy as np

from pkm_identification.estimation.estimate import ParameterEstimate
from pkm_identification.estimation.identifiability import COMBINATION, IDENTIFIABLE, UNIDENTIFIABLE
from pkm_identification.identification.estimate_file import build_validation_document
from pkm_identification.identification.procedures.cross_check import CrossCheck
from pkm_identification.identification.procedures.staged import StagedResult
from pkm_identification.identification.procedures.staged_experiment import StagedIdentification
from pkm_identification.numerics.arrays import FloatArray

from .listing import (
    ABSENT,
    Listing,
    number,
    with_deviation,
)
from .sentences import NOTHING_HELD_OUT, format_held_out_sentence

IN_SUM = "in a sum"
MOST_NAMED = 6


def build_parameters_table(
    estimates: dict[str, ParameterEstimate], start: FloatArray, truth: FloatArray | None = None
) -> Listing:
    """Every parameter's value and standard deviation by each estimate that identifies it.

    Parameters
    ----------
    estimates : dict of str to ParameterEstimate
        Of one parameter set, by column.
    start : ndarray, shape (R,)
        First guess.
    truth : ndarray, shape (R,), optional
    """
    first = next(iter(estimates.values()))
    rows = []
    for i, (name, unit) in enumerate(zip(first.names, first.units, strict=True)):
        row = [name, unit, number(float(first.nominal[i])), number(float(start[i]))]
        if truth is not None:
            row.append(number(float(truth[i])))
        rows.append((*row, *(_format_cell(estimate, i) for estimate in estimates.values())))
    true = () if truth is None else ("true",)
    header = ("parameter", "unit", "nominal", "start", *true, *estimates)
    return Listing(header, tuple(rows), frozenset(header[2:]))


def build_stages_table(results: dict[str, StagedResult]) -> Listing:
    """Return what each stage did: free parameters, how many stood still at its end, residual."""
    rows = []
    for name, result in results.items():
        reported = len(result.estimate.names)
        for stage in result.stages:
            counts = (str(int(which[:reported].sum())) for which in (stage.free, stage.still))
            rows.append((name, stage.name, *counts, str(stage.passes), number(stage.residual_rms, 3)))
    header = ("trajectory", "stage", "free", "still", "passes", "residual N")
    return Listing(header, tuple(rows), frozenset(header[2:]))


def build_cross_table(cross: CrossCheck) -> Listing:
    """Error of the predicted forces in %: with another trajectory's result as it is, and after stage 3 from it."""
    rows = tuple(
        (first, *(f"{cross.predicted[i, j]:.2f} / {cross.fitted[i, j]:.2f}" for j in range(len(cross.names))))
        for i, first in enumerate(cross.names)
    )
    header = ("result of", *(f"on {name}" for name in cross.names))
    return Listing(header, rows, frozenset(header[1:]))


def build_dependence_table(cross: CrossCheck, results: dict[str, StagedResult], scale: FloatArray) -> Listing:
    """Return how far the ends on each trajectory depend on the start.

    Of parameters the trajectory identifies, the largest spread in their standard deviations; of the others, the largest
    in units of what a large error is.
    """
    rows = []
    for j, name in enumerate(cross.names):
        estimate = results[name].estimate
        identified = np.array([status == IDENTIFIABLE for status in estimate.status])
        spread = cross.spread[j]
        inside = np.where(identified, spread / np.maximum(estimate.std, 1e-300), -1.0)
        outside = np.where(identified, -1.0, spread / scale[: len(identified)])
        rows.append(
            (
                name,
                f"{identified.sum()} of {len(identified)}",
                f"{inside.max():.2g} std ({estimate.names[int(inside.argmax())]})"
                if identified.any()
                else ABSENT,
                ABSENT
                if identified.all()
                else f"{100 * outside.max():.3g} % ({estimate.names[int(outside.argmax())]})",
            )
        )
    header = ("trajectory", "identified", "largest spread, identified", "largest spread, not identifiable")
    return Listing(header, tuple(rows), frozenset())


def still_unidentified(result: StagedResult) -> list[str]:
    """Return parameters that stood still at the end of the last stage although the data do not identify them."""
    estimate = result.estimate
    still = result.stages[-1].still[: len(estimate.names)]
    return [
        name
        for name, status, rests in zip(estimate.names, estimate.status, still, strict=True)
        if rests and status == UNIDENTIFIABLE
    ]


def format_staged_sentences(staged: StagedIdentification) -> list[str]:
    """Return what must be known to read the tables."""
    lines = []
    for name, result in staged.results.items():
        names = still_unidentified(result)
        if names:
            lines.append(
                f"{name}: {', '.join(names)} stood still at the end, as if converged, although not identifiable "
                "from this motion: their values are the first guess."
            )
        lines += [f"{name}: identifies {text}." for text in _list_combinations(result.estimate)]
    lines += [f"all together: identifies {text}." for text in _list_combinations(staged.joint.estimate)]
    lines += staged.trajectories.warnings
    if staged.validation is not None:
        lines.append(f"all together: {format_held_out_sentence(staged.validation)[1]}")
    elif staged.trajectories.predict is not None:
        lines.append(NOTHING_HELD_OUT)
    return lines


def build_staged_document(staged: StagedIdentification) -> dict[str, Any]:
    """Return the procedure for JSON, SI units."""
    cross, estimate = staged.cross, staged.joint.estimate
    return {
        "schema": 1,
        "machine": staged.machine.name,
        "parameters": list(estimate.names),
        "units": list(estimate.units),
        "nominal": estimate.nominal.tolist(),
        "start": np.asarray(staged.start).tolist(),
        "held_in_2_a": staged.settings.hold,
        "most_passes": staged.settings.passes,
        "dropped": staged.trajectories.dropped,
        "trajectories": [
            {"name": name, **_build_result_document(result)} for name, result in staged.results.items()
        ],
        "cross_check": {
            "ends": cross.ends.tolist(),
            "std": cross.std.tolist(),
            "predicted_percent": cross.predicted.tolist(),
            "fitted_percent": cross.fitted.tolist(),
        },
        "joint": _build_result_document(staged.joint),
        "validation": build_validation_document(staged.validation),
    }


def _build_result_document(result: StagedResult) -> dict[str, Any]:
    width = len(result.estimate.names)
    return {
        "stages": [
            {
                "name": stage.name,
                "free": stage.free[:width].tolist(),
                "still": stage.still[:width].tolist(),
                "values": stage.values[:width].tolist(),
                "std": stage.std[:width].tolist(),
                "passes": stage.passes,
                "residual_rms": stage.residual_rms,
            }
            for stage in result.stages
        ],
        "status": list(result.estimate.status),
        "std": result.estimate.std.tolist(),
        "combinations": [
            {"name": c.name, "value": c.value, "std": c.std, "unit": c.unit}
            for c in result.estimate.combinations
        ],
    }


def _format_cell(estimate: ParameterEstimate, i: int) -> str:
    if estimate.status[i] == IDENTIFIABLE:
        return " ± ".join(with_deviation(float(estimate.values[i]), float(estimate.std[i])))
    return IN_SUM if estimate.status[i] == COMBINATION else ABSENT


def _list_combinations(estimate: ParameterEstimate) -> list[str]:
    texts = []
    for c in estimate.combinations[:MOST_NAMED]:
        value, std = with_deviation(c.value, c.std)
        texts.append(f"{c.name} = {value} ± {std} {c.unit}")
    return texts
