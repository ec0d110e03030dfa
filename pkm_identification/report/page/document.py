# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""One HTML page that holds everything, around four questions; nothing is loaded from elsewhere."""

from __future__ import annotations

import math
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from pkm_identification.estimation.identifiability import COMBINATION, UNIDENTIFIABLE
from pkm_identification.estimation.identifiability.correlation import correlation
from pkm_identification.identification.diagnosis.findings import Diagnosis
from pkm_identification.identification.procedures.forecast import weakest
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.version import __version__

from ..diagnosis import fit_lines, format_unseen_lines, sentence
from ..earlier import GENERATOR
from ..glossary import build_glossary_table
from ..listing import Listing, number
from ..sentences import format_verdict_lines, format_warning_lines, verdicts
from ..summary import COMPARED
from ..tables import (
    build_sums_table,
    describe_machine,
    dropped_table,
    format_combination_labels,
    machine_table,
    settings_table,
    validation_table,
)
from ..total_deviations import answer_sentences, format_help_sentences, format_table_notes
from .answer_rows import ANSWER_KEY, answer_rows
from .figure import figure
from .frame import build_frame_page
from .material import Material
from .motion import motion, motion_scripts
from .next_steps import next_steps
from .parameter_rows import key, parameter_rows
from .travel_rows import format_travel_sentence, share_cell, travel_rows
from .verdict_box import verdict_box

if TYPE_CHECKING:
    from pkm_identification.identification.result import Identification
    from pkm_identification.identification.validation import Validation

MOST_PAIRS = 8
WEAK = 0.1  # of a parameter's own size, standard deviation from which on a direction is named
_NOTHING = "Nothing was found."
SECTIONS = (
    ("good", "Is it good?"),
    ("unknown", "What is not known?"),
    ("wrong", "What is wrong?"),
    ("next", "What next?"),
    ("origin", "Where it comes from"),
)


def html_page(material: Material) -> str:
    """Return the report as a page."""
    machine = material.result.machine
    title = f"Identified dynamics of {machine.name}"
    makers = (_build_good, _build_unknown, _build_wrong, _build_next, _build_origin)
    parts = [
        f"<h1>{escape(title)}</h1>",
        f'<p class="lead">{escape(described)}</p>' if (described := describe_machine(machine)) else "",
        verdict_box(material.result),
        _build_contents(),
    ]
    for (name, heading), maker in zip(SECTIONS, makers, strict=True):
        inner = "\n".join(part for part in maker(material) if part)
        parts.append(f'<section id="{name}"><h2>{heading}</h2>\n{inner}</section>')
    parts.append(f"<footer>{GENERATOR} {escape(__version__)}</footer>")
    scripts = motion_scripts(material)
    if material.script is not None:
        own = files(__package__).joinpath("report.js").read_text(encoding="utf-8")
        scripts += (
            f'<script type="text/plain" id="plotly">{material.script}</script>\n<script>\n{own}</script>\n'
        )
    body = "\n".join(part for part in parts if part)
    return build_frame_page(title, body, scripts)


def _build_contents() -> str:
    items = "".join(f'<li><a href="#{name}">{text}</a></li>' for name, text in SECTIONS)
    return f'<nav aria-label="Contents"><ol>{items}</ol></nav>'


def _build_good(material: Material) -> list[str]:
    result, truth = material.result, material.truth
    parts = [
        _build_verdicts(verdicts(result)),
        "<h3>Parameters</h3>",
        *_answer(result, truth),
        *_fit_of_few(result, truth),
        *_build_sums(result),
    ]
    if result.validation is not None:
        held = result.validation
        unfiltered = " and unfiltered" if math.isfinite(held.rms_percent_raw_total) else ""
        parts += [
            "<h3>Prediction of forces that were not used</h3>",
            _compare_with_nominal(held, result.machine.drives[0].part),
            validation_table(held, result.machine.drives).html(),
            f"<p>{escape(held.held_out)}, predicted by {escape(held.predicted_by)}. Error is the root mean square "
            f"of measured minus predicted force over that of the measured force, in the band{unfiltered}.</p>",
            figure(material, "forces"),
        ]
    if "convergence" in material.images:
        parts += ["<h3>Convergence</h3>", figure(material, "convergence")]
    return parts


