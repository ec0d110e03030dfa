# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""One HTML page that holds everything, around four questions; nothing is loaded from elsewhere."""

from __future__ import annotations

import base64
import math
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from pkm_identification.browser.inline import inline_data
from pkm_identification.estimation.identifiability import COMBINATION, UNIDENTIFIABLE
from pkm_identification.estimation.identifiability.correlation import correlation
from pkm_identification.identification.procedures.forecast import weakest
from pkm_identification.identification.review.review import Review
from pkm_identification.version import __version__

from ..diagnosis import build_unseen_table
from ..earlier import GENERATOR
from ..glossary import build_glossary_table
from ..listing import Listing, number
from ..markup import Cell, build_table, draw, render
from ..sentences import find_faults, verdicts
from ..summary import COMPARED
from ..tables import (
    build_sums_table,
    build_thresholds_table,
    describe_machine,
    dropped_table,
    format_combination_labels,
    machine_table,
    settings_table,
    validation_table,
)
from ..total_deviations import answer_sentences, format_table_notes, listed
from .answer_rows import answer_rows
from .material import Material, order_values
from .motion import count_poses, motion_scripts
from .next_steps import next_steps
from .parameter_rows import HEIGHT, parameter_rows
from .travel_rows import format_travel_sentence, share_cell, travel_rows
from .verdict_box import SIGNS, checks, overall

if TYPE_CHECKING:
    from pkm_identification.identification.result import Identification
    from pkm_identification.identification.validation import Validation
    from pkm_identification.machines.contract import Machine

MOST_PAIRS = 8
WEAK = 0.1  # of a parameter's own size, standard deviation from which on a direction is named
SECTIONS = {
    "good": "Is it good?",
    "unknown": "What is not known?",
    "wrong": "What is wrong?",
    "next": "What next?",
    "origin": "Where it comes from",
}
CAPTIONS = {
    "machine": "The machine in its home pose, from its description; struts of a hexapod are numbered.",
    "correlation": "Correlation of the errors of parameters that the logs determine. Near 1 or −1, they determine a "
    "sum or a difference of the two far better than either.",
    "convergence": "Each identified parameter over time, with its band of two standard deviations. The transient at "
    "the start runs out of the range.",
    "misfit": "Measured minus modelled forces below the cutoff, in units of the noise floor. Noise alone stays between "
    "−2 and 2 for 95 % of the time, and has a root mean square of 1.",
    "forces": "Measured and predicted forces of motion that was not used for the estimate, of the whole log; both "
    "passed the same low-pass.",
    "residual": "Error of that prediction over time, and its spectrum. A flat spectrum far below that of the force is "
    "noise; peaks are motion the model does not explain.",
    "friction": "Friction over the drives' rates. Points: measured force minus the identified rigid-body part, in bins "
    "of the rate, with one standard deviation. Line: the identified friction.",
}


def html_page(material: Material) -> str:
    """Return the report as a page."""
    result, machine = material.result, material.result.machine
    box = checks(result)
    state, verdict = overall(box, result)
    held = result.validation
    context: dict[str, Any] = {
        "title": f"Identified dynamics of {machine.name}",
        "lead": describe_machine(machine),
        "generator": GENERATOR,
        "version": __version__,
        "sections": SECTIONS,
        "captions": CAPTIONS,
        "signs": SIGNS,
        "state": state,
        "sentence": verdict,
        "checks": box,
        "images": {name: base64.b64encode(image).decode("ascii") for name, image in material.images.items()},
        "drawn": _embed_interactive(material),
        "script": Markup(material.script or ""),
        "motion_scripts": motion_scripts(material),
        "verdicts": verdicts(result),
        "sums": _build_if_rows(build_sums_table(result)),
        "held": None if held is None else _describe_held_out(held, machine),
        "compared": COMPARED,
        "unknown": list_unknown(material),
        "unseen": "" if result.fit is None else _build_if_rows(build_unseen_table(result.fit)),
        "pairs": _list_pairs(result),
        "travel": None if material.review is None else _describe_travel(material.review, machine),
        "last_pose": count_poses(material) - 1 if count_poses(material) else 0,
        "wrong": find_faults(result),
        "dropped": dropped_table(result.dropped).html() if result.dropped else "",
        "steps": next_steps(material),
        "motions": [f"{one.text}." for one in material.review.next_motions] if material.review else [],
        "machine_table": machine_table(machine).html(),
        "settings_table": settings_table(result).html(),
        "provenance": _list_provenance(material.origin),
        "thresholds": build_thresholds_table().html(),
        "glossary": build_glossary_table(result.parameters.entries).html(),
        **_describe_parameters(material),
    }
    return str(render("report.html", **context))


def _embed_interactive(material: Material) -> dict[str, Markup]:
    """Return the data of the figures that plotly draws, by name; none without plotly."""
    if material.script is None:
        return {}
    return {
        name: Markup(inline_data(f"figure-{name}", document))
        for name, document in material.interactive.items()
    }


