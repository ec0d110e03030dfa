# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The answer of the full model in estimate.json, written and read again."""

from __future__ import annotations

from typing import Any

from pkm_identification.errors import DocumentError
from pkm_identification.estimation.posterior.answer import Answer, FoundEffect
from pkm_identification.estimation.posterior.status import KnownValue, Leaning
from pkm_identification.estimation.posterior.thresholds import MAX_CONFLICT
from pkm_identification.estimation.posterior.verdict import Conflict, Verdict
from pkm_identification.numerics.finite import finite_or_none


def answer_document(answer: Answer) -> dict[str, Any]:
    """Return values with total deviations, effects that were found, and the verdict."""
    verdict = answer.verdict
    return {
        "values": [
            {
                "name": one.name,
                "value": finite_or_none(one.value),
                "unit": one.unit,
                "std": finite_or_none(one.std),
                "std_data": finite_or_none(one.data_std),
                "std_file": finite_or_none(one.file_std),
                "status": one.status,
                "near_zero": one.near_zero,
                "nominal": finite_or_none(one.nominal),
                "taken": finite_or_none(one.taken),
                "rests_on": [
                    {
                        "key": leaning.key,
                        "share": finite_or_none(leaning.share),
                        "slope": finite_or_none(leaning.slope),
                        "unit": leaning.unit,
                        "in_file": leaning.in_file,
                    }
                    for leaning in one.rests_on
                ],
            }
            for one in answer.values
        ],
        "effects": [
            {
                "name": one.name,
                "value": finite_or_none(one.value),
                "std": finite_or_none(one.std),
                "unit": one.unit,
                "share": finite_or_none(one.share),
            }
            for one in answer.effects
        ],
        "verdict": {
            "grade": verdict.grade,
            "residual_over_floor": finite_or_none(verdict.floor_ratio),
            "residual_over_force": finite_or_none(verdict.residual_share),
            "unseen_over_fit": finite_or_none(verdict.held_out_ratio),
            "unseen_over_force": finite_or_none(verdict.unseen_share),
            "halves": finite_or_none(verdict.halves),
            "conflicts": [
                {"key": one.key, "deviations": finite_or_none(one.deviations), "limit": one.limit}
                for one in verdict.conflicts
            ],
            "sentence": verdict.sentence,
            "note": verdict.note,
        },
    }


def read_answer(source: str, document: Any) -> Answer | None:
    """Return the answer that a file holds; None of files without one.

    Raises
    ------
    DocumentError
        If it holds one that is damaged.
    """
    if document is None:
        return None
    try:
        verdict = document["verdict"]
        return Answer(
            tuple(_read_value(one) for one in document["values"]),
            tuple(
                FoundEffect(
                    str(one["name"]), _number(one["value"]), _number(one["std"]), str(one["unit"]),
                    _number(one.get("share")),
                )
                for one in document["effects"]
            ),
            Verdict(
                str(verdict["grade"]), _number(verdict["residual_over_floor"]), _number(verdict["residual_over_force"]),
                _number(verdict["unseen_over_fit"]), _number(verdict["halves"]),
                tuple(
                    Conflict(str(one["key"]), _number(one["deviations"]), float(one.get("limit", MAX_CONFLICT)))
                    for one in verdict["conflicts"]
                ),
                str(verdict["sentence"]), _number(verdict.get("unseen_over_force")), str(verdict.get("note", "")),
            ),
        )  # fmt: skip
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise DocumentError(f"{source}: answer: is damaged ({error})") from None


def _read_value(one: Any) -> KnownValue:
    leanings = tuple(
        Leaning(
            str(key["key"]),
            _number(key["share"]),
            _number(key["slope"]),
            str(key["unit"]),
            bool(key.get("in_file", True)),
        )
        for key in one["rests_on"]
    )
    return KnownValue(
        str(one["name"]), str(one["unit"]), _number(one["value"]), _number(one["std"]), _number(one["std_data"]),
        _number(one["std_file"]), _number(one.get("taken")), str(one["status"]), leanings, bool(one["near_zero"]),
        _number(one.get("nominal")),
    )  # fmt: skip


def _number(value: Any) -> float:
    return float("nan") if value is None else float(value)
