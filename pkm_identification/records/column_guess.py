# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What a foreign header may mean: columns that differ in a number, one of each drive, and a word for time."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

from .channels import Channels

TIMES = ("t", "time", "timestamp", "zeit", "stamp", "sec", "seconds", "t_s", "time_s", "time_ms", "ms")
NUMBERED = re.compile(r"(.*?)(\d)(\D*)")


def find_columns_hint(names: Sequence[str], channels: Channels) -> str:
    """Return what to give for a header like this: the likely `--columns`, or how they are given."""
    # a column is found by its name without the unit behind it, which may differ from drive to drive
    names = [name.partition(" [")[0] for name in names]
    time = next((name for name in names if re.split(r"[ \[(]", name.lower())[0] in TIMES), None)
    series: dict[tuple[str, str], list[str]] = defaultdict(list)
    for name in names:
        match = NUMBERED.fullmatch(name)
        if match:
            series[match[1], match[3]].append(name)
    ranges = {
        key: f"{one[0]}..{one[-1]}" if len(one) > 1 else one[0]
        for key, one in series.items()
        if len(one) == len(channels.joints)
    }
    fitting = {
        group: [key for word in words for key in ranges if _names_quantity(key, word)]
        for group, words in channels.words.items()
    }
    found: dict[str, tuple[str, str]] = {}
    # first what can only be one: of Leg1_Pos and Leg1_Force both name a leg
    for group in sorted(fitting, key=lambda one: len(set(fitting[one]))):
        left = [key for key in fitting[group] if key not in found.values()]
        if left:
            found[group] = left[0]
    found_groups = {group: ranges[found[group]] for group in channels.words if group in found}
    # columns that have their right names already are not what is missing
    new = [those for those in found_groups.values() if those.split("..")[0] not in channels.coordinates]
    if time is None or not new:
        return f"say which column is which, as --columns {channels.example}"
    given = ",".join([f"t={time}", *(f"{group}={those}" for group, those in found_groups.items())])
    return f"perhaps --columns '{given}'" if re.search(r"[^\w=,.]", given) else f"perhaps --columns {given}"


def _names_quantity(key: tuple[str, str], word: str) -> bool:
    """Return whether a series' names, (before the number, behind it), have a word, or are this letter."""
    before, behind = (text.lower() for text in key)
    return before.rstrip("_. ") == word or (len(word) > 1 and (word in before or word in behind))
