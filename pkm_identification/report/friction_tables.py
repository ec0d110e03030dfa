# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""The friction test of the struts as a table, sentences and a document."""

from __future__ import annotations

from typing import Any

import numpy as np

from pkm_identification.identification.procedures.friction_test import FrictionTest
from pkm_identification.identification.procedures.strut_friction import Quantity
from pkm_identification.motion import STRUTS

from .listing import ABSENT, Listing, with_deviation
from .listing import number as number_text
from .sentences import NOTHING_HELD_OUT

SIGNIFICANT = 3.0  # standard deviations


def friction_table(test: FrictionTest) -> Listing:
    """One strut a row, in N s/m, N and mm/s; '-' where the data do not identify how friction bends near standstill."""
    header = ("strut", "viscous", "std", "Coulomb", "std", "forward", "backward", "asymmetry", "std",
              "bend", "static", "Stribeck", "residual", "passes")  # fmt: skip
    rows = []
    for number, strut in test.struts.items():
        bend = test.bends[number]
        rows.append(
            (
                str(number),
                *with_deviation(strut.viscous.value, strut.viscous.std),
                *with_deviation(strut.coulomb.value, strut.coulomb.std),
                with_deviation(strut.forward.value, strut.forward.std)[0],
                with_deviation(strut.backward.value, strut.backward.std)[0],
                *with_deviation(strut.asymmetry.value, strut.asymmetry.std),
                _rate(bend.transition_rate),
                ABSENT if bend.static_ratio is None else f"{bend.static_ratio.value:.2f}",
                _rate(bend.stribeck_rate),
                f"{strut.residual_rms:.2f}",
                str(strut.passes),
            )
        )
    return Listing(header, tuple(rows), frozenset(header[1:]))


def friction_sentences(test: FrictionTest) -> list[str]:
    """What must be known to read the table."""
    settings = test.settings
    lines = [
        "viscous in N s/m, Coulomb force, its values forward and backward, half their difference and residual in N; "
        "transition (bend) and Stribeck rate in mm/s; static: breakaway by Coulomb force.",
        f"Samples faster than {1e3 * least_rate(test):g} mm/s; rigid-body parameters of the file taken as right "
        f"within {100 * settings.tolerance:g} %; low-pass {settings.cutoff:g} Hz.",
    ]
    uneven = [
        f"{n} ({s.asymmetry.value:+.3g} N)"
        for n, s in test.struts.items()
        if abs(s.asymmetry.value) > SIGNIFICANT * s.asymmetry.std
    ]
    lines.append(
        f"Forward and backward differ by more than the load explains: strut {', '.join(uneven)}."
        if uneven
        else "No strut's friction differs between forward and backward by more than the load may explain."
    )
    none = [
        str(n)
        for n, s in test.struts.items()
        if s.coulomb.value < SIGNIFICANT * s.coulomb.std and s.viscous.value < SIGNIFICANT * s.viscous.std
    ]
    if none:
        lines.append(f"No friction is measurable in strut {', '.join(none)}.")
    lines += [f"Strut {number} is not tested: {reason}." for number, reason in test.untested.items()]
    lines += list(test.warnings)
    held = test.prediction
    lines.append(
        NOTHING_HELD_OUT
        if held is None
        else f"Held out: friction forces of the {held.held_out} are predicted by a test of the rest to "
        f"{number_text(held.total, 3)} % rms (strut {', '.join(f'{n}: {p:.2g} %' for n, p in held.percent.items())})."
    )
    return lines


def least_rate(test: FrictionTest) -> float:
    """m/s, up to which samples were left out: the settings' own or the one the friction law gave."""
    rate = test.settings.least_rate
    assert rate is not None  # a test's settings are complete
    return rate


def friction_document(test: FrictionTest) -> dict[str, Any]:
    """The test for JSON, SI units; null where the data do not identify a quantity."""
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
                **{
                    name: _quantity(getattr(strut, name))
                    for name in ("viscous", "coulomb", "forward", "backward", "asymmetry")
                },
                **{
                    name: _quantity(getattr(test.bends[number], name))
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
                "per_strut": [test.prediction.percent.get(n) for n in range(1, STRUTS + 1)],
                "total": test.prediction.total,
            },
            "held_out": test.prediction.held_out,
            "predicted_by": "a test of the rest",
        },
        "untested": [{"strut": number, "reason": reason} for number, reason in test.untested.items()],
    }


def _rate(quantity: Quantity | None) -> str:
    return ABSENT if quantity is None else f"{1e3 * quantity.value:.2f}"


def _quantity(quantity: Quantity | None) -> dict[str, float] | None:
    return None if quantity is None else {"value": quantity.value, "std": quantity.std}
