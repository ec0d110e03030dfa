"""`python -m benchmarks.long_logs --minutes 1 10 60`: memory and time of `pkm identify` over the length of a log.

Each log is a minute of a simulated machine over and over, at 1 kHz, as CSV in a temporary folder.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

import numpy as np

from pkm_identification.api.logs import simulate
from pkm_identification.motion import StrutLog
from pkm_identification.records import write_log

MINUTE = 60.0  # s


def main() -> int:
    """Measure and print, a line for each length; as is the worst exit code."""
    options = _parser().parse_args()
    (minute,) = simulate("uf", "rich", MINUTE, perturb=0.1)
    worst = 0
    print("minutes  samples   MB file   MB peak   s wall   s processor")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "log.csv"
        for minutes in options.minutes:
            log = repeated(minute, minutes)
            write_log(path, log)
            command = [
                sys.executable, "-m", "pkm_identification.cli", options.command, "--machine", "uf", str(path),
            ]  # fmt: skip
            start = perf_counter()
            # waited for by itself: the peak is this child's, not the largest of all so far
            child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
            _, status, usage = os.wait4(child.pid, 0)
            code = os.waitstatus_to_exitcode(status)
            worst = worst or int(code != 0)  # a process killed for want of memory has a negative one
            print(
                f"{minutes:7d} {len(log):8d} {path.stat().st_size / 1e6:9.0f} {usage.ru_maxrss / 1e3:9.0f} "
                f"{perf_counter() - start:8.1f} {usage.ru_utime + usage.ru_stime:8.1f}"
                + (f"  ended with {code}" if code else ""),
                flush=True,
            )
    return worst


def repeated(minute: StrutLog, times: int) -> StrutLog:
    """A log over and over, its stamps going on; it begins and ends at rest in one place."""
    length, force = (
        np.concatenate([*[values[:-1]] * times, values[-1:]])
        for values in (minute.length, minute.force)
        if values is not None
    )
    return StrutLog(np.arange(len(length), dtype=float) / 1000.0, length, force, f"{times} min")


def _parser() -> argparse.ArgumentParser:
    summary, details = (__doc__ or "").split("\n", 1)
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.long_logs", description=summary, epilog=details
    )
    parser.add_argument("--minutes", type=int, nargs="+", default=[1, 10, 60], metavar="M")
    parser.add_argument("--command", choices=("identify", "check", "diagnose"), default="identify")
    return parser


if __name__ == "__main__":
    sys.exit(main())
