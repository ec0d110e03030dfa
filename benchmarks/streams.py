# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Runs on real topics as text and Markdown."""

from __future__ import annotations

import math

from .results import Stream
from .times import time_text

HEAD = (
    "run", "rate", "missing of sent", "sample to platform_state: median / p99 / max",
    "sample to estimate: median / p99 / max", "processor, share of a core", "memory (growth per minute)", "load",
)  # fmt: skip


def text(streams: list[Stream]) -> list[str]:
    """For a terminal: a block for each run."""
    lines = []
    for one in streams:
        run, *cells = _cells(one)
        lines.append(run)
        lines += [f"    {name}: {cell}" for name, cell in zip(HEAD[1:], cells, strict=True)]
        lines.append(f"    driver late by: {_times(one.driver_lateness)}; not counted above")
    return lines


def markdown(streams: list[Stream]) -> list[str]:
    """For people who read the repository: a row for each run."""
    rows = [f"| {' | '.join(HEAD)} |", "|---" * len(HEAD) + "|"]
    rows += [f"| {' | '.join(_cells(one))} |" for one in streams]
    return [*rows, "", f"{streams[0].seconds:g} s each; latencies without the filter's constant delay."]


def _cells(one: Stream) -> list[str]:
    noticed = sum(one.lost.values())
    return [
        one.name,
        f"{one.rate:g} Hz",
        f"{one.missing} of {one.sent}"
        + (f" ({noticed} counted by the nodes)" if one.missing or noticed else ""),
        _times(one.state_latency),
        f"{_times(one.estimate_latency)} ({one.estimates})",
        ", ".join(f"{name} {100 * share:.0f} %" for name, share in one.cpu.items()),
        ", ".join(f"{name} {mb:.0f} MB ({one.memory_slope[name]:+.2f})" for name, mb in one.memory.items()),
        f"{one.load[0]:.1f} to {one.load[1]:.1f}",
    ]


def _times(quantiles: tuple[float, float, float]) -> str:
    return " / ".join("-" if math.isnan(value) else time_text(value) for value in quantiles)
