# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""The answer by the full model: a table of values with what they rest on, effects, and the verdict."""

from __future__ import annotations

from pkm_identification.estimation.posterior.answer import Answer
from pkm_identification.estimation.posterior.status import (
    IDENTIFIED,
    MOSTLY_FROM_FILE,
    NOISY,
    KnownValue,
    Leaning,
)
from pkm_identification.estimation.posterior.thresholds import LARGEST_RELATIVE_STD, NEAR_ZERO

from .listing import Listing, number, with_deviation

LEAST_SHARE = 0.05  # of a value's variance: less is not worth naming
NEAR_ZERO_NOTE = (
    "Without %, std, data and file are in the value's unit: it is near 0, below "
    f"{100 * NEAR_ZERO:g} % of what a body of its mass and size can have, or smaller than its std. Near 0, it is "
    f"identified with a std below {100 * LARGEST_RELATIVE_STD:g} % of what such a body can have."
)


def answer_table(answer: Answer) -> Listing:
    """Return the table of values: total deviation, its parts of the data and of the file, status and keys."""
    rows = [
        (
            one.name, one.unit, with_deviation(one.value, one.std if _is_small(one) else 0.1 * one.std)[0],
            _write_part(one.std, one), _write_part(one.data_std, one), _write_part(one.file_std, one),
            write_status(one), write_leanings(one),
        )
        for one in answer.values
    ]  # fmt: skip
    header = ("value", "unit", "estimate", "std", "data", "file", "status", "rests on")
    return Listing(header, tuple(rows), frozenset(("estimate", "std", "data", "file")))


def table_notes(answer: Answer) -> list[str]:
    """Return what a reader of the table must know, a sentence each."""
    return [NEAR_ZERO_NOTE] if any(map(_is_small, answer.values)) else []


def effects_sentences(answer: Answer) -> list[str]:
    """Return what was found beside the machine's own numbers, a sentence each."""
    return [
        f"{one.name} = {' ± '.join(with_deviation(one.value, one.std))} {one.unit}".rstrip()
        + " was found, and is allowed for."
        for one in answer.effects
    ]


def write_status(value: KnownValue) -> str:
    """Return the status, with how well a value is known that is near 0 or that noise keeps from being identified."""
    if value.status == NOISY:
        return f"known to {_write_part(value.std, value)}"
    if value.near_zero and value.status in (IDENTIFIED, MOSTLY_FROM_FILE):
        return f"{value.status}: near 0 within {_write_part(value.std, value)}"
    return value.status


def write_leanings(value: KnownValue) -> str:
    """Return the keys that a value rests on, with how much it changes by each."""
    if value.status == IDENTIFIED and value.file_std < value.data_std:
        return ""
    return ", ".join(_lean(one, value) for one in value.rests_on if one.share >= LEAST_SHARE)


def _lean(leaning: Leaning, value: KnownValue) -> str:
    if leaning.unit not in ("%", "mm"):
        return leaning.key
    return f"{leaning.key} {_write_part(abs(leaning.slope), value)}/{leaning.unit}"


def _is_small(value: KnownValue) -> bool:
    return value.near_zero or value.std >= abs(value.value)


def _write_part(part: float, value: KnownValue) -> str:
    """Return a part of a value's deviation in % of it, in its unit where the value is near 0."""
    return number(part, 2) if _is_small(value) else f"{number(100.0 * part / abs(value.value), 2)} %"
