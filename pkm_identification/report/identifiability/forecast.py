# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What a motion or log shows of a machine's parameters, as text for a person and as a document for programs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pkm_identification.estimation.estimate import ParameterEstimate
from pkm_identification.estimation.identifiability.status import RESOLVED
from pkm_identification.identification.excitation.advice import Advice
from pkm_identification.identification.procedures.forecast import (
    ALONE,
    NEVER,
    NOT_HERE,
    TOGETHER,
    Forecast,
    WeakDirection,
)

from ..listing import ABSENT, Listing, number

# The vocabulary of all commands, by the statuses of a forecast
STATUS_TEXT = {
    ALONE: "identifiable",
    TOGETHER: "only as a combination",
    NOT_HERE: "not from this motion",
    NEVER: "never",
}
_DIGITS = 3
_UNKNOWN = 0.98  # of what was known before
_ROUNDING = 1e-12  # of the forces: what no motion shows is as large as sums are rounded


def build_forecast_document(
    forecast: Forecast, machine: str, source: str, noise: str, advice: Sequence[Advice] = ()
) -> dict[str, Any]:
    """Return what `pkm identifiability --json` writes; `std` is null where the data show nothing."""
    estimate = forecast.estimate
    shares = forecast.contributions
    return {
        "schema": 1,
        "machine": machine,
        "source": source,
        "noise": {
            "stated": noise,
            "equations": [float(value) for value in forecast.noise],
            "unit": "N",
            "band": forecast.band or None,
            "step": forecast.step or None,
        },
        "parameters": [
            {
                "name": name,
                "unit": unit,
                "nominal": float(nominal),
                "status": status,
                "std": float(std) if status == ALONE else None,
                "size": float(size),
                "share": float(share),
            }
            for name, unit, nominal, status, std, size, share in zip(
                estimate.names,
                estimate.units,
                estimate.nominal,
                forecast.status,
                estimate.std,
                shares.size,
                shares.share,
                strict=True,
            )
        ],
        "combinations": [
            {"name": one.name, "std": float(one.std), "unit": one.unit} for one in estimate.combinations
        ],
        "weakest": [{"text": _format_direction(one, estimate), "std": one.std} for one in forecast.weakest],
        "advice": [one.text for one in advice],
        "never": list(forecast.never),
        "homogenized": {
            "groups": [group.kind.value for group in forecast.regressor.groups],
            "ranks": [group.rank for group in forecast.regressor.groups],
            "rank": forecast.regressor.rank,
            "condition": forecast.regressor.condition,
            "clear": forecast.regressor.clear,
        },
    }


def format_forecast_text(
    forecast: Forecast, machine: str, source: str, noise: str, advice: Sequence[Advice] = ()
) -> str:
    """Return a forecast for a person."""
    estimate = forecast.estimate
    rows = tuple(
        (
            name,
            STATUS_TEXT[status],
            number(nominal, _DIGITS),
            number(std, _DIGITS) if status == ALONE else ABSENT,
            unit,
            f"{100 * size:.2g}" if size > _ROUNDING else "0",
        )
        for name, status, nominal, std, unit, size in zip(
            estimate.names,
            forecast.status,
            estimate.nominal,
            estimate.std,
            estimate.units,
            forecast.contributions.size,
            strict=True,
        )
    )
    header = ("parameter", "status", "nominal", "std to expect", "unit", "% of the forces")
    table = Listing(header, rows, frozenset(("nominal", "std to expect", "% of the forces")))
    rank = forecast.regressor.rank
    lines = [
        f"{machine}, {source}, {noise}: {rank} of {len(rows)} combinations are identifiable "
        f"from {estimate.count} equations{_format_band(forecast)}; "
        f"condition without units {forecast.regressor.condition:.3g}",
        "",
        str(table),
    ]
    if estimate.combinations:
        lines += ["", "only as a combination:"]
        lines += [f"  {one.name}: std {number(one.std, _DIGITS)} {one.unit}" for one in estimate.combinations]
    lines += ["", "weakest directions, each parameter relative to its size:"]
    lines += [f"  {_count_known(one.std)}: {_format_direction(one, estimate)}" for one in forecast.weakest]
    for status, sentence in (
        (NEVER, "structurally unidentifiable"),
        (NOT_HERE, "another motion may determine it"),
    ):
        names = [name for name, own in zip(estimate.names, forecast.status, strict=True) if own == status]
        names = [name for name in names if name not in forecast.faint]
        if names:
            lines.append(f"{sentence}: {', '.join(names)}")
    if forecast.faint:
        part = f"{100 * RESOLVED:g} % of their size"
        lines.append(f"from this motion, but not to {part} with this noise: {', '.join(forecast.faint)}")
    if forecast.never:
        lines.append(f"structurally unidentifiable: {', '.join(forecast.never)}")
    if advice:
        lines += ["", "another motion, as long as this one, would improve:"]
        lines += [f"  {one.text}" for one in advice]
    return "\n".join(lines)


def _format_band(forecast: Forecast) -> str:
    return f" (to {forecast.band:g} Hz, one every {1e3 * forecast.step:g} ms)" if forecast.band else ""


def _count_known(std: float) -> str:
    return "not known at all" if std > _UNKNOWN else f"known to {100 * std:.2g} %"


def _format_direction(one: WeakDirection, estimate: ParameterEstimate) -> str:
    """Its largest terms, those of the other sign behind 'against', and the sums of them that are known instead."""
    same = [name for name, weight in zip(one.names, one.weights, strict=True) if weight > 0]
    against = [name for name, weight in zip(one.names, one.weights, strict=True) if weight < 0]
    terms = [{estimate.names[k] for k in np.flatnonzero(sum_.weights)} for sum_ in estimate.combinations]
    sums = [
        sum_.name
        for sum_, names in zip(estimate.combinations, terms, strict=True)
        if len(names & set(one.names)) > 1
    ]
    text = " with ".join(same) + (f" against {' with '.join(against)}" if against else "")
    return text + (f": identifiable is {' and '.join(sums)}" if sums else "")
