# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""How late results are, as histograms: one process and four, with and without real-time priority and load.

python -m benchmarks.jitter --seconds 60 --out docs/images/jitter.png
python -m benchmarks.jitter --quiet

Prints a table in Markdown and draws the histograms; with `--quiet` runs without load alone, each held to what is
promised of a quiet computer, exit code 1 where one is not kept. Real-time priority needs the right to give it (root,
or rtprio in /etc/security/limits.conf); without it those runs are left out, and a line says so.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from pkm_identification.report.figures.style import STRUT_COLORS, apply_style

from .results import Stream
from .stream.scenarios import LATENCY_EDGES, Scenario, run
from .streams import markdown

PRIORITY = 50  # as ros2_control's and our controller's
MACHINES = ("uf", "mast")
TOPICS = ("platform_state", "parameter_estimate")
LATEST_S = 5e-3  # s, 99th percentile from a sample to the estimate that is made from it, on a quiet computer


def find_scenarios(machines: list[str], priority: bool, quiet: bool = False) -> list[Scenario]:
    """Return what is run: every machine in one process and in four, without and with priority, alone and loaded."""
    return [
        Scenario(
            f"{name}, {'one process' if together else 'four processes'}"
            + (f", {beside} busy loops beside" if beside else "")
            + (f", real-time priority {rank}" if rank else ""),
            together=together,
            machine=name,
            beside=beside,
            priority=rank,
        )
        for name in machines
        for together in (True, False)
        for beside in ((0,) if quiet else (0, os.cpu_count() or 1))
        for rank in ((0, PRIORITY) if priority else (0,))
    ]


def may_have_priority() -> bool:
    """Return whether this process may schedule threads in real time."""
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(PRIORITY))
    except OSError:
        return False
    os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
    return True


def judge_run(one: Stream) -> str:
    """Return what a run has not kept of what is promised of a quiet computer; empty where it has kept all."""
    late = one.estimate_latency[1]
    parts = [f"{one.missing} samples missing"] if one.missing else []
    if not late < LATEST_S:
        parts.append(f"p99 of sample to estimate {1e3 * late:.3g} ms, promised {1e3 * LATEST_S:g}")
    return "; ".join(parts)


@apply_style
def draw_histograms(streams: list[Stream]) -> Figure:
    """Return a panel for each topic: share of the messages that are later than a latency, a line for each run."""
    figure = Figure(figsize=(11, 4.5 + 0.18 * len(streams)), layout="constrained")
    for axes, topic in zip(figure.subplots(1, 2, sharey=True), TOPICS, strict=True):
        for k, one in enumerate(streams):
            counts = np.array(one.course["latency"][topic])
            later = counts[::-1].cumsum()[::-1] / max(counts.sum(), 1)
            style = ("-", "--", ":", "-.")[k // len(STRUT_COLORS) % 4]
            axes.stairs(
                later,
                1e3 * LATENCY_EDGES,
                color=STRUT_COLORS[k % len(STRUT_COLORS)],
                ls=style,
                label=one.name,
            )
        axes.set(
            xscale="log", yscale="log", xlabel="latency in ms", title=f"sample to {topic}", ylim=(1e-5, 1.2)
        )
    figure.axes[0].set_ylabel("share of messages later than that")
    figure.legend(*figure.axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=2)
    return figure


def main() -> int:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60.0, help="of each run")
    parser.add_argument("--machines", nargs="+", default=MACHINES, help="built-in names")
    parser.add_argument("--quiet", action="store_true", help="no load beside; held to what is promised")
    parser.add_argument("--out", type=Path, help="picture to draw")
    options = parser.parse_args()
    priority = may_have_priority()
    if not priority:
        print("real-time priority is not permitted here: left out", file=sys.stderr)
    streams = []
    for scenario in find_scenarios(list(options.machines), priority, options.quiet):
        print(f"{scenario.name} ...", file=sys.stderr, flush=True)
        streams.append(run(scenario, options.seconds))
        if options.quiet:
            print(f"{scenario.name}: {judge_run(streams[-1]) or 'kept'}", flush=True)
    print("\n".join(markdown(streams)))
    if options.out:
        draw_histograms(streams).savefig(options.out, dpi=100)
    return int(options.quiet and any(judge_run(one) for one in streams))


if __name__ == "__main__":
    sys.exit(main())
