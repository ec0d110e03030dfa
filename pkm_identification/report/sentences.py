# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The result of an identification in sentences."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from pkm_identification.estimation.identifiability import IDENTIFIABLE, IN_DOUBT
from pkm_identification.estimation.posterior.thresholds import MAX_FLOOR_RATIO
from pkm_identification.identification.center_of_mass import find_center_position
from pkm_identification.identification.physical_verdict import verdict

from .diagnosis import format_cause_lines, sentence
from .listing import number, with_deviation
from .tables import format_combination_labels
from .total_deviations import answer_sentences, format_effects_sentences, listed

if TYPE_CHECKING:
    from pkm_identification.estimation.estimate import ParameterEstimate
    from pkm_identification.identification.diagnosis.findings import Diagnosis
    from pkm_identification.identification.result import Identification
    from pkm_identification.identification.validation import Validation

MOST_COMBINATIONS = 3  # in a sentence
WEAK = ": the estimate does not hold for that motion."
REPEATED = " It is the motion of {} s before: check another motion with --validate OTHER_LOG."
NOTHING_HELD_OUT = "Nothing was held out and predicted: the logs are too short for it."
LOG_NAMED = re.compile(r"\S*[./:]")  # how a sentence on one of the logs begins
PREDICTED = 2.0  # error of a held-out prediction over the noise floor, up to which the model holds there

USE_FULL_MODEL = "Leave out --estimator to get values of the full model. "
# times the error of a prediction: a force that is mostly friction flatters it
FLATTERED = 2.0
# times the error of a prediction: what the parameters alone predict is then worth saying
CLEARLY_WORSE = 1.2


def format_warning_lines(result: Identification) -> list[str]:
    """Warnings with a capital, but for names of logs, which stay as they are."""
    return [text if LOG_NAMED.match(text) else f"{text[0].upper()}{text[1:]}" for text in result.warnings]


def verdicts(result: Identification) -> list[tuple[bool, str]]:
    """Return the result in a few sentences, each with whether it is good news."""
    estimate, answer = result.estimate, result.answer
    lines = []
    if answer is None:  # a verdict takes it for granted, or says it
        lines.append(format_converged_sentence(result.converged, result.nonconvergence))
    lines += [format_identified_sentence(estimate)] if answer is None else answer_sentences(answer)
    lines += _format_combinations(estimate)
    # beside the full model, a fit of few parameters has deviations of noise alone
    center = find_center_position(estimate) if answer is None or result.is_full else None
    if center is not None:
        places = (with_deviation(1e3 * value, 1e3 * std) for value, std in zip(*center))
        each = ", ".join(f"{axis} = {value} ± {std}" for axis, (value, std) in zip("xyz", places))
        lines.append((True, f"The platform's centre of mass, from its first moments and mass: {each} mm."))
    close = list(result.near_zero)
    if close:
        lines.append((True, f"Not distinguishable from 0: {listed(close)}."))
    consistency = None
    if answer is None:  # whose masses are positive, and whose verdict asks the rest
        consistency = verdict(
            result.machine, result.parameters, estimate, result.settings.estimator.consistent, result.fits
        )
    if consistency is not None:
        lines.append(consistency)
    if result.validation is not None:
        unseen = float("nan") if answer is None else answer.verdict.unseen_share
        good, text = format_held_out_sentence(
            result.validation, result.fit, result.settings.band.cutoff, unseen
        )
        # the verdict has judged unseen motion, with all effects
        lines.append((good, text) if answer is None else (answer.verdict.good, text.replace(WEAK, ".")))
    elif result.settings.hold_out:
        lines.append((False, NOTHING_HELD_OUT))
    lines += [(False, line) for line in format_warning_lines(result)]
    if result.contradiction:
        lines.append((False, f"Do not use affected values: {result.contradiction}."))
    if answer is not None:
        lines += [(False, answer.verdict.note)] if answer.verdict.note else []
        lines += format_verdict_lines(result)
    if not result.trusted:
        # nothing is good news of a model that does not fit
        lines = [(False, line) for _, line in lines]
    return lines


def find_faults(result: Identification) -> list[str]:
    """Return what is wrong, the verdict first; empty where nothing is."""
    lines = []
    if result.answer is not None and not result.answer.verdict.good:
        lines += [text for _, text in format_verdict_lines(result)]
    elif result.answer is None and result.fit is None:
        lines.append("This estimate was not compared with its logs.")
    if result.contradiction:
        lines.append(f"{result.contradiction}.")
    if not result.converged and (result.answer is None or result.answer.verdict.good):
        lines.append(format_verdict(result))
    if result.validation is not None and result.answer is None:
        good, text = format_held_out_sentence(result.validation, result.fit, result.settings.band.cutoff)
        lines += [] if good else [text]
    return [*lines, *format_warning_lines(result)]


def format_verdict(result: Identification) -> str:
    """Return whether an estimate can be used, one line.

    Of an estimator that did not converge the full model's verdict says nothing: it is of the full model's own values.
    """
    if result.answer is None:
        return format_converged_sentence(result.converged, result.nonconvergence)[1]
    verdict = result.answer.verdict
    if result.converged:
        return verdict.sentence
    stopped = format_converged_sentence(False, result.nonconvergence)[1]
    advice = USE_FULL_MODEL if verdict.good and not result.is_full else ""
    return f"{stopped} {advice}Verdict of the full model: {verdict.sentence}"


