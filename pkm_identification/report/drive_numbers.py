# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What a log shows of the drives themselves, as a table and as a document."""

from __future__ import annotations

from typing import Any

from pkm_identification.identification.drives.fit import DriveFit
from pkm_identification.identification.drives.loaded_modes import NAMES, LoadedModes
from pkm_identification.identification.drives.thresholds import MAX_RESIDUAL_RATIO
from pkm_identification.machines.contract import Machine

from .listing import Listing, number, percent, relative, with_deviation

MODES_UNITS = ("m/N", "m/(N s)", "N s/m")
HEADER = ("number", "value", "+-", "forecast", "unit", "file", "off", "status")


def drive_text(fit: DriveFit, machine: Machine) -> str:
    """Return the verdict, the table of numbers and what a reader should know."""
    words = {"combination": "only as a combination with ", "identified": "identified"}
    rows = []
    for one in fit.estimates:
        value, deviation = with_deviation(one.value, one.deviation)
        status = words.get(one.status, one.status) + (one.partner if one.status == "combination" else "")
        if not fit.fits:
            status = "affected by the misfit"
        file = one.number.quantity.value
        rows.append(
            (
                one.number.name, value, deviation, number(one.forecast, 2), one.number.quantity.unit, number(file),
                percent(relative(one.value, file)), status,
            )
        )  # fmt: skip
    counted = sum(one.status == "identified" for one in fit.estimates)
    times = f"the residual is {fit.ratio:.2f} times the noise"
    verdict = (
        f"{machine.name}: the drives fit, {times}; {counted} of {len(rows)} numbers are identified."
        if fit.fits
        else f"{machine.name}: the drives do not fit: {times}, and {MAX_RESIDUAL_RATIO:g} times is the most that is "
        "allowed. Use none of the values; check load, loops and units first."
    )
    felt = ", ".join(f"{mass:.4g}" for mass in fit.mass)
    lines = [verdict, "", str(Listing(HEADER, tuple(rows), frozenset(HEADER[1:4]))), ""]
    lines.append(f"Mass that the drives feel, taken from the file for right: {felt} (kg or kg m^2).")
    return "\n".join([*lines, *(f"Note: {note}." for note in fit.notes)])


def drive_document(fit: DriveFit, machine: Machine) -> dict[str, Any]:
    """Return the same for programs; deviations are one standard deviation."""
    return {
        "machine": machine.name,
        "fits": fit.fits,
        "residual_over_noise": fit.ratio,
        "iterations": fit.iterations,
        "mass": fit.mass.tolist(),
        "noise": fit.noise.tolist(),
        "numbers": [
            {
                "name": one.number.name,
                "unit": one.number.quantity.unit,
                "value": one.value,
                "deviation": one.deviation,
                "forecast": one.forecast,
                "file": one.number.quantity.value,
                "status": one.status if fit.fits else "affected_by_misfit",
                "partner": one.partner,
            }
            for one in fit.estimates
        ],
        "correlation": fit.correlation.tolist(),
        "notes": list(fit.notes),
    }


def modes_text(modes: LoadedModes, count: int) -> str:
    """Return what modes under several loads show of a hydraulic drive."""
    rows = []
    for k, name in enumerate(NAMES):
        value, deviation = with_deviation(float(modes.values[k]), float(modes.deviations[k]))
        rows.append((name, value, deviation, number(float(modes.forecast[k]), 2), MODES_UNITS[k]))
    header = ("number", "value", "+-", "at 1 % scatter", "unit")
    return "\n".join(
        [
            f"{count} modes: frequencies and damping ratios scatter by {100 * modes.scatter:.2g} % about the model; "
            "the deviations follow from that.",
            "",
            str(Listing(header, tuple(rows), frozenset(header[1:4]))),
            "",
            f"Leakage and friction are correlated by {modes.correlation[1, 2]:.2f}: both damp; different loads "
            "separate them.",
        ]
    )


def modes_document(modes: LoadedModes) -> dict[str, Any]:
    """Return the same for programs."""
    return {
        "numbers": [
            {"name": name, "unit": unit, "value": float(value), "deviation": float(deviation)}
            for name, unit, value, deviation in zip(
                NAMES, MODES_UNITS, modes.values, modes.deviations, strict=True
            )
        ],
        "correlation": modes.correlation.tolist(),
        "scatter": modes.scatter,
    }
