# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Studies as a module that computes our numbers and draws figures, and a YAML file next to it of what the text prints.

The file has `name`, `source`, `title`, `notes`, `figures` (functions of the module by names of files), `tolerances` and
`findings`. A tolerance goes for all numbers of a unit in the study: a number, `N %` of the text's, or a list of such of
which the smallest goes. A finding has `source`, `ours`, `why` (texts with {names} of values, formatted as Python does),
`mark` and `at` of those of its `numbers` that have none, and `numbers`, each with

    name, unit, mark, at   what it is called, its unit, how sure its reading is, and where the text has it
    text                   the text's: a number, a row, {from, to}, {at_most} or a sentence; missing: ours alone
    printed                in its place the name of a value that is worked out from what the text prints
    ours                   name of the value that stands next to it, the number's own if missing; of a sentence,
                           cases in which it holds; null: none
    because                why it cannot be judged, where that is so
    reason                 name of a value that says why, empty where the number can be judged
    each                   rows of a table by what {each} in the other texts stands for: a row's `text`, or all
                           that is its own; a list has numbered rows, null is a row that is lost
    unless                 names of values without a choice of ours: judged only if the verdict stays with each

Between notes and findings stand, where there is more to say, the paragraphs of `text`: texts with {names}, or
{table: name}. `document` names values that go into the JSON as well.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import yaml

from pkm_identification.report.listing import paragraph

from . import number
from .finding import Finding, Outcome, build_common_document, conclusions
from .number import Number

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def run_file(module: str) -> Outcome:
    """Compute a study's values and judge them by its file."""
    return assess_study(module, import_module(module).run_study())


def assess_study(module: str, study: Any) -> Outcome:
    """Text, document and figures of a study whose `values` hold what its file names."""
    declared = read_file(module)
    values, drawn = study.values, declared.get("figures", {})
    findings = tuple(_compute_finding(one, values, declared["tolerances"]) for one in declared["findings"])
    notes = [note.format(**values) for note in declared["notes"]]
    text = (
        f"{declared['source']}: {declared['title']}",
        "\n".join(paragraph(note) for note in notes),
        *(_write_paragraph(one, values) for one in declared.get("text", ())),
        conclusions(findings),
    )
    document = build_common_document(declared["name"], declared["title"], notes, findings, list(drawn))
    document |= {name: values[name] for name in declared.get("document", ())}

    def draw() -> dict[str, Figure]:
        functions = import_module(module)
        return {name: getattr(functions, function)(study) for name, function in drawn.items()}

    return Outcome("\n\n".join(text), document, draw)


def read_file(module: str) -> dict[str, Any]:
    """Return what a study's file says; its `data` are what the text prints as input."""
    # found without loading the module
    inside = module.removeprefix(f"{__package__}.").split(".")
    file = Path(__file__).parent.joinpath(*inside).with_suffix(".yaml")
    declared: dict[str, Any] = yaml.safe_load(file.read_text(encoding="utf-8"))
    for finding in declared["findings"]:
        common = {key: finding[key] for key in ("mark", "at") if key in finding}
        finding["numbers"] = [
            {"ours": row["name"], **common, **row} for one in finding["numbers"] for row in _list_rows(one)
        ]
    return declared


def _list_rows(one: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the numbers that a declared one stands for: those of its `each`, or itself."""
    if "each" not in one:
        return [dict(one)]
    rows: dict[str, Any] = {}
    for name, entry in one["each"].items():
        numbered = isinstance(entry, list)
        rows |= {f"{name} {k}": own for k, own in enumerate(entry, 1)} if numbered else {name: entry}
    common = {key: text for key, text in one.items() if key != "each"}
    made = []
    for name, entry in rows.items():
        if entry is None:
            continue
        is_text = not isinstance(entry, Mapping) or {"from", "at_most"} & set(entry)
        named = {
            key: text.replace("{each}", name) if isinstance(text, str) else text
            for key, text in common.items()
        }
        made.append({**named, **({"text": entry} if is_text else entry)})
    return made


def _write_paragraph(declared: str | Mapping[str, str], values: Mapping[str, Any]) -> str:
    if isinstance(declared, str):
        return paragraph(declared.format(**values), "")
    return str(values[declared["table"]])


def _compute_finding(
    declared: Mapping[str, Any], values: Mapping[str, Any], tolerances: Mapping[str, Any]
) -> Finding:
    source, ours, why = (str(declared[key]).format(**values) for key in ("source", "ours", "why"))
    numbers = tuple(_number(one, values, tolerances) for one in declared["numbers"])
    return Finding(source, ours, why, numbers)


def _number(one: Mapping[str, Any], values: Mapping[str, Any], tolerances: Mapping[str, Any]) -> Number:
    name, unit, ours = one["name"], one.get("unit", ""), values[one["ours"]] if one["ours"] else None
    if "text" not in one and "printed" not in one:
        return number.beyond(name, ours, unit)
    text, mark, at = values[one["printed"]] if "printed" in one else one["text"], one["mark"], one["at"]
    because = one["because"] if "because" in one else values[one["reason"]] if "reason" in one else ""
    if because:
        entry = _compute_entry(ours)
        return number.mark_undecided(name, _compute_entry(text), entry, unit, mark, at, because=because)
    judged = _assess(name, text, ours, unit, mark, at, tolerances)
    for without in list_alternatives(one):
        other = _assess(name, text, values[without], unit, mark, at, tolerances)
        if other.verdict != judged.verdict:
            because = f"'{other.verdict}' with {number.format_number(other.ours)}, without what is our choice"
            return number.mark_undecided(
                name, judged.source, judged.ours, judged.unit, mark, at, because=because
            )
    return judged


def list_alternatives(declared: Mapping[str, Any]) -> list[str]:
    """Return the names of the values with which the verdict on a number must stay."""
    named = declared.get("unless", [])
    return [named] if isinstance(named, str) else list(named)


def _assess(
    name: str, text: Any, ours: Any, unit: str, mark: str, at: str, tolerances: Mapping[str, Any]
) -> Number:
    if isinstance(text, str):
        return number.statement(name, text, ours, mark, at)
    if isinstance(text, Mapping) and "at_most" in text:
        return number.at_most(name, text["at_most"], ours, unit, mark, at)
    if isinstance(text, Mapping):
        return number.interval(name, (text["from"], text["to"]), np.ravel(ours), unit, mark, at)
    near = _compute_tolerance(tolerances[unit], text)
    if isinstance(text, list):
        return number.series(name, text, ours, unit, mark, at, near=near)
    return number.value(name, text, float(ours), unit, mark, at, near=near)


def _compute_tolerance(declared: Any, text: Any) -> float:
    """Return how far a number may be off, of a row by its largest entry."""
    if isinstance(declared, list):
        return min(_compute_tolerance(one, text) for one in declared)
    if isinstance(declared, str):
        sizes = [abs(one) for one in np.ravel(text) if one is not None]
        return 0.01 * float(declared.removesuffix("%")) * max(sizes)
    return float(declared)


def _compute_entry(value: Any) -> number.Entry:
    if isinstance(value, Mapping):
        return (value["from"], value["to"]) if "from" in value else float(value["at_most"])
    if isinstance(value, (list, np.ndarray)):
        return [None if one is None else float(one) for one in value]
    return value if isinstance(value, (str, tuple, number.Count)) or value is None else float(value)