def _answer(result: Identification, truth: FloatArray | None) -> list[str]:
    """Return the values of the full model, each with its deviation split into the data's and the file's part."""
    if result.answer is None:
        return []
    names = result.estimate.names
    known = {} if truth is None or not result.is_full else dict(zip(names, truth.tolist(), strict=True))
    return [
        answer_rows(result.answer, known),
        ANSWER_KEY,
        "<p>Values are in SI units; std is one standard deviation of the estimate, with what the file may have "
        "wrong.</p>",
        *[f"<p>{escape(note)}</p>" for note in format_table_notes(result.answer)],
    ]


def _fit_of_few(result: Identification, truth: FloatArray | None) -> list[str]:
    """Return the parameters of a fit that the full model does not make; none where it made the estimate."""
    if result.is_full:
        return []
    return [
        "" if result.answer is None else f"<h3>The fit that was asked for</h3><p>{escape(COMPARED)}</p>",
        parameter_rows(result.estimate, truth, result.near_zero, compared=result.answer is not None),
        key(truth is not None),
        "<p>Values are in SI units; std is one standard deviation of the estimate. Each row is drawn on a scale of "
        "its own. A value that is not identifiable is left out: it would be the nominal one again.</p>",
    ]


def _build_sums(result: Identification) -> list[str]:
    sums = build_sums_table(result)
    return ["<h3>What names stand for</h3>", sums.html()] if sums.rows else []


def _compare_with_nominal(held: Validation, part: str) -> str:
    """Return the error in all drives, and that of the machine file's values, as bars."""
    parts = (("identified", held.rms_percent_total), ("machine file", held.nominal_percent))
    largest = max((value for _, value in parts if math.isfinite(value)), default=0.0)
    if not largest > 0.0:
        return ""
    rows = "".join(
        f'<tr><td>{name}</td><td class="n">{number(value, 3)} %</td>{share_cell(0.0, value / largest, "")}</tr>'
        for name, value in parts
        if math.isfinite(value)
    )
    return (
        '<div class="scroll" tabindex="0" role="region" aria-label="prediction, beside each other">'
        '<table class="beside"><thead><tr><th>values</th><th class="n">error, all '
        f"{part}s</th><th>beside each other</th>"
        f"</tr></thead><tbody>{rows}</tbody></table></div>"
    )


def _build_unknown(material: Material) -> list[str]:
    result, estimate = material.result, material.result.estimate
    hidden = {
        kind: [name for name, status in zip(estimate.names, estimate.status, strict=True) if status == kind]
        for kind in (COMBINATION, UNIDENTIFIABLE)
    }
    lines = []
    if hidden[COMBINATION]:
        sums = "; ".join(format_combination_labels(estimate))
        lines.append(f"Only in combinations: {', '.join(hidden[COMBINATION])}. Known of them: {sums}.")
    if hidden[UNIDENTIFIABLE]:
        lines.append(f"Not shown by this motion at all: {', '.join(hidden[UNIDENTIFIABLE])}.")
    if result.is_full and result.answer is not None:
        lines = [text for _, text in answer_sentences(result.answer)]
        lines += format_help_sentences(result.answer)
    elif not lines:
        lines.append("Every parameter of the set is shown by itself.")
    lines += [f"Not distinguishable from 0: {name}." for name in result.near_zero]
    lines += _find_weakest_sum(material)
    if result.fit is not None:
        lines += format_unseen_lines(result.fit)
    strongest = correlation(estimate)
    pairs = [f"{one} and {other} ({value:+.2f})" for one, other, value in strongest.strong[:MOST_PAIRS]]
    parts = [
        _list(lines),
        "<h3>Correlation</h3>" if "correlation" in material.images else "",
        f"<p>Strongly correlated: {escape('; '.join(pairs))}.</p>" if pairs else "",
        figure(material, "correlation"),
    ]
    if material.review is not None:
        parts += [
            "<h3>Excitation</h3>",
            f"<p>{escape(format_travel_sentence(material.review.travel))} What was used of the limits:</p>",
            travel_rows(material.review.travel, result.machine.drives),
            "<p>Lengths and rates are filtered, forces are as they were measured.</p>",
            motion(material),
        ]
    return parts


