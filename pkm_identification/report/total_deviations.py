# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The answer by the full model: a table of values with what they rest on, effects, and the verdict."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from pkm_identification.document import format_key
from pkm_identification.estimation.posterior.answer import Answer
from pkm_identification.estimation.posterior.status import (
    CONTRADICTS,
    FROM_FILE,
    IDENTIFIED,
    MOSTLY_FROM_FILE,
    NOISY,
    RESTS_ON_FILE,
    KnownValue,
    Leaning,
)
from pkm_identification.estimation.posterior.thresholds import (
    LARGEST_RELATIVE_STD,
    MAX_FLOOR_RATIO,
    NEAR_ZERO,
)

from .listing import Listing, number, with_deviation

LEAST_SHARE = 0.05  # of a value's variance: less is not worth naming
LEAST_HELP, MOST_HELP = 0.2, 3  # of a value's variance: what would help; numbers that are named
MOST_NAMES = 8  # in a sentence
CLEAR = 3.0  # standard deviations: a value further from 0 is not called 0
NEAR_ZERO_NOTE = (
    "std, data and file without % are in the value's unit, because the value is near 0: below "
    f"{100 * NEAR_ZERO:g} % of what a body of its mass and size can have, or smaller than its std. Such a value is "
    f"identified if its std is below {100 * LARGEST_RELATIVE_STD:g} % of what such a body can have."
)

MOST_EFFECTS = 5  # in sentences of their own
NEAREST = 3  # effects that are named where none is the cause


def answer_table(answer: Answer, *, brief: bool = False, truth: Mapping[str, float] | None = None) -> Listing:
    """Return the table of values: total deviation, its parts of the data and of the file, status and keys.

    In brief, for a terminal, a key is named where a value is not identified, the first one alone and without by how
    much the value changes with it. True values, where they are known, have a column of their own.
    """
    known = truth or {}
    rows = [
        (
            one.name, one.unit, number(one.nominal), *((number(known.get(one.name)),) if known else ()),
            _write_value(one),
            _write_part(one.std, one), _write_part(one.data_std, one), _write_part(one.file_std, one),
            write_status(one), name_first_key(one) if brief else write_leanings(one),
        )
        for one in answer.values
    ]  # fmt: skip
    true = ("true",) if known else ()
    header = ("parameter", "unit", "nominal", *true, "estimate", "std", "data", "file", "status", "rests on")
    return Listing(header, tuple(rows), frozenset(("nominal", "true", "estimate", "std", "data", "file")))


def format_table_notes(answer: Answer) -> list[str]:
    """Return what a reader of the table must know, a sentence each."""
    return [NEAR_ZERO_NOTE] if any(map(_is_small, answer.values)) else []


def format_effects_sentences(answer: Answer, said: Collection[str] = ()) -> list[str]:
    """Return which effects were found, a sentence each, but for those that are `said` by their names already.

    What leaves a misfit is the nearest that is known, not its cause.
    """
    found = [
        f"{one.name} = {' ± '.join(with_deviation(one.value, one.std))} {one.unit}".rstrip()
        for one in answer.effects
        if one.name not in said
    ]
    if answer.verdict.floor_ratio > MAX_FLOOR_RATIO:
        nearest = f"; nearest: {', '.join(found[:NEAREST])}" if found else ""
        return [f"No known cause explains the residual{nearest}."]
    said = [f"{one} was found and is corrected for." for one in found[:MOST_EFFECTS]]
    others = len(found) - MOST_EFFECTS
    return said + (
        [f"{others} smaller effects were found and are corrected for as well."] if others > 0 else []
    )


def answer_sentences(answer: Answer) -> list[tuple[bool, str]]:
    """Return what of the values is identified, known or the file's, a sentence each, with whether it is good news."""
    by_status: dict[str, list[str]] = {}
    for one in answer.values:
        by_status.setdefault(one.status, []).append(one.name)
    known = by_status.pop(IDENTIFIED, [])
    count = len(answer.values)
    if len(known) == count:
        return [(True, f"All {count} values are identified.")]
    parts = [f"{len(known)} of {count} values are identified"]
    parts += [f"{status}: {listed(names)}" for status, names in by_status.items()]
    usable = set(by_status) <= {MOSTLY_FROM_FILE, NOISY}
    return [(usable, f"{'; '.join(parts)}.")]


