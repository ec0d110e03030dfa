# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What to do next, the most urgent first."""

from __future__ import annotations

from pkm_identification.estimation.identifiability import IDENTIFIABLE, IN_DOUBT
from pkm_identification.identification.result import Identification

from ..total_deviations import format_help_sentences
from .material import Material
from .verdict_box import BAD, physical

MOST_CAUSES = 3


def next_steps(material: Material) -> list[str]:
    """Steps in words; at least one."""
    result = material.result
    steps = []
    if not result.converged:
        steps.append(
            "Record a longer or livelier motion, and identify again: this estimate has not converged."
        )
    if result.answer is not None:
        steps += _steps_of_answer(result)
    else:
        steps += _steps_of_fit(material)
    validation = result.validation
    if validation is None or validation.part:
        steps.append("Check it on another motion: pkm identify ... --validate OTHER_LOG.")
    if result.trusted:
        steps.append(
            "Use it: pkm export --machine M --estimate estimate.json --out identified.yaml (or .xml, .sdf, .urdf)."
        )
    return steps


def _steps_of_answer(result: Identification) -> list[str]:
    answer = result.answer
    assert answer is not None
    causes = result.fit.causes if result.fit is not None else ()
    steps = [f"{cause.correction}." for cause in causes[:MOST_CAUSES] if cause.correction]
    if not answer.verdict.good:
        steps.append(answer.verdict.sentence)
    return [*steps, *format_help_sentences(answer)]


def _steps_of_fit(material: Material) -> list[str]:
    result, steps = material.result, list[str]()
    if result.fit is not None and not result.fit.adequate:
        corrections = [
            f"{cause.correction}." for cause in result.fit.causes[:MOST_CAUSES] if cause.correction
        ]
        steps += corrections
        if not corrections:
            steps.append(
                "No known cause explains the misfit: look for an effect that the model lacks (docs/diagnosis.md)."
            )
    if result.contradiction:
        steps.append("Check the log and the machine file: no rigid body has the estimated values.")
    elif physical(result).state == BAD and (result.fit is None or result.fit.adequate):
        steps.append("Identify again with --consistent, which allows only values that a rigid body can have.")
    hidden = [status for status in result.estimate.status if status not in (IDENTIFIABLE, IN_DOUBT)]
    if hidden:
        # there is no list where effects are estimated besides
        motions = material.review is not None and material.review.next_motions
        ask = (
            "Record one of the motions below"
            if motions
            else "Ask pkm identifiability which motion would determine them"
        )
        steps.append(
            f"{len(hidden)} parameters are not identifiable by themselves. {ask}, "
            "or state what is known of them (--fix, --tie, --prior)."
        )
    return steps
