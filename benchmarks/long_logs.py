# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""`python -m benchmarks.long_logs --minutes 1 10 60`: memory and time of commands over the length of a log.

Each log is a minute of a simulated machine over and over, at 1 kHz, in a temporary folder: CSV, compressed CSV or a
recording. Drawn with --out, beside what four hours may take.
"""

from __future__ import annotations

import argparse
import gzip
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

import numpy as np
from matplotlib.figure import Figure

from pkm_identification.api.logs import simulate
from pkm_identification.motion import StrutLog
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.records import write_log
from pkm_identification.report.figures.style import ESTIMATE, MEASURED, STRUT_COLORS, styled

MINUTE = 60.0  # s
RATE = 1000.0  # Hz
FOUR_HOURS = 240  # min
NAMES = {"csv": "log.csv", "csv.gz": "log.csv.gz", "bag": "log"}


MOST_MEMORY, MOST_TIME = 1500.0, 240.0  # MB and s: what 240 min are to take


def main() -> int:
    """Measure and print, a line for each length; as is the worst exit code."""
    options = _parser().parse_args()
    (minute,) = simulate("uf", "rich", MINUTE, perturb=0.1)
    worst, course = 0, []
    print("minutes  samples   MB file   MB peak   s wall   s processor")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / NAMES[options.log]
        for minutes in options.minutes:
            shutil.rmtree(path, ignore_errors=True)  # a recording is a folder
            samples = write_repeated(path, minute, minutes)
            command = [
                sys.executable, "-m", "pkm_identification.cli", options.command, "--machine", "uf", str(path),
                *(["--estimator", options.estimator] if options.command == "identify" else []),
            ]  # fmt: skip
            start = perf_counter()
            # waited for by itself: the peak is this child's, not the largest of all so far
            child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
            _, status, usage = os.wait4(child.pid, 0)
            code = os.waitstatus_to_exitcode(status)
            worst = worst or int(code != 0)  # a process killed for want of memory has a negative one
            wall, processor = perf_counter() - start, usage.ru_utime + usage.ru_stime
            size = sum(file.stat().st_size for file in (path.iterdir() if path.is_dir() else [path]))
            print(
                f"{minutes:7d} {samples:8d} {size / 1e6:9.0f} {usage.ru_maxrss / 1e3:9.0f} {wall:8.1f} "
                f"{processor:8.1f}" + (f"  ended with {code}" if code else ""),
                flush=True,
            )
            course.append((minutes, usage.ru_maxrss / 1e3, wall, processor))
    if options.out:
        drawn(np.array(course)).savefig(options.out, dpi=100)
    return worst


@styled
def drawn(course: FloatArray) -> Figure:
    """Memory and time over the length of a log; rows of minutes, MB, s on the clock and of the processors."""
    figure = Figure(figsize=(8, 4), layout="constrained")
    memory, time = figure.subplots(1, 2)
    memory.plot(course[:, 0], course[:, 1], "o-", color=ESTIMATE)
    time.plot(course[:, 0], course[:, 2], "o-", color=ESTIMATE, label="on the clock")
    time.plot(course[:, 0], course[:, 3], "o--", color=MEASURED, label="of the processors")
    for axes, most, title in ((memory, MOST_MEMORY, "peak memory, MB"), (time, MOST_TIME, "time, s")):
        axes.plot([FOUR_HOURS], [most], "v", color=STRUT_COLORS[1], label="the most for 4 h")
        axes.set(xscale="log", yscale="log", xlabel="log of 1 kHz, min", title=title)
        axes.legend()
    return figure


def write_repeated(path: Path, minute: StrutLog, times: int) -> int:
    """Write a log over and over, its stamps going on; it begins and ends at rest in one place. Returns its samples."""
    if path.suffix not in (".csv", ".gz"):
        log = repeated(minute, times)
        write_log(path, log)
        return len(log)
    with tempfile.TemporaryDirectory() as folder:
        once = Path(folder) / "once.csv"
        write_log(once, minute)
        header, *rows = once.read_text().splitlines()
    cells = [row.partition(",")[2] for row in rows]
    again = len(rows) - 1  # the last sample is the first of the next time
    with gzip.open(path, "wt", compresslevel=1) if path.suffix == ".gz" else path.open("w") as file:
        file.write(header + "\n")
        for first in range(0, times * again, again):
            file.write("".join(f"{(first + row) / RATE!r},{cells[row]}\n" for row in range(again)))
        file.write(f"{times * again / RATE!r},{cells[-1]}\n")
    return times * again + 1


def repeated(minute: StrutLog, times: int) -> StrutLog:
    """A log over and over, in memory."""
    length, force = (
        np.concatenate([*[values[:-1]] * times, values[-1:]])
        for values in (minute.length, minute.force)
        if values is not None
    )
    return StrutLog(np.arange(len(length), dtype=float) / RATE, length, force, f"{times} min")


def _parser() -> argparse.ArgumentParser:
    summary, details = (__doc__ or "").split("\n", 1)
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.long_logs", description=summary, epilog=details
    )
    parser.add_argument("--minutes", type=int, nargs="+", default=[1, 10, 60], metavar="M")
    parser.add_argument("--log", choices=tuple(NAMES), default="csv")
    parser.add_argument("--out", metavar="FILE", help="a drawing")
    parser.add_argument("--estimator", default="ls", help="of identify (default: ls)")
    parser.add_argument("--command", choices=("identify", "check", "diagnose"), default="identify")
    return parser


if __name__ == "__main__":
    sys.exit(main())