def refusal_line(result: Identification) -> str:
    """Return why an answer is refused, one line: the verdict, and the likeliest known cause that can be undone."""
    causes = result.fit.causes if result.fit is not None else ()
    line = format_verdict(result)
    return f"{line} {sentence(causes[0])}" if causes and causes[0].correction else line


def format_verdict_lines(result: Identification) -> list[tuple[bool, str]]:
    """Return the verdict of the full model, what it found, and known causes where the residual asks for some."""
    answer = result.answer
    assert answer is not None
    good = answer.verdict.good
    causes = result.fit.causes if result.fit is not None else ()
    known = format_cause_lines(result.fit) if result.fit is not None and causes else []
    said = [one.name for one in causes]
    misfit = answer.verdict.floor_ratio > MAX_FLOOR_RATIO
    found = [] if known and misfit else format_effects_sentences(answer, said)
    return [(good, line) for line in (format_verdict(result), *found, *known)]


def _format_combinations(estimate: ParameterEstimate) -> list[tuple[bool, str]]:
    """Return the combinations that the data show, one by one where they are few."""
    count = len(estimate.combinations)
    doubtful = sum(one.status == IN_DOUBT for one in estimate.combinations)
    if count > MOST_COMBINATIONS:
        if not doubtful:
            return [(True, f"{count} combinations of those are identified.")]
        found = f"{count - doubtful} of {count} combinations of those are identified"
        return [(False, f"{found}, {doubtful} affected by the misfit.")]
    lines = []
    for label, one in zip(format_combination_labels(estimate), estimate.combinations, strict=True):
        value, std = with_deviation(one.value, one.std)
        good = one.status != IN_DOUBT
        what = "Identified in combination" if good else "Affected by the misfit, a combination"
        lines.append((good, f"{what}: {label} = {value} ± {std} {one.unit}."))
    return lines


def format_converged_sentence(converged: bool, why: str) -> tuple[bool, str]:
    """Return whether the estimator converged; `why` it did not may be empty."""
    if converged:
        return True, "The estimator converged."
    return False, f"Do not use these values: the estimator did not converge{f' ({why})' if why else ''}."


def format_identified_sentence(estimate: ParameterEstimate) -> tuple[bool, str]:
    """Return how many parameters are identified, and which are not."""
    count, total = estimate.status.count(IDENTIFIABLE), len(estimate.names)
    if count == total:
        return True, f"All {total} parameters are identified."
    statuses = list(zip(estimate.names, estimate.status, strict=True))
    doubt = [name for name, status in statuses if status == IN_DOUBT]
    missing = [name for name, status in statuses if status not in (IDENTIFIABLE, IN_DOUBT)]
    parts = [f"{count} of {total} parameters are identified"]
    if doubt:
        parts.append(f"{listed(doubt)} {'is' if len(doubt) == 1 else 'are'} affected by the misfit")
    if missing:
        parts.append(
            f"{listed(missing)} {'is' if len(missing) == 1 else 'are'} not identifiable from this motion"
        )
    return False, f"{'; '.join(parts)}."


def held_out_subject(what: str, part: bool) -> str:
    """Return how a sentence on a prediction begins: of a `part` of the same logs, or of another log."""
    if part:
        return f"Held out: forces of the {what} are predicted by an estimate from the other samples"
    return f"Forces of {what}, which was not used, are predicted"


def format_held_out_sentence(
    validation: Validation,
    fit: Diagnosis | None = None,
    cutoff: float | None = None,
    unseen_share: float = float("nan"),
) -> tuple[bool, str]:
    """Return what was predicted up to a cutoff in Hz, how well against the noise floor, and whether that is good.

    `unseen_share` is that of the verdict, of all fifths of the logs: of the last alone the error may be another.
    """
    error = validation.rms_percent_total
    # without a floor, an estimate has to predict better than the machine file does
    good, floor = not error > validation.nominal_percent, ""
    if fit is not None:
        noise = float(np.sqrt(np.mean(fit.floor.std**2)))
        good = validation.error <= PREDICTED * max(fit.ratio, 1.0) * noise
        force = float(np.sqrt(np.mean(validation.rms[0] ** 2)))
        floor = f"noise floor {number(100 * noise / max(force, 1e-300), 3)} %"
    subject = held_out_subject(validation.held_out, bool(validation.part))
    notes = [*([floor] if floor else []), f"machine file's values {number(validation.nominal_percent, 3)} %"]
    if validation.part and unseen_share > 0.0:
        notes.append(f"each fifth of the log, predicted by the others: {number(100 * unseen_share, 3)} %")
    if validation.without_friction_percent > FLATTERED * error:
        notes.append(f"{number(validation.without_friction_percent, 3)} % of the force without friction")
    if validation.parameters_percent > CLEARLY_WORSE * error:
        alone = number(validation.parameters_percent, 3)
        notes.append(f"parameters alone, without the effects found: {alone} %")
    repeated = ""
    if np.isfinite(validation.repeats_after):
        repeated = REPEATED.format(number(validation.repeats_after, 3))
    return (
        good,
        f"{subject} to {number(error, 3)} % rms{'' if cutoff is None else f' below {cutoff:.3g} Hz'} "
        f"({'; '.join(notes)})" + (f".{repeated}" if good else WEAK),
    )
