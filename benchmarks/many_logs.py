# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Throughput and memory of pkm history: python -m benchmarks.many_logs [--logs 200] [--seconds 8] [--workers 1,2]

One motion of `uf` is simulated; every log is that with noise of its own. With --folder DIR the first `--logs` of what
`benchmarks.year_of_logs` made there are worked on instead. Each number of workers starts without kept results. Memory
is the resident set of the command with its scheduler and of the largest worker, sampled from /proc, at parts of the
logs; what the history says at its end is printed, too.
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
from pkm_identification.records.log import write_log

NOISE = 1.0  # N


def logs(folder: Path, count: int, seconds: float) -> None:
    """Write so many logs, a day each."""
    (log,) = pkm.simulate("uf", "rich", duration=seconds, perturb=0.1, seed=1)
    assert log.force is not None
    rng = np.random.default_rng(0)
    for k in range(count):
        day = np.datetime64("2026-01-01") + k
        noisy = replace(log, force=log.force + rng.normal(0, NOISE, log.force.shape))
        write_log(folder / f"run_{day}.csv", noisy)


def link(made: Path, folder: Path, count: int) -> None:
    """Put so many of the logs that were made into a folder, evenly over their time."""
    paths = sorted(made.glob("*.csv.gz"))
    if len(paths) < count:
        raise SystemExit(
            f"{made}: {len(paths)} logs, wanted {count}: python -m benchmarks.year_of_logs {made}"
        )
    for path in (paths[len(paths) * k // count] for k in range(count)):
        (folder / path.name).symlink_to(path.resolve())


class Memory:
    """Resident sets of a process and of the largest of its descendants, MB, beside the number of results."""

    def __init__(self, root: int, results: Path) -> None:
        self.root, self.results = root, results
        self.course: list[tuple[int, float, float]] = []
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def at(self, share: float) -> str:
        """Command and largest worker when this share of all results was there; the mean of the samples about it."""
        done = np.array([number for number, _, _ in self.course])
        near = np.abs(done - share * done.max()) <= max(1.0, 0.02 * done.max())
        command, worker = np.array([sizes for _, *sizes in self.course])[near].mean(axis=0)
        return f"{share:.0%}: {command:.0f}, {worker:.0f}"

    def _watch(self) -> None:
        while (Path("/proc") / str(self.root)).exists():
            root, *others = [_resident(process) for process in self._family()]
            done = len(list(self.results.iterdir())) if self.results.is_dir() else 0
            if root:
                self.course.append((done, root, max(others, default=0.0)))
            time.sleep(0.5)

    def _family(self) -> list[int]:
        found, waiting = [], [self.root]
        while waiting:
            process = waiting.pop()
            found.append(process)
            # a child is listed with the thread that started it
            for task in Path(f"/proc/{process}/task").glob("*/children"):
                try:
                    waiting += [int(child) for child in task.read_text().split()]
                except OSError:
                    continue
        return found


def _resident(process: int) -> float:
    try:
        text = (Path("/proc") / str(process) / "status").read_text()
    except OSError:
        return 0.0
    size = [line for line in text.splitlines() if line.startswith("VmRSS")]
    return int(size[0].split()[1]) / 1024 if size else 0.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--logs", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=8.0, help="of each log")
    parser.add_argument("--workers", default="1,2")
    parser.add_argument("--folder", type=Path, help="logs of benchmarks.year_of_logs")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "logs").mkdir()
        if options.folder is None:
            logs(folder / "logs", options.logs, options.seconds)
        else:
            link(options.folder, folder / "logs", options.logs)
        before = 0.0
        for workers in options.workers.split(","):
            out = folder / f"out_{workers}"
            command = [
                sys.executable, "-m", "pkm_identification.cli", "history", str(folder / "logs"), "--machine", "uf",
                "--out", str(out), "--workers", workers,
            ]  # fmt: skip
            start = time.perf_counter()
            said = folder / f"said_{workers}.txt"
            with said.open("w", encoding="utf-8") as stream:
                process = subprocess.Popen(command, stdout=stream)
            memory = Memory(process.pid, out / "results")
            process.wait()
            whole = time.perf_counter() - start
            used = resource.getrusage(resource.RUSAGE_CHILDREN)
            spent, before = used.ru_utime + used.ru_stime - before, used.ru_utime + used.ru_stime
            stamps = sorted(path.stat().st_mtime for path in (out / "results").iterdir())
            # without start and report
            pace = (len(stamps) - 1) / (stamps[-1] - stamps[0])
            half = (len(stamps) // 2) / (stamps[len(stamps) // 2] - stamps[0])
            sizes = "; ".join(memory.at(share) for share in (0.1, 0.25, 0.5, 0.75, 1.0))
            print(
                f"{workers} workers: {len(stamps)} logs in {whole:.0f} s, {pace:.2f} logs/s (first half {half:.2f}), "
                f"{spent:.0f} s of CPU; "
                f"resident sets of the command and of the largest worker, MB, by the share of logs done: {sizes}",
                flush=True,
            )
        print(said.read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
