# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The published estimate of a stream or a causal run: the full model's answer, carried on by a recursion."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pkm_identification.estimation.estimate import ParameterEstimate
from pkm_identification.estimation.identifiability import COMBINATION, IDENTIFIABLE, IN_DOUBT, UNIDENTIFIABLE
from pkm_identification.estimation.posterior.answer import Answer
from pkm_identification.estimation.posterior.status import AFFECTED, CONTRADICTS, FROM_FILE, IDENTIFIED


def give_total_deviations(
    estimate: ParameterEstimate, answer: Answer, recursion: ParameterEstimate | None
) -> ParameterEstimate:
    """Return a recursion's estimate with values and total deviations of an answer, of what has the same name in both.

    The answer allows for effects and differences between bodies that a recursion does not estimate. What the recursion
    has found since is added to the answer's values, and what its variance has grown by to theirs; where there are
    effects, so is how far it has moved, since it may be moved by what it lacks. Without knowing what
    the recursion had found of the samples that were judged, its own values stay, and one that is further from the
    answer's than its deviation has the distance beyond that in its own.

    What rests on the file, or is no value of the answer, is known in combinations only; what contradicts the file is in
    doubt, and everything is where the answer is not to be used.

    Parameters
    ----------
    estimate : ParameterEstimate
        At present, with the recursion's own deviations.
    answer : Answer
    recursion : ParameterEstimate or None
        The same at the newest of the samples that were judged.
    """
    if not answer.verdict.good:
        estimate, recursion = estimate.mark_doubtful(), None
    rows = {one.name: one for one in answer.values}
    values, std, status = estimate.values.copy(), estimate.std.copy(), list(estimate.status)
    for k, name in enumerate(estimate.names):
        one = rows.get(name)
        if one is None:
            status[k] = COMBINATION if status[k] == IDENTIFIABLE else status[k]
            continue
        if recursion is None:
            beyond = max(abs(float(values[k]) - one.value) - one.std, 0.0)
            total = max(float(std[k]), float(np.hypot(one.std, beyond)))
        else:
            moved = float(values[k] - recursion.values[k])
            values[k] = one.value + moved
            grown = max(float(std[k]) ** 2 - float(recursion.std[k]) ** 2, 0.0)
            total = float(np.sqrt(one.std**2 + grown + (moved**2 if answer.effects else 0.0)))
        std[k] = total
        if status[k] == IDENTIFIABLE and not one.usable:
            status[k] = IN_DOUBT if one.status == CONTRADICTS else COMBINATION
    factor = std / np.maximum(estimate.std, 1e-300)  # correlations are the recursion's
    covariance = estimate.covariance * np.outer(factor, factor)
    return replace(estimate, values=values, std=std, status=tuple(status), covariance=covariance)


def name_statuses(estimate: ParameterEstimate, answer: Answer) -> tuple[tuple[str, str], ...]:
    """Return how each value of a stream's estimate is known, in the answer's words, and the key that it rests on most.

    Parameters
    ----------
    estimate : ParameterEstimate
        With total deviations, as `give_total_deviations` returns it.
    answer : Answer

    Returns
    -------
    tuple of (str, str), length P
        A status of `posterior.status`, or 'combination' of what is no value of the answer; a key of the file or the
        name of an effect, empty where the data determine the value.
    """
    rows = {one.name: one for one in answer.values}
    lacking = {UNIDENTIFIABLE: FROM_FILE, IN_DOUBT: AFFECTED}
    named = []
    for name, status in zip(estimate.names, estimate.status, strict=True):
        one = rows.get(name)
        if one is None:
            named.append((lacking.get(status, COMBINATION), ""))
            continue
        word = one.affected().status if status == IN_DOUBT else one.status
        named.append((word, one.rests_on[0].key if one.rests_on and word != IDENTIFIED else ""))
    return tuple(named)