def format_help_sentences(answer: Answer) -> list[str]:
    """Return which numbers of the file would help most if they were known better, the most helpful first."""
    gained: dict[tuple[str, bool], dict[str, float]] = {}
    for one in answer.values:
        if one.status not in (FROM_FILE, RESTS_ON_FILE, CONTRADICTS):
            continue
        for leaning in one.rests_on:
            if leaning.share >= LEAST_HELP:
                gained.setdefault((leaning.key, leaning.in_file), {})[one.name] = leaning.share
    keys = sorted(gained, key=lambda key: -sum(gained[key].values()))[:MOST_HELP]
    sentences = []
    for key, in_file in keys:
        shares = gained[key, in_file].items()
        parts = [f"{100.0 * share:.0f} % of the variance of {name}" for name, share in shares]
        advice = (
            f"Measure {format_key(key)}, or state how well it is known"
            if in_file
            else f"Record a motion that determines {key}, an effect that no file states"
        )
        sentences.append(f"{advice}: it causes {listed(parts)}.")
    noisy = [one.name for one in answer.values if one.status == NOISY]
    if noisy:
        sentences.append(
            f"Record a longer or livelier motion: noise causes most of the variance of {listed(noisy)}."
        )
    return sentences


def listed(names: list[str]) -> str:
    """Return names in a sentence; of many, the first ones."""
    if len(names) > MOST_NAMES:
        names = [*names[: MOST_NAMES - 1], f"{len(names) - MOST_NAMES + 1} others"]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def write_status(value: KnownValue) -> str:
    """Return the status, with how well a value is known that is near 0 or that noise keeps from being identified."""
    if value.status == NOISY:
        return f"known to {_write_part(value.std, value)}{f' {value.unit}' * _is_small(value)}"
    if (
        value.near_zero
        and abs(value.value) < CLEAR * value.std
        and value.status in (IDENTIFIED, MOSTLY_FROM_FILE)
    ):
        return f"{value.status}: 0 within {_write_part(value.std, value)}"
    return value.status


def name_first_key(value: KnownValue) -> str:
    """Return the key that a value rests on most; empty where it is known without."""
    if value.status in (IDENTIFIED, NOISY):
        return ""
    return next((format_key(one.key) for one in _list_named(value)), "")


def write_leanings(value: KnownValue) -> str:
    """Return the keys that a value rests on, with how much it changes by each."""
    if value.status == IDENTIFIED and value.file_std < value.data_std:
        return ""
    return ", ".join(_format_dependence(one, value) for one in _list_named(value))


def _list_named(value: KnownValue) -> list[Leaning]:
    """Return what is worth naming: the first of what a value rests on, however little of its variance it is."""
    return [
        one
        for k, one in enumerate(value.rests_on)
        if one.share >= LEAST_SHARE or (k == 0 and value.status == RESTS_ON_FILE)
    ]


def _format_dependence(leaning: Leaning, value: KnownValue) -> str:
    if leaning.unit not in ("%", "mm"):
        return format_key(leaning.key)
    return f"{format_key(leaning.key)} {_write_part(abs(leaning.slope), value)}/{leaning.unit}"


def _write_value(value: KnownValue) -> str:
    """Return a value with one digit more than its deviation decides, so that it can be compared."""
    return with_deviation(value.value, value.std if _is_small(value) else 0.1 * value.std)[0]


def _is_small(value: KnownValue) -> bool:
    return value.near_zero or value.std >= abs(value.value)


def _write_part(part: float, value: KnownValue) -> str:
    """Return a part of a value's deviation in % of it, in its unit where the value is near 0."""
    return number(part, 2) if _is_small(value) else f"{number(100.0 * part / abs(value.value), 2)} %"
