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
from pkm_identification.estimation.posterior.status import IDENTIFIED, NOISY, KnownValue, Leaning

from .listing import ABSENT, Listing, number, with_deviation

LEAST_SHARE = 0.05  # of a value's variance: less is not worth naming
LARGEST_PERCENT = 1000.0  # a deviation larger than that is not told in per cent of the value


def answer_table(answer: Answer) -> Listing:
    """Return the table of values: total deviation, its parts of the data and of the file, status and keys."""
    rows = [
        (
            one.name, one.unit, with_deviation(one.value, 0.1 * one.std)[0], _percent(one.std, one.value),
            _percent(one.data_std, one.value), _percent(one.file_std, one.value), write_status(one),
            write_leanings(one),
        )
        for one in answer.values
    ]  # fmt: skip
    header = ("value", "unit", "estimate", "std", "data", "file", "status", "rests on")
    return Listing(header, tuple(rows), frozenset(("estimate", "std", "data", "file")))


def effects_sentences(answer: Answer) -> list[str]:
    """Return what was found beside the machine's own numbers, a sentence each."""
    return [
        f"{one.name} = {' ± '.join(with_deviation(one.value, one.std))} {one.unit}".rstrip()
        + " was found, and is allowed for."
        for one in answer.effects
    ]


def write_status(value: KnownValue) -> str:
    """Return the status, with how well a value is known that noise keeps from being identified."""
    if value.status != NOISY:
        return value.status
    size = abs(value.std / value.value) if value.value else float("inf")
    return f"known to {100 * size:.2g} %" if size < LARGEST_PERCENT / 100 else "near zero"


def write_leanings(value: KnownValue) -> str:
    """Return the keys that a value rests on, with how much it changes by each."""
    if value.status == IDENTIFIED and value.file_std < value.data_std:
        return ""
    return ", ".join(_lean(one, value) for one in value.rests_on if one.share >= LEAST_SHARE)


def _lean(leaning: Leaning, value: KnownValue) -> str:
    if leaning.unit not in ("%", "mm") or not value.value:
        return leaning.key
    slope = 100.0 * abs(leaning.slope / value.value)
    return f"{leaning.key} {slope:.2g} %/{leaning.unit}" if slope < LARGEST_PERCENT else leaning.key


def _percent(part: float, value: float) -> str:
    size = 100.0 * abs(part / value) if value else float("inf")
    return f"{number(size, 2)} %" if size <= LARGEST_PERCENT else ABSENT
