# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Laws of control side by side, as text and document."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .listing import Listing, paragraph

if TYPE_CHECKING:
    from pkm_identification.simulation.actuated.control_design import LawResult

SAME = 0.02  # relative: a difference below it is none
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
        *(f"{axis}: stiffness" for axis in axes),
        "margin",
        f"-3 dB with {payload}",
    )
    rows = tuple(
        (
            one.name,
            *(_show(one.bandwidth[axis], "beyond") for axis in axes),
            *(f"{one.tracking[axis]:.2g}" for axis in axes),
            f"{max(one.crosstalk.values()):.2g}",
            *(_show(one.stiffness[axis], "-") for axis in axes),
            _show(one.margin, "-"),
            _show(one.loaded_bandwidth, "beyond"),
        )
        for one in results
        if not one.why_not
    )
    notes = (
        f"{machine}: laws with a model ask for {bandwidth:.3g} Hz. Error is that of following at a quarter of this; "
        "crosstalk the largest motion of drives aside of an axis; stiffness a force that is put on along an axis over "
        "how far the machine gives way, N/m or N m/rad; margin the distance of the open loop from -1, if no motion is "
        "fed forward.",
        *(f"{one.name}: not on this machine: {one.why_not}" for one in results if one.why_not),
    )
    advice = [
        (one["text"], one["advice"], one["measure"], f"{one['without']:.3g}", f"{one['with']:.3g}",
         "holds" if one["holds"] else "does not hold")
        for one in _advise(results)
    ]  # fmt: skip
    asked = ("text", "advice", "measure", "without", "with", "here")
    return "\n".join(
        (
            str(Listing(header, rows)),
            "",
            *(paragraph(note) for note in notes),
            "",
            str(Listing(asked, tuple(advice))),
        )
    )


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


def _advise(results: Sequence[LawResult]) -> list[dict[str, Any]]:
    """Return what the texts advise, a row each: by which number, without and with it, and whether it holds here."""
    usable = {one.name: one for one in results if not one.why_not}
    plain = "position" if "position" in usable else next(iter(usable), "")

    def read_error(name: str) -> float:
        return max(usable[name].tracking.values())

    def read_change(name: str) -> float:
        """Change of the bandwidth along the first axis by the payload, %; 0 where it is beyond what is looked at."""
        one = usable[name]
        bare, loaded = next(iter(one.bandwidth.values())), one.loaded_bandwidth
        return 0.0 if bare is None or loaded is None else 100.0 * abs(loaded / bare - 1.0)

    def read_crosstalk(name: str) -> float:
        return max(usable[name].crosstalk.values())

    thesis, paper = "Machielsen 1983, 8.2", "paper on the 3PRS table"
    error, crosstalk = "error, %", "crosstalk, %"
    rows = (
        (thesis, "compensate gravity", error, plain, "gravity", read_error),
        (thesis, "compensate the variation of effective mass", "-3 dB by payload, %", plain, "scheduling", read_change),
        (thesis, "no decoupling behind stiff drives", crosstalk, "gravity", "decoupling", read_crosstalk),
        (paper, "workspace control for straight motion", crosstalk, "as tuned", "workspace", read_crosstalk),
        (paper, "computed torque for the whole mechanism", error, "as tuned", "computed torque", read_error),
    )  # fmt: skip
    found = []
    for text, advice, measure, without, by, read in rows:
        if without in usable and by in usable and without != by:
            before, after = read(without), read(by)
            better = after <= before * (1.0 + SAME)
            holds = before - after <= CROSSTALK_MATTERS if by == "decoupling" else better
            found.append(
                {
                    "text": text,
                    "advice": advice,
                    "measure": measure,
                    "without": before,
                    "with": after,
                    "holds": holds,
                }
            )
    return found


def _show(value: float | None, none: str) -> str:
    return none if value is None else f"{value:.4g}"
