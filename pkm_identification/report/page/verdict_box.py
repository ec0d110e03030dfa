# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The first thing a reader sees: is it good? One answer, and what it rests on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pkm_identification.document import format_key
from pkm_identification.estimation.identifiability import COMBINATION, IDENTIFIABLE, IN_DOUBT
from pkm_identification.estimation.posterior.answer import Answer
from pkm_identification.estimation.posterior.status import IDENTIFIED
from pkm_identification.estimation.posterior.verdict import CONTRADICTS, FITS
from pkm_identification.estimation.statuses import is_known
from pkm_identification.identification.physical_verdict import verdict

from ..listing import number
from ..sentences import format_held_out_sentence, format_verdict
from ..total_deviations import answer_sentences

if TYPE_CHECKING:
    from pkm_identification.identification.result import Identification

GOOD, BAD, UNKNOWN = "good", "bad", "unknown"
SIGNS = {GOOD: "✓", BAD: "✗", UNKNOWN: "?"}


@dataclass(frozen=True)
class Check:
    """One question that the verdict rests on: `state` is GOOD, BAD or UNKNOWN."""

    question: str
    state: str
    answer: str
    detail: str


def checks(result: Identification) -> list[Check]:
    """Fit against noise, settled, held-out next to the machine file's values, physical, identified."""
    if result.answer is not None:
        return [
            *_answer(result.answer),
            _assess_settled(result),
            _assess_held_out(result),
            _known(result.answer),
        ]
    return [
        _fit(result),
        _assess_settled(result),
        _assess_held_out(result),
        physical(result),
        _assess_identified(result),
    ]


def _answer(answer: Answer) -> list[Check]:
    """Return how the model does against noise and force, and whether the data agree with the file."""
    verdict = answer.verdict
    ratio = (
        "no noise floor is known"
        if np.isnan(verdict.floor_ratio)
        else (f"Residual {number(verdict.floor_ratio, 3)} × noise floor")
    )
    fits = GOOD if verdict.grade in (FITS, CONTRADICTS) else UNKNOWN if verdict.good else BAD
    words = {GOOD: "yes", UNKNOWN: "usable", BAD: "no"}[fits]
    detail = (
        f"{ratio}, {number(100 * verdict.residual_share, 2)} % of the force; error in held-out motion "
        f"{number(verdict.held_out_ratio, 3)} × the expected one; halves of the log differ by "
        f"{number(verdict.halves, 2)} standard deviations"
    )
    agrees = not verdict.contradicted
    keys = ", ".join(f"{format_key(one.key)} ({abs(one.deviations):.2g})" for one in verdict.conflicts)
    return [
        Check("Does the model fit?", fits, words, detail),
        Check(
            "Do the data agree with the file?",
            GOOD if agrees else UNKNOWN if verdict.good else BAD,
            "yes" if agrees else "no",
            f"Largest, in standard deviations: {keys}" if keys else "No number of the file is assessed.",
        ),
    ]


def _known(answer: Answer) -> Check:
    known = all(is_known(one.status) for one in answer.values)
    found = sum(one.status == IDENTIFIED for one in answer.values)
    ((_, sentence),) = answer_sentences(answer)
    text = f"{found} of {len(answer.values)} values identified"
    return Check("What is known?", GOOD if known else UNKNOWN, text, sentence)


def overall(checks: list[Check], result: Identification) -> tuple[str, str]:
    """State and sentence for all of it."""
    if not result.converged:
        return BAD, format_verdict(result)
    if result.answer is not None and not result.contradiction:
        verdict = result.answer.verdict
        return GOOD if verdict.grade == FITS else UNKNOWN if verdict.good else BAD, verdict.sentence
    if result.fit is not None and not result.fit.adequate:
        return BAD, "Do not use affected values: the model does not explain the measured forces."
    if result.contradiction:
        return BAD, "Do not use these values: no rigid body has them."
    if any(check.state == BAD for check in checks):
        return BAD, "Use with care: not everything that was checked is good."
    if any(check.state == UNKNOWN for check in checks):
        return UNKNOWN, "Nothing speaks against these values, but not everything could be checked."
    return GOOD, "These values can be used."


def _fit(result: Identification) -> Check:
    question, fit = "Does the model fit?", result.fit
    if fit is None:
        return Check(question, UNKNOWN, "not assessed", "This estimate was not compared with a noise floor.")
    detail = f"Residual {number(fit.ratio, 3)} × noise floor of {number(fit.floor_percent, 2)} % of the force"
    return Check(question, GOOD if fit.adequate else BAD, "yes" if fit.adequate else "no", detail)


def _assess_settled(result: Identification) -> Check:
    question = "Converged?"
    if result.converged:
        return Check(question, GOOD, "yes", f"{result.estimate.count} equations, {result.samples} samples")
    return Check(question, BAD, "no", result.nonconvergence or "The estimator did not converge.")


def _assess_held_out(result: Identification) -> Check:
    question, validation = "Does it predict other motion?", result.validation
    if validation is None:
        return Check(question, UNKNOWN, "not checked", "No forces were held out (--validate LOG).")
    good, _ = format_held_out_sentence(validation, result.fit)
    if result.answer is not None:  # which asks unseen motion with all effects
        good = result.answer.verdict.good
    detail = (
        f"Error {number(validation.rms_percent_total, 3)} % of the force; the machine file's values: "
        f"{number(validation.nominal_percent, 3)} %"
    )
    return Check(question, GOOD if good else BAD, "yes" if good else "no", detail)


def physical(result: Identification) -> Check:
    """Return whether masses and inertias are those of rigid bodies."""
    question = "Physically consistent?"
    line = verdict(
        result.machine,
        result.parameters,
        result.estimate,
        result.settings.estimator.consistent,
        result.fit is None or result.fit.adequate,
    )
    if line is None:
        return Check(
            question,
            UNKNOWN,
            "not assessed",
            "A part of a body is fixed or tied, or base parameters are sums of several bodies'.",
        )
    good, sentence = line
    if result.contradiction:
        good, sentence = False, f"{result.contradiction}."
    return Check(question, GOOD if good else BAD, "yes" if good else "no", sentence)


def _assess_identified(result: Identification) -> Check:
    status = result.estimate.status
    count, total = status.count(IDENTIFIABLE), len(status)
    question, answer = "What is known?", f"{count} of {total} parameters"
    parts = [
        f"{status.count(kind)} {text}"
        for kind, text in ((IN_DOUBT, "affected by the misfit"), (COMBINATION, "only in a combination"))
        if kind in status
    ]
    rest = total - count - status.count(IN_DOUBT) - status.count(COMBINATION)
    parts += [f"{rest} not determined by this motion"] if rest else []
    state = GOOD if count == total else BAD if IN_DOUBT in status else UNKNOWN
    return Check(question, state, answer, "; ".join(parts) or "each by itself")
