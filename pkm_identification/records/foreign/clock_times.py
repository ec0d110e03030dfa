# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Times of a column that are written as dates, times of the day or durations with a unit, in seconds."""

from __future__ import annotations

import re
from datetime import datetime
from functools import lru_cache

# `12:34:56.789`, `01:02.5` (minutes and seconds), with AM or PM and a time zone behind it
CLOCK = re.compile(
    r"(?:(\d{1,4}):)?(\d{1,2}):(\d{1,2}(?:[.,]\d+)?)\s*([AaPp][Mm])?\s*(?:Z|[+-]\d{2}:?\d{2})?"
)
# `0.001 sec`, as MATLAB writes durations
DURATION = re.compile(r"([+-]?\d+(?:[.,]\d+)?(?:[eE][+-]?\d+)?)\s*([a-zµ]+)")
SECONDS = {
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), 1.0),
    **dict.fromkeys(("ms", "msec", "millisec"), 1e-3),
    **dict.fromkeys(("us", "µs", "usec"), 1e-6),
    "ns": 1e-9,
    **dict.fromkeys(("min", "mins", "minutes"), 60.0),
    **dict.fromkeys(("h", "hr", "hrs", "hours"), 3600.0),
}
# Of the day; day before month where both could be: it shifts a log as a whole and changes no difference within a day
DATES = (
    "%Y-%m-%d", "%Y/%m/%d", "%Y%m%d", "%Y.%m.%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%b-%Y", "%d %b %Y",
    "%b %d %Y", "%d.%m.%y",
)  # fmt: skip
DAY, HALF_DAY = 86400.0, 12  # s, h


def parse_seconds(cell: str) -> float | None:
    """Return a date with a time in s since 1970, or a time or duration in s; None of anything else.

    Time zones are passed over: they shift a log as a whole.
    """
    text = cell.strip().strip("\"'").strip()
    if ":" not in text:
        duration = DURATION.fullmatch(text)
        if duration is None or duration[2] not in SECONDS:
            return None
        return float(duration[1].replace(",", ".")) * SECONDS[duration[2]]
    start = re.search(r"\d{1,4}:", text)
    if start is None:
        return None
    date, clock = text[: start.start()].rstrip(" T,-"), CLOCK.fullmatch(text[start.start() :])
    day = _read_date(date) if date else 0.0
    if clock is None or day is None:
        return None
    hours, half = int(clock[1] or 0), (clock[4] or "").lower()
    if half:
        hours = hours % HALF_DAY + (HALF_DAY if half == "pm" else 0)
    return day + 3600.0 * hours + 60.0 * int(clock[2]) + float(clock[3].replace(",", "."))


@lru_cache(maxsize=64)
def _read_date(date: str) -> float | None:
    """Return a date in s since 1970; None of no date."""
    for form in DATES:
        try:
            return (datetime.strptime(date, form) - datetime(1970, 1, 1)).days * DAY
        except ValueError:
            continue
    return None