def _find_weakest_sum(material: Material) -> list[str]:
    """The sum of parameters that is known worst, where that is bad."""
    result = material.result
    parameters = result.parameters
    if parameters.names != result.estimate.names:
        return []
    (first, *_) = weakest(result.estimate, parameters.scale)
    if first.std < WEAK:
        return []
    terms = " ".join(f"{weight:+.2f} {name}" for name, weight in zip(first.names, first.weights, strict=True))
    return [
        f"Known worst: {terms} (each over its own size), with a standard deviation of {100 * first.std:.0f} %."
    ]


def _build_wrong(material: Material) -> list[str]:
    result = material.result
    parts = []
    lines = format_warning_lines(result)
    if result.fit is None:
        parts.append("<p>This estimate was not compared with its logs.</p>")
    else:
        judged = (
            fit_lines(result.fit)
            if result.answer is None
            else [text for _, text in format_verdict_lines(result)]
        )
        lines = [*judged, *lines]
    bad = [text for good, text in verdicts(result) if not good and text not in lines]
    parts += [_list([*lines, *bad]) if lines or bad else f"<p>{_NOTHING}</p>"]
    if result.answer is None and result.fit is not None and result.fit.causes:
        parts.append(_build_causes(result.fit))
    if "misfit" in material.images:
        parts += ["<h3>Residual</h3>", figure(material, "misfit")]
    if "residual" in material.images:
        parts += ["<h3>Residual of the prediction</h3>", figure(material, "residual")]
    if "friction" in material.images:
        parts += ["<h3>Friction</h3>", figure(material, "friction")]
    if result.dropped:
        parts += ["<h3>What was not used</h3>", dropped_table(result.dropped).html()]
    return parts


def _build_causes(fit: Diagnosis) -> str:
    if fit.unexplained:
        rows: tuple[tuple[str, ...], ...] = tuple((sentence(one, fit),) for one in fit.causes)
        return Listing(("nearest known causes",), rows).html()
    rows = tuple((sentence(one), one.cure, f"{100 * one.explains:.0f} %") for one in fit.causes)
    return Listing(("what", "cure", "explains"), rows, frozenset({"explains"})).html()


def _build_next(material: Material) -> list[str]:
    steps = "".join(f"<li>{escape(step)}</li>" for step in next_steps(material))
    parts = [f"<ol>{steps}</ol>"]
    if material.review is not None and material.review.next_motions:
        parts += [
            "<h3>Motions that would show more</h3>",
            _list([f"{one.text}." for one in material.review.next_motions]),
            "<p>As much time of it as the logs have, of all single sines within the machine's limits. "
            "<code>pkm excite</code> plans a whole motion; <code>pkm identifiability</code> judges one before it is "
            "recorded.</p>",
        ]
    return parts


def _build_origin(material: Material) -> list[str]:
    result = material.result
    return [
        f'<div class="pair">{machine_table(result.machine).html()}{settings_table(result).html()}</div>',
        figure(material, "machine"),
        "<h3>Provenance</h3>",
        _build_provenance(material.origin),
        "<h3>Names</h3>",
        build_glossary_table(result.parameters.entries).html(),
        "<p>All names: docs/glossary.md.</p>",
    ]


def _build_provenance(origin: dict[str, Any] | None) -> str:
    if origin is None:
        return "<p>Not recorded: made from Python, from logs in memory.</p>"
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
    return Listing(("what", "value"), tuple(rows)).html()


def _build_verdicts(lines: list[tuple[bool, str]]) -> str:
    items = "".join(f"<li{'' if good else ' class=bad'}>{escape(text)}</li>" for good, text in lines)
    return f'<ul class="verdicts">{items}</ul>'


def _list(lines: list[str]) -> str:
    return "<ul>" + "".join(f"<li>{escape(line)}</li>" for line in lines) + "</ul>"
