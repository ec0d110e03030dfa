# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""`python -m benchmarks.soak --hours H`: four processes at 1 kHz for hours; loss, memory, processor, latency over time.

Writes soak.png and soak.json to --out and fails if samples are missing or memory grows. Ten minutes: --hours 0.17.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np

from .results import Stream
from .stream.scenarios import LARGEST_GROWTH, SCENARIOS, run


def main() -> int:
    """Run, write, judge."""
    options = _parser().parse_args()
    stream = run(replace(SCENARIOS[0], machine=options.machine), 3600.0 * options.hours)
    folder = Path(options.out)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "soak.json").write_text(json.dumps(asdict(stream), indent=1), encoding="utf-8")
    draw(stream, folder / "soak.png")
    print(
        f"{stream.sent} samples in {stream.seconds:g} s, {stream.missing} missing, lost {sum(stream.lost.values())}"
    )
    print("sample to estimate: median, p99, largest ms", *(f"{1e3 * s:.2f}" for s in stream.estimate_latency))
    for name in stream.memory:
        print(
            f"{name}: {stream.memory[name]:.0f} MB, {stream.memory_slope[name]:+.3f} MB per minute, "
            f"{100.0 * stream.cpu[name]:.0f} % of a core"
        )
    grown = [name for name, slope in stream.memory_slope.items() if slope > LARGEST_GROWTH]
    if stream.missing or grown:
        print(
            f"soak: {stream.missing} samples missing; memory grows: {', '.join(grown) or 'nowhere'}",
            file=sys.stderr,
        )
        return 1
    return 0


def draw(stream: Stream, path: Path) -> None:
    """Charts over time: samples missing, latency, memory and processor of each process."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 8), layout="constrained")
    missing, latency, memory, cpu = figure.subplots(4, 1, sharex=True)
    course = stream.course
    minutes = np.array(course["time"]) / 60.0
    missing.plot(minutes, course["missing"])
    missing.set_ylabel("samples missing")
    missing.set_ylim(bottom=0)
    latency.plot(minutes, 1e3 * np.array(course["p99"]), label="p99")
    latency.plot(minutes, 1e3 * np.array(course["median"]), label="median")
    latency.set_ylabel("sample to estimate, ms")
    for axes, kind, unit in ((memory, "memory", "MB"), (cpu, "cpu", "% of a core")):
        for name, values in course[kind].items():
            axes.plot(np.array(course["marks"]) / 60.0, np.array(values), label=name)
        axes.set_ylabel(unit)
    cpu.set_xlabel("min")
    for axes in (latency, memory, cpu):
        axes.set_ylim(bottom=0)
        axes.legend(loc="center right", fontsize=8)
    figure.savefig(path, dpi=100)


def _parser() -> argparse.ArgumentParser:
    summary, _, details = __doc__.partition("\n\n")
    parser = argparse.ArgumentParser(prog="python -m benchmarks.soak", description=summary, epilog=details)
    parser.add_argument("--hours", type=float, default=1.0, help="(default: 1)")
    parser.add_argument("--machine", default="uf", help="(default: uf)")
    parser.add_argument(
        "--out", default="soak", metavar="DIR", help="of soak.json and soak.png (default: soak)"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