def _build_if_rows(table: Listing) -> str:
    return table.html() if table.rows else ""


def _describe_parameters(material: Material) -> dict[str, Any]:
    """Return the tables of the full model and, where another estimator was asked for, of its fit."""
    result = material.result
    tables: dict[str, Any] = {
        "answer_table": "",
        "answer_key": "",
        "notes": [],
        "few_table": "",
        "few_key": "",
    }
    if result.answer is not None:
        tables["answer_table"] = answer_rows(result.answer, material.truth, result.sums)
        tables["answer_key"] = draw("split_key")
        tables["notes"] = format_table_notes(result.answer)
    if not result.has_full_values:
        compared, truth = result.answer is not None, order_values(material.truth, result.estimate)
        tables["few_table"] = parameter_rows(
            result.estimate, truth, result.near_zero, sums=result.sums, compared=compared
        )
        tables["few_key"] = draw("estimate_key", HEIGHT, truth is not None)
    return tables


def _describe_held_out(held: Validation, machine: Machine) -> dict[str, Any]:
    """Return what is said of forces that were predicted."""
    unfiltered = " and unfiltered" if math.isfinite(held.rms_percent_raw_total) else ""
    return {
        "compared": _compare_with_nominal(held, machine.drives[0].part),
        "table": validation_table(held, machine.drives).html(),
        "sentence": f"Held out: {held.held_out}, predicted by {held.predicted_by}. Error is the root mean square of "
        f"measured minus predicted force over that of the measured force, below the cutoff{unfiltered}.",
    }


def _compare_with_nominal(held: Validation, part: str) -> str:
    """Return the error in all drives, and that of the machine file's values, as bars."""
    parts = (("identified", held.rms_percent_total), ("machine file", held.nominal_percent))
    largest = max((value for _, value in parts if math.isfinite(value)), default=0.0)
    if not largest > 0.0:
        return ""
    rows = [
        [Cell(name), Cell(f"{number(value, 3)} %", "n"), share_cell(0.0, value / largest, "")]
        for name, value in parts
        if math.isfinite(value)
    ]
    heads = [Cell("values"), Cell(f"error, all {part}s", "n"), Cell("compared")]
    return build_table("errors of the prediction, compared", heads, rows)


def list_unknown(material: Material) -> list[str]:
    """Return what the logs do not determine, a sentence each."""
    result, estimate = material.result, material.result.estimate
    lines = []
    if result.has_full_values and result.answer is not None:
        lines = [text for _, text in answer_sentences(result.answer)]
    else:
        hidden = {
            kind: [
                name for name, status in zip(estimate.names, estimate.status, strict=True) if status == kind
            ]
            for kind in (COMBINATION, UNIDENTIFIABLE)
        }
        if hidden[COMBINATION]:
            sums = "; ".join(format_combination_labels(estimate))
            lines.append(f"Only in combinations: {', '.join(hidden[COMBINATION])}. Known of them: {sums}.")
        if hidden[UNIDENTIFIABLE]:
            lines.append(f"Not from this motion: {', '.join(hidden[UNIDENTIFIABLE])}.")
        lines = lines or ["Every parameter of the set is identifiable by itself."]
    lines += [f"Not distinguishable from 0: {listed(list(result.near_zero))}."] if result.near_zero else []
    return lines + _find_weakest_sum(result)


def _find_weakest_sum(result: Identification) -> list[str]:
    """Return the sum of parameters that is known worst, where that is bad."""
    parameters = result.parameters
    if parameters.names != result.estimate.names:
        return []
    (first, *_) = weakest(result.estimate, parameters.scale)
    if first.std < WEAK:
        return []
    terms = " ".join(f"{weight:+.2f} {name}" for name, weight in zip(first.names, first.weights, strict=True))
    return [
        f"Known worst: {terms} (each relative to its size), with a standard deviation of {100 * first.std:.0f} %."
    ]


def _list_pairs(result: Identification) -> str:
    """Return the most strongly correlated parameters in a sentence."""
    strongest = correlation(result.estimate).strong[:MOST_PAIRS]
    return "; ".join(f"{one} and {other} ({value:+.2f})" for one, other, value in strongest)


def _describe_travel(review: Review, machine: Machine) -> dict[str, Any]:
    return {
        "sentence": format_travel_sentence(review.travel),
        "table": travel_rows(review.travel, machine.drives),
    }


def _list_provenance(origin: dict[str, Any] | None) -> str:
    if origin is None:
        return ""
    rows = [
        ("date", str(origin["date"])),
        ("version", str(origin["version"])),
        ("command", str(origin["command"])),
        *(
            (f"{words} {log['path']}", f"SHA-256 {log['sha256']}")
            for kind, words in (("logs", "log"), ("validation", "validated with"), ("free_fall", "free fall"))
            for log in origin.get(kind, ())
        ),
    ]
    return Listing(("item", "value"), tuple(rows)).html()
