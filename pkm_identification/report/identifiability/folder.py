# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What can be known of a machine, as a folder of tables and figures."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from pkm_identification.estimation.identifiability.directions import Growth
from pkm_identification.identification.excitation.shown import Shown
from pkm_identification.identification.procedures.forecast import ALONE, Forecast
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.records.mechanism_csv import write_named_csv

from ..figures.directions import draw_deviations_figure, draw_directions_figure, draw_growth_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def write_tables(folder: Path, forecast: Forecast, shown: Shown) -> None:
    """Parameters, singular directions and growth as CSV files.

    `parameters.csv` has a line for each parameter, `std` empty of numbers (`nan`) where it is not shown alone;
    `directions.csv` one for each singular direction with the share of every parameter; `growth_with_time.csv` and
    `growth_with_amplitude.csv` one for each step.

    Raises
    ------
    LogError
        If a file cannot be written.
    """
    estimate = forecast.estimate
    write_named_csv(
        folder / "parameters.csv",
        {
            "parameter": np.asarray(estimate.names),
            "unit": np.asarray(estimate.units),
            "nominal": estimate.nominal,
            "std": _compute_expected_deviations(forecast),
            "size": forecast.contributions.size,
            "share": forecast.contributions.share,
        },
        status=forecast.status,
    )
    directions = shown.directions
    columns = {
        "direction": np.arange(1.0, len(directions.values) + 1),
        "singular_value": directions.values,
        "relative": directions.relative,
    }
    columns |= dict(zip(estimate.names, directions.shares, strict=True))
    write_named_csv(folder / "directions.csv", columns)
    _write_growth(folder / "growth_with_time.csv", shown.by_time)
    if shown.by_amplitude is not None:
        _write_growth(folder / "growth_with_amplitude.csv", shown.by_amplitude)


def figures(
    forecast: Forecast, shown: Shown, title: str, scale: FloatArray, saved: Mapping[str, float] | None = None
) -> dict[str, Figure]:
    """Return the figures by name: `directions`, `growth`, `deviations`.

    Parameters
    ----------
    forecast : Forecast
    shown : Shown
    title : str
    scale : ndarray, shape (P,)
        Sizes of the parameters.
    saved : mapping of str to float, optional
        Standard deviations that an estimate states, by name.
    """
    names = forecast.estimate.names
    std = None
    if saved is not None:
        std = np.array([saved.get(name, np.nan) for name in names])
    return {
        "directions": draw_directions_figure(shown.directions, names, title),
        "growth": draw_growth_figure(shown.by_time, shown.by_amplitude, shown.directions.rank, title),
        "deviations": draw_deviations_figure(
            names, scale, _compute_expected_deviations(forecast), std, title
        ),
    }


def _compute_expected_deviations(forecast: Forecast) -> FloatArray:
    """Return standard deviations of what is shown alone, (P,)."""
    alone = [status == ALONE for status in forecast.status]
    return np.where(alone, forecast.estimate.std, np.nan)


def _write_growth(path: Path, growth: Growth) -> None:
    write_named_csv(path, {"step": growth.steps, "relative": growth.relative})
