# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The friction test of the struts as a table, sentences and a document."""

from __future__ import annotations

from typing import Any

import numpy as np

from pkm_identification.identification.procedures.friction_test import FrictionTest
from pkm_identification.identification.procedures.strut_friction import Quantity
from pkm_identification.machines.contract import Drive

from .listing import ABSENT, Listing, with_deviation
from .listing import number as number_text
from .sentences import NOTHING_HELD_OUT

RATES = {"m": (1e3, "mm/s"), "rad": (1.0, "rad/s")}  # how rates are shown, by a drive's unit
SIGNIFICANT = 3.0  # standard deviations


def friction_table(test: FrictionTest) -> Listing:
    """One drive a row, in N s/m, N and mm/s or N m s/rad, N m and rad/s; '-' where the data do not tell."""
    part = test.machine.drives[0].part
    header = (part, "viscous", "std", "Coulomb", "std", "forward", "backward", "asymmetry", "std", "bend",
              "static", "Stribeck", "residual", "passes")  # fmt: skip
    rows = []
    for number, strut in test.struts.items():
        transition, drive = test.transitions[number], test.machine.drives[number - 1]
        rows.append(
            (
                drive.label,
                *with_deviation(strut.viscous.value, strut.viscous.std),
                *with_deviation(strut.coulomb.value, strut.coulomb.std),
                with_deviation(strut.forward.value, strut.forward.std)[0],
                with_deviation(strut.backward.value, strut.backward.std)[0],
                *with_deviation(strut.asymmetry.value, strut.asymmetry.std),
                _rate(transition.transition_rate, drive),
                ABSENT if transition.static_ratio is None else f"{transition.static_ratio.value:.2f}",
                _rate(transition.stribeck_rate, drive),
                f"{strut.residual_rms:.2f}",
                str(strut.passes),
            )
        )
    return Listing(header, tuple(rows), frozenset(header[1:]))


def format_friction_sentences(test: FrictionTest) -> list[str]:
    """Return what must be known to read the table."""
    settings, drives = test.settings, test.machine.drives
    kinds = {drive.unit: drive.force_unit for drive in drives}
    viscous, force, rate = (
        " or ".join(texts)
        for texts in (
            [f"{force} s/{unit}" for unit, force in kinds.items()],
            list(kinds.values()),
            [RATES[unit][1] for unit in kinds],
        )
    )
    slowest = dict.fromkeys(
        f"{RATES[drive.unit][0] * least:g} {RATES[drive.unit][1]}"
        for drive, least in zip(drives, test.least_rate, strict=True)
    )
    lines = [
        f"viscous in {viscous}, Coulomb force, its values forward and backward, half their difference and residual in "
        f"{force}; transition and Stribeck rate in {rate}; static: breakaway by Coulomb force.",
        f"Samples faster than {' or '.join(slowest)}; rigid-body parameters of the file taken as right "
        f"within {100 * settings.tolerance:g} %; low-pass {settings.cutoff:g} Hz.",
    ]
    part = drives[0].part
    uneven = [
        f"{drives[n - 1].label} ({s.asymmetry.value:+.3g} {drives[n - 1].force_unit})"
        for n, s in test.struts.items()
        if abs(s.asymmetry.value) > SIGNIFICANT * s.asymmetry.std
    ]
    lines.append(
        f"Forward and backward differ by more than the load explains: {part} {', '.join(uneven)}."
        if uneven
        else f"No {part}'s friction differs between forward and backward by more than the load may explain."
    )
    none = [
        drives[n - 1].label
        for n, s in test.struts.items()
        if s.coulomb.value < SIGNIFICANT * s.coulomb.std and s.viscous.value < SIGNIFICANT * s.viscous.std
    ]
    if none:
        lines.append(f"No friction is measurable in {part} {', '.join(none)}.")
    lines += [
        f"{_begin(drives[number - 1].title)} is not tested: {reason}."
        for number, reason in test.untested.items()
    ]
    lines += list(test.warnings)
    held = test.prediction
    lines.append(
        NOTHING_HELD_OUT
        if held is None
        else f"Held out: friction forces of the {held.held_out} are predicted by the other tests to "
        f"{number_text(held.total, 3)} % rms ({part} "
        f"{', '.join(f'{drives[n - 1].label}: {p:.2g} %' for n, p in held.percent.items())})."
    )
    return lines


def build_friction_document(test: FrictionTest) -> dict[str, Any]:
    """Return the test for JSON, SI units; null where the data do not identify a quantity."""
    held = {} if test.prediction is None else test.prediction.percent
    each = [held.get(n) for n in range(1, len(test.machine.drives) + 1)]
    return {
        "schema": 1,
        "machine": test.machine.name,
        "settings": {
            "least_rate": test.settings.least_rate,
            "tolerance": test.settings.tolerance,
            "cutoff": test.settings.cutoff,
        },
        "samples": test.samples,
        "dropped": test.dropped,
        "struts": [
            {
                "strut": number,
                "drive": test.machine.drives[number - 1].name,
                "unit": test.machine.drives[number - 1].unit,
                **{
                    name: _format_quantity(getattr(strut, name))
                    for name in ("viscous", "coulomb", "forward", "backward", "asymmetry")
                },
                **{
                    name: _format_quantity(getattr(test.transitions[number], name))
                    for name in ("transition_rate", "static_ratio", "stribeck_rate")
                },
                "residual_rms": strut.residual_rms,
                "samples": strut.samples,
                "passes": strut.passes,
                "curve": {
                    name: np.asarray(getattr(strut.curve, name)).tolist()
                    for name in ("rate", "force", "error", "count")
                },
            }
            for number, strut in test.struts.items()
        ],
        "validation": None
        if test.prediction is None
        else {
            "rms_percent": {
                "per_drive": each,
                "per_strut": each,
                "total": test.prediction.total,
            },
            "held_out": test.prediction.held_out,
            "predicted_by": "a test of the rest",
        },
        "untested": [{"strut": number, "reason": reason} for number, reason in test.untested.items()],
    }


def _begin(text: str) -> str:
    return text[0].upper() + text[1:] if " " in text else text


def _rate(quantity: Quantity | None, drive: Drive) -> str:
    return ABSENT if quantity is None else f"{RATES[drive.unit][0] * quantity.value:.2f}"


def _format_quantity(quantity: Quantity | None) -> dict[str, float] | None:
    return None if quantity is None else {"value": quantity.value, "std": quantity.std}
