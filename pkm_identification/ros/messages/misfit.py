# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Why a model does not fit its stream, in one sentence."""

from __future__ import annotations

from pkm_identification.estimation.posterior.verdict import CONTRADICTS
from pkm_identification.identification.online.judge import StreamVerdict
from pkm_identification.report.diagnosis import describe_cause, sentence


def format_misfit_text(verdict: StreamVerdict) -> str:
    """Return why a stream's estimate is not to be used: the verdict, and its cause with what to do."""
    fit, refused = verdict.fit, verdict.answer.verdict.sentence
    if any(one.correction for one in fit.causes):
        return f"{refused} {sentence(fit.causes[0], fit)}"
    if not fit.causes and verdict.answer.verdict.grade == CONTRADICTS:
        return refused
    nearest = f"; nearest: {describe_cause(fit.causes[0])}" if fit.causes else ""
    return (
        f"{refused} No known cause explains the misfit, a residual of {fit.ratio:.3g} x the noise{nearest}."
    )
