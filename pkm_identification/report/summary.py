# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""An identification as plain text: what `pkm identify` prints."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pkm_identification.identification.result import Identification

from .listing import paragraph
from .sentences import format_verdict, verdicts
from .tables import build_sums_table, dropped_table, estimate_table, label_sums, validation_table
from .total_deviations import answer_table, format_table_notes

COMPARED = "For comparison, the requested fit: it takes all other numbers of the file as exact; std is of noise alone."


def describe_estimator(result: Identification) -> str:
    """Return what made the estimate, in a few words."""
    estimator = result.settings.estimator
    if result.is_full:
        return "full model"
    if result.has_full_values:
        return f"full model of a causal run, not of estimator {estimator.name}"
    return f"estimator {estimator.name}, {estimator.model} model"


def summary(
    result: Identification,
    shown: Callable[[bool, str], str] = lambda good, text: text,
    truth: Mapping[str, float] | None = None,
) -> str:
    """Tables and sentences, for a person.

    Parameters
    ----------
    result : Identification
    shown : callable (good, sentence), optional
        What a verdict looks like where it is read.
    truth : mapping of str to float, optional
        True values by name, where they are known.
    """
    estimator = result.settings.estimator
    head = [f"{result.machine.name}: {describe_estimator(result)}, {result.samples} samples"]
    if estimator.assumptions:
        head.append(f"stated beforehand: {estimator.assumptions.described()}")
    if result.answer is not None:
        head.append(shown(result.trusted, format_verdict(result)))
    blocks = ["\n".join([*head, *result.notes])]
    estimated = label_sums(estimate_table(result.estimate, near_zero=result.near_zero), result.sums)
    if result.answer is None:
        blocks.append(str(estimated))
    else:
        if not result.has_full_values:
            blocks += [paragraph(COMPARED, ""), str(estimated)]
            blocks.append("By the full model:")
        notes = (paragraph(note, "") for note in format_table_notes(result.answer))
        table = label_sums(answer_table(result.answer, brief=True, truth=truth), result.sums)
        blocks.append("\n".join([str(table), *notes]))
    if (sums := build_sums_table(result)).rows:
        lines = (paragraph(f"{name} = {text}", "  ") for name, text in sums.rows)
        blocks.append("\n".join(["Sums, each with the name of its first term:", *lines]))
    if result.dropped:
        blocks.append(str(dropped_table(result.dropped)))
    if result.validation is not None:
        blocks.append(str(validation_table(result.validation, result.machine.drives)))
    blocks.append("\n".join(shown(good, line) for good, line in verdicts(result)))
    return "\n\n".join(blocks)
