# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""`python -m benchmarks.long_logs --minutes 1 10 60`: memory and time of commands over the length of a log.

Each log is a minute of a simulated machine over and over, at 1 kHz, in a temporary folder (TMPDIR): CSV, compressed CSV
or a recording (sqlite3, or mcap). It is made once for all commands that read it. Drawn with --out, beside what four
hours may take.
"""

from __future__ import annotations

import argparse
import gzip
import os
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from time import perf_counter

import numpy as np
from matplotlib.figure import Figure

from pkm_identification.api.logs import simulate
from pkm_identification.motion import DriveLog
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.records.bags.writer import BagWriter
from pkm_identification.records.joint_state import JOINT_STATE, encode_struts
from pkm_identification.records.log import write_log
from pkm_identification.report.figures.style import STRUT_COLORS, apply_style

MINUTE = 60.0  # s
RATE = 1000.0  # Hz
FOUR_HOURS = 240  # min
NAMES = {"csv": "log.csv", "csv.gz": "log.csv.gz", "bag": "sqlite3", "mcap": "mcap"}
COMMANDS = ("identify", "check", "diagnose")
RUNS = ("identify:csv.gz", "check:csv.gz", "diagnose:csv.gz", "identify:mcap")

MOST_MEMORY, MOST_TIME = 1500.0, 240.0  # MB and s: what 240 min are to take

# minutes, MB, s on the clock and of the processors
Course = list[tuple[float, float, float, float]]


def main() -> int:
    """Measure and print, a line for each length and run; as is the worst exit code."""
    options = _parser().parse_args()
    (minute,) = simulate("uf", "rich", MINUTE, perturb=0.1)
    worst = 0
    courses: dict[str, Course] = {run: [] for run in options.runs}
    print(f"{'run':16}  minutes  samples   MB file   MB peak   s wall   s processor")
    for minutes in options.minutes:
        for kind in dict.fromkeys(run.partition(":")[2] for run in options.runs):
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / NAMES[kind]
                samples = write_repeated(path, minute, minutes)
                size = sum(file.stat().st_size for file in (path.iterdir() if path.is_dir() else [path]))
                for run in courses:
                    command, _, log = run.partition(":")
                    if log != kind:
                        continue
                    code, *taken = _measured(command, path, options.estimator)
                    memory, wall, processor = taken
                    worst = worst or int(code != 0)
                    print(
                        f"{run:16}  {minutes:7d} {samples:8d} {size / 1e6:9.0f} {memory:9.0f} {wall:8.1f} "
                        f"{processor:8.1f}" + (f"  ended with {code}" if code else ""),
                        flush=True,
                    )
                    courses[run].append((minutes, memory, wall, processor))
    if options.out:
        drawn({run: np.array(course) for run, course in courses.items()}).savefig(options.out, dpi=100)
    return worst


def _measured(command: str, path: Path, estimator: str) -> tuple[int, float, float, float]:
    """Exit code of a command with a log, its peak of memory in MB, s on the clock and of the processors.

    A process is as large as the one that starts it until it has begun itself: this one holds no log.
    """
    words = [
        sys.executable, "-m", "pkm_identification.cli", command, "--machine", "uf", str(path),
        *(["--estimator", estimator] if command == "identify" else []),
    ]  # fmt: skip
    start = perf_counter()
    # waited for by itself: the peak is this child's, not the largest of all so far
    child = subprocess.Popen(words, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    wall = perf_counter() - start
    # a process killed for want of memory has a negative code
    return (
        os.waitstatus_to_exitcode(status), usage.ru_maxrss / 1e3, wall, usage.ru_utime + usage.ru_stime,
    )  # fmt: skip


@apply_style
def drawn(courses: dict[str, FloatArray]) -> Figure:
    """Memory and time over the length of a log; of each run rows of minutes, MB, s on the clock, of the processors."""
    figure = Figure(figsize=(9, 4), layout="constrained")
    memory, time = figure.subplots(1, 2)
    for (run, course), color in zip(courses.items(), STRUT_COLORS, strict=False):
        memory.plot(course[:, 0], course[:, 1], "o-", color=color, label=run.replace(":", ", "))
        time.plot(course[:, 0], course[:, 2], "o-", color=color)
        time.plot(course[:, 0], course[:, 3], "o--", color=color)
    for axes, most, title in (
        (memory, MOST_MEMORY, "peak memory, MB"),
        (time, MOST_TIME, "time, s (dashed: of the processors)"),
    ):
        axes.plot([FOUR_HOURS], [most], "v", color="black", label="the most for 4 h")
        axes.set(xscale="log", xlabel="log of 1 kHz, min", title=title)
        minutes = sorted({float(one) for course in courses.values() for one in course[:, 0]} | {FOUR_HOURS})
        axes.set_xticks(minutes, [f"{one:g}" for one in minutes])
        axes.minorticks_off()
    memory.set_ylim(bottom=0.0)
    time.set_yscale("log")
    memory.legend(loc="lower right")
    return figure


def write_repeated(path: Path, minute: DriveLog, times: int) -> int:
    """Write a log over and over, its stamps going on; it begins and ends at rest in one place. Returns its samples.

    Nothing of the whole is held in memory.
    """
    again = len(minute) - 1  # the last sample is the first of the next time
    if path.suffix not in (".csv", ".gz"):
        _write_recording(path, minute, times)
        return times * again + 1
    with tempfile.TemporaryDirectory() as folder:
        once = Path(folder) / "once.csv"
        write_log(once, minute)
        header, *rows = once.read_text().splitlines()
    cells = [row.partition(",")[2] for row in rows]
    with gzip.open(path, "wt", compresslevel=1) if path.suffix == ".gz" else path.open("w") as file:
        file.write(header + "\n")
        for first in range(0, times * again, again):
            file.write("".join(f"{(first + row) / RATE!r},{cells[row]}\n" for row in range(again)))
        file.write(f"{times * again / RATE!r},{cells[-1]}\n")
    return times * again + 1


def _write_recording(path: Path, minute: DriveLog, times: int) -> None:
    again = len(minute) - 1
    with BagWriter(path, path.name) as writer:
        for number in range(times):
            rows = np.arange(again + (number == times - 1))
            messages, stamps = encode_struts(replace(minute[rows], time=(number * again + rows) / RATE))
            for message, stamp in zip(messages, stamps, strict=True):
                writer.write("/strut_states", JOINT_STATE, message, stamp)


def _run(text: str) -> str:
    command, _, log = text.partition(":")
    if command not in COMMANDS or log not in NAMES:
        raise argparse.ArgumentTypeError(f"{text}: expected {'|'.join(COMMANDS)}:{'|'.join(NAMES)}")
    return text


def _parser() -> argparse.ArgumentParser:
    summary, details = (__doc__ or "").split("\n", 1)
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.long_logs", description=summary, epilog=details
    )
    parser.add_argument("--minutes", type=int, nargs="+", default=[1, 10, 60], metavar="M")
    parser.add_argument(
        "--runs",
        type=_run,
        nargs="+",
        default=list(RUNS),
        metavar="COMMAND:LOG",
        help=f"commands ({', '.join(COMMANDS)}) and their logs ({', '.join(NAMES)}); by default {' '.join(RUNS)}",
    )
    parser.add_argument("--out", metavar="FILE", help="a drawing")
    parser.add_argument("--estimator", default="ls", help="of identify (default: ls)")
    return parser


if __name__ == "__main__":
    sys.exit(main())
