# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Laws of control beside each other, as text and document."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .listing import Listing
from .paragraphs import paragraph

if TYPE_CHECKING:
    from pkm_identification.simulation.actuated.control_design import LawResult

CROSSTALK_MATTERS = 1.0  # %, of another axis, from which on decoupling is called worth it


def design_text(
    machine: str, results: Sequence[LawResult], axes: Sequence[str], bandwidth: float, payload: str
) -> str:
    """Return a table of the laws and what follows from it."""
    header = (
        "law",
        *(f"{axis}: -3 dB, Hz" for axis in axes),
        *(f"{axis}: error, %" for axis in axes),
        "crosstalk, %",
        "stiffness",
        "margin",
        f"-3 dB with {payload}",
    )
    rows = tuple(
        (
            one.name,
            *(_show(one.bandwidth[axis], "beyond") for axis in axes),
            *(f"{one.tracking[axis]:.2g}" for axis in axes),
            f"{max(one.crosstalk.values()):.2g}",
            _show(one.stiffness, "-"),
            _show(one.margin, "-"),
            _show(one.loaded_bandwidth, "beyond"),
        )
        for one in results
        if not one.why_not
    )
    notes = (
        f"{machine}: laws with a model ask for {bandwidth:.3g} Hz. Error is that of following at a quarter of this; "
        "crosstalk the largest motion of drives aside of an axis; stiffness a load that is put on over how far drives "
        "give way, N/m or N m/rad; margin the distance of the open loop from -1, of laws that feed no motion forward.",
        *(f"{one.name}: not on this machine: {one.why_not}" for one in results if one.why_not),
        *_advise(results),
    )
    return "\n".join((str(Listing(header, rows)), "", *(paragraph(note) for note in notes)))


def design_document(
    machine: str, results: Sequence[LawResult], axes: Sequence[str], bandwidth: float, payload: str
) -> dict[str, Any]:
    """Return the same for JSON; frequencies in Hz, errors and crosstalk in %."""
    return {
        "machine": machine,
        "axes": list(axes),
        "bandwidth": bandwidth,
        "payload": payload,
        "laws": [
            {
                "name": one.name,
                "bandwidth": one.bandwidth,
                "tracking": one.tracking,
                "crosstalk": one.crosstalk,
                "stiffness": one.stiffness,
                "margin": one.margin,
                "loaded_bandwidth": one.loaded_bandwidth,
                "why_not": one.why_not or None,
            }
            for one in results
        ],
        "advice": _advise(results),
    }


def _advise(results: Sequence[LawResult]) -> list[str]:
    """Return what the texts advise, beside what was found on this machine."""
    error = {one.name: max(one.tracking.values()) for one in results if not one.why_not}
    crosstalk = {one.name: max(one.crosstalk.values()) for one in results if not one.why_not}
    if not error:
        return []
    best, first = min(error, key=error.__getitem__), next(iter(error))
    advice = [
        f"'{best}' follows best, with an error of {error[best]:.2g} %; '{first}' has {error[first]:.2g} %."
    ]
    plain = "position" if "position" in error else first
    for name, words in (("gravity", "gravity"), ("scheduling", "the variation of effective mass")):
        if name in error:
            advice.append(
                f"Machielsen (1983) recommends to compensate {words}: the error is {error[name]:.3g} % with it and "
                f"{error[plain]:.3g} % without, near home."
            )
    if "decoupling" in error:
        before, after = crosstalk["gravity"], crosstalk["decoupling"]
        verdict = "is worth it here" if before - after > CROSSTALK_MATTERS else "is not needed here"
        advice.append(
            f"He finds decoupling unnecessary behind stiff drives: it {verdict}, crosstalk is {before:.2g} % without "
            f"and {after:.2g} % with it."
        )
    return advice


def _show(value: float | None, none: str) -> str:
    return none if value is None else f"{value:.4g}"
