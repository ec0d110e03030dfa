"""Throughput and memory of pkm history: python -m benchmarks.many_logs [--logs 200] [--workers 1,2]

One motion of `uf` is simulated for 8 s; every log is that with noise of its own. Each number of workers starts without
kept results. Memory is the largest resident set of the command and of each worker, sampled from /proc.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

import pkm_identification as pkm
from pkm_identification.records import write_log

SECONDS = 8.0
NOISE = 1.0  # N


def logs(folder: Path, count: int) -> None:
    """Write so many logs, a day each."""
    (log,) = pkm.simulate("uf", "rich", duration=SECONDS, perturb=0.1, seed=1)
    rng = np.random.default_rng(0)
    for k in range(count):
        day = np.datetime64("2026-01-01") + k
        noisy = replace(log, force=log.force + rng.normal(0, NOISE, log.force.shape))
        write_log(folder / f"run_{day}.csv", noisy)


class Memory:
    """Largest resident sets of a process and of its descendants, MB."""

    def __init__(self, root: int) -> None:
        self.root: int = root
        self.most: dict[int, float] = {}
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def _watch(self) -> None:
        while (Path("/proc") / str(self.root)).exists():
            for process in self._family():
                try:
                    text = (Path("/proc") / str(process) / "status").read_text()
                except OSError:
                    continue
                size = [line for line in text.splitlines() if line.startswith("VmHWM")]
                if size:
                    self.most[process] = int(size[0].split()[1]) / 1024
            time.sleep(0.5)

    def _family(self) -> list[int]:
        found, waiting = [], [self.root]
        while waiting:
            process = waiting.pop()
            found.append(process)
            try:
                text = Path(f"/proc/{process}/task/{process}/children").read_text()
            except OSError:
                continue
            waiting += [int(child) for child in text.split()]
        return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--logs", type=int, default=200)
    parser.add_argument("--workers", default="1,2")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "logs").mkdir()
        logs(folder / "logs", options.logs)
        before = 0.0
        for workers in options.workers.split(","):
            out = folder / f"out_{workers}"
            command = [
                sys.executable, "-m", "pkm_identification.cli", "history", str(folder / "logs"), "--machine", "uf",
                "--out", str(out), "--workers", workers,
            ]  # fmt: skip
            start = time.perf_counter()
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
            memory = Memory(process.pid)
            process.wait()
            whole = time.perf_counter() - start
            used = resource.getrusage(resource.RUSAGE_CHILDREN)
            spent, before = used.ru_utime + used.ru_stime - before, used.ru_utime + used.ru_stime
            stamps = sorted(path.stat().st_mtime for path in (out / "results").iterdir())
            # without start and report
            pace = (len(stamps) - 1) / (stamps[-1] - stamps[0])
            half = (len(stamps) // 2) / (stamps[len(stamps) // 2] - stamps[0])
            sizes = ", ".join(f"{size:.0f}" for size in sorted(memory.most.values(), reverse=True)[:4])
            print(
                f"{workers} workers: {len(stamps)} logs in {whole:.0f} s, {pace:.2f} logs/s (first half {half:.2f}), "
                f"{spent:.0f} s of CPU; "
                f"largest resident sets {sizes} MB",
                flush=True,
            )


if __name__ == "__main__":
    main()
