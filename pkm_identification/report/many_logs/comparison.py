# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Compared estimates: a table, what changed in words, and the same for programs."""

from __future__ import annotations

from pathlib import PurePath
from typing import Any

from pkm_identification.identification.many_logs.saved_comparison import SavedComparison
from pkm_identification.identification.result import NEAR
from pkm_identification.numerics.finite import finite_or_none

from ..listing import ABSENT, Listing, number, relative, with_deviation

LONGEST_NAME, LONGEST_LABEL = 28, 12
SMALLEST_SHOWN = 1e-9  # probability


def format_comparison_text(result: SavedComparison) -> str:
    """Return what `pkm compare` prints."""
    names = _label_files(result)
    parts = [str(build_comparison_table(result))]
    keys = [f"{label}: {file.path}" for label, file in zip(names, result.files, strict=True)]
    parts.append("\n".join(keys))
    comparison = result.comparison
    count = len(result.names)
    changes = " ".join(_say_what_changed(result))
    parts.append(
        f"{changes} Of {count} tested at once, one or more would be called changed by chance in "
        f"{100 * result.level:g} % of such comparisons (Holm)."
    )
    freedom = count * (len(result.files) - 1)
    parts.append(
        f"All together: chi squared {number(comparison.all_chi_squared, 4)} for {freedom} degrees of freedom, "
        f"p {_format_probability(comparison.all_p, equals='= ')}."
    )
    if result.left_out:
        parts.append(
            "Not compared:\n" + "\n".join(f"  {name}: {why}" for name, why in result.left_out.items())
        )
    parts += [f"Note: {one}." for one in result.remarks]
    return "\n\n".join(parts)


def _say_what_changed(result: SavedComparison) -> list[str]:
    """Return what has changed, a sentence each, and what is different but may be so by a misfit."""
    changed = [name for name, one in zip(result.names, result.changed, strict=True) if one]
    beyond = result.comparison.adjusted < result.level
    doubted = [
        name
        for name, one, in_doubt in zip(result.names, beyond, result.doubtful, strict=True)
        if one and in_doubt
    ]
    said = [f"Changed beyond chance: {', '.join(changed)}."] if changed else []
    if doubted:
        said.append(
            f"Different beyond chance, by a change or by what makes a model not fit: {', '.join(doubted)}."
        )
    return said or ["Nothing has changed beyond chance."]


def build_comparison_table(result: SavedComparison) -> Listing:
    """Return values of every file; for two, the difference with its deviation, else chi squared of all."""
    comparison, two = result.comparison, len(result.files) == 2
    labels = _label_files(result)
    columns = ["change", "std", "%", "z"] if two else ["largest z", "chi squared"]
    header = ("parameter", "unit", *labels, *columns, "p (Holm)", "verdict")
    rows = []
    for c, (name, unit) in enumerate(zip(result.names, result.units, strict=True)):
        values = [
            with_deviation(float(value), float(std))[0]
            for value, std in zip(comparison.values[:, c], comparison.std[:, c], strict=True)
        ]
        if two:
            change, std = float(comparison.differences[0, c]), float(comparison.difference_std[0, c])
            first = float(comparison.values[0, c])
            # of a value that may be 0, a share says nothing
            clear = abs(first) > NEAR * float(comparison.std[0, c])
            part = relative(float(comparison.values[1, c]), first) if clear else None
            cells = [
                *with_deviation(change, std),
                ABSENT if part is None else f"{part:+.1f}",
                f"{comparison.z[0, c]:+.1f}",
            ]
        else:
            most = max(comparison.z[:, c], key=abs)
            cells = [f"{most:+.1f}", number(float(comparison.chi_squared[c]), 3)]
        short = name if len(name) <= LONGEST_NAME else name[: LONGEST_NAME - 3] + "..."
        rows.append(
            (
                short,
                unit,
                *values,
                *cells,
                _format_probability(float(comparison.adjusted[c])),
                _format_verdict(result, c),
            )
        )
    return Listing(header, tuple(rows), frozenset(header) - {"parameter", "unit", "verdict"})


def build_comparison_document(result: SavedComparison) -> dict[str, Any]:
    """Return the comparison for programs; differences are to the first file."""
    comparison = result.comparison
    return {
        "files": [
            {
                "path": file.path,
                "machine": file.saved.machine,
                "machine_hash": file.saved.machine_hash,
                "parameter_set": file.saved.parameter_set,
                "converged": file.saved.converged,
            }
            for file in result.files
        ],
        "level": result.level,
        "chi_squared": finite_or_none(comparison.all_chi_squared),
        "p": finite_or_none(comparison.all_p),
        "parameters": [
            {
                "name": name,
                "unit": result.units[c],
                "values": [finite_or_none(value) for value in comparison.values[:, c]],
                "std": [finite_or_none(value) for value in comparison.std[:, c]],
                "differences": [finite_or_none(value) for value in comparison.differences[:, c]],
                "difference_std": [finite_or_none(value) for value in comparison.difference_std[:, c]],
                "z": [finite_or_none(value) for value in comparison.z[:, c]],
                "p": finite_or_none(comparison.p[c]),
                "p_adjusted": finite_or_none(comparison.adjusted[c]),
                "in_doubt": result.doubtful[c],
                "changed": result.changed[c],
            }
            for c, name in enumerate(result.names)
        ],
        "left_out": result.left_out,
        "remarks": list(result.remarks),
    }


def _format_probability(p: float, equals: str = "") -> str:
    return f"{equals}{number(p, 2)}" if p > SMALLEST_SHOWN else f"< {SMALLEST_SHOWN:g}"


def _format_verdict(result: SavedComparison, c: int) -> str:
    if result.doubtful[c]:
        return "affected by a misfit"
    return "changed" if result.changed[c] else "as before"


def _label_files(result: SavedComparison) -> list[str]:
    """Return a short name for each file: its own where these differ, else a number."""
    paths = [PurePath(file.path) for file in result.files]
    # files of reports are all called estimate.json, in folders with names of their own
    for names in ([path.stem for path in paths], [path.parent.name for path in paths]):
        if len(set(names)) == len(names) and all(0 < len(name) <= LONGEST_LABEL for name in names):
            return names
    return [f"file {k + 1}" for k in range(len(names))]
