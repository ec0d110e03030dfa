"""An identification as plain text: what `pkm identify` prints."""

from __future__ import annotations

from collections.abc import Callable

from pkm_identification.identification.result import Identification

from .sentences import verdicts
from .tables import dropped_table, estimate_table, validation_table


def summary(result: Identification, shown: Callable[[bool, str], str] = lambda good, text: text) -> str:
    """Tables and sentences, for a person.

    Parameters
    ----------
    result : Identification
    shown : callable (good, sentence), optional
        What a verdict looks like where it is read.
    """
    estimator = result.settings.estimator
    head = [f"{result.machine.name}: {estimator.name}, {estimator.model} model, {result.samples} samples"]
    if estimator.assumptions:
        head.append(f"stated beforehand: {estimator.assumptions.described()}")
    blocks = [
        "\n".join([*head, *result.beside]),
        str(estimate_table(result.estimate, near_zero=result.near_zero)),
    ]
    if result.dropped:
        blocks.append(str(dropped_table(result.dropped)))
    if result.validation is not None:
        blocks.append(str(validation_table(result.validation)))
    blocks.append("\n".join(shown(good, line) for good, line in verdicts(result)))
    return "\n\n".join(blocks)
