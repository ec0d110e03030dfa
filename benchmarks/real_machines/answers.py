# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What `pkm` answers on a real machine's logs, timed as a reader would wait for it."""

from __future__ import annotations

import csv
import json
import resource
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from pkm_identification.machines.load import load_machine

from .logs import Log, Subject

_LONGEST_S = 900.0


@dataclass(frozen=True)
class Answer:
    """One run of `pkm identify`.

    Attributes
    ----------
    code : int
        Its exit code.
    seconds : float
        From the files to the answer, start of the program included.
    processor : float
        s of these on a processor: what is left where nothing else runs.
    words : str
        Its last sentence where it refuses.
    document : mapping
        Its JSON; empty where it refuses.
    """

    code: int
    seconds: float
    processor: float
    words: str
    document: Mapping[str, Any] = field(default_factory=dict)

    @property
    def errors(self) -> np.ndarray:
        """Return the held-out error by drive and in all (n + 1,), %."""
        found = self.document["validation"]["rms_percent"]
        return np.array([*found["per_drive"], found["total"]])

    @property
    def cutoff(self) -> float:
        """Return the frequency up to which motion and forces are compared, Hz."""
        return float(self.document["provenance"]["settings"]["band"]["cutoff"])

    @property
    def verdict(self) -> str:
        """Return what it says of the whole estimate."""
        answer = self.document.get("answer") or {}
        return str(answer.get("verdict", {}).get("sentence", ""))

    @property
    def causes(self) -> list[Mapping[str, Any]]:
        """Return what the diagnosis found, the likeliest first."""
        return list((self.document.get("fit") or {}).get("causes") or [])

    def value(self, name: str) -> tuple[float, float] | None:
        """Return a parameter's value and deviation; None where there is none."""
        answer = (self.document.get("answer") or {}).get("values") or self.document.get("parameters") or []
        for one in answer:
            if one["name"] == name and one.get("value") is not None and one.get("std") is not None:
                return float(one["value"]), float(one["std"])
        return None


def compile_kernels() -> None:
    """Compile what is compiled once for all, so that no machine's time has it."""
    subprocess.run(
        [sys.executable, "-m", "pkm_identification.cli", "warm-up"], capture_output=True, check=True
    )


def write_log(path: Path, subject: Subject, log: Log) -> None:
    """Write a log as this package reads it: t, coordinates and forces by the names of the drives."""
    machine = load_machine(subject.machine)
    names = [drive.name for drive in machine.drives], [drive.force_name for drive in machine.drives]
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["t", *names[0], *names[1]])
        writer.writerows(np.column_stack([log.time, log.coordinate, log.force]).tolist())


def identify(
    subject: Subject, folder: Path, training: Sequence[Path], held_out: Path | None, also: str = ""
) -> Answer:
    """Return what `pkm identify` says of logs."""
    out = folder / "estimate.json"
    out.unlink(missing_ok=True)
    command = [sys.executable, "-m", "pkm_identification.cli", "identify", *map(str, training)]
    command += ["--machine", str(subject.machine), "--json", str(out)]
    command += ["--validate", str(held_out)] if held_out else []
    command += ["--also", also] if also else []
    start, used = perf_counter(), _processor_time()
    done = subprocess.run(command, capture_output=True, text=True, timeout=_LONGEST_S, check=False)
    seconds, processor = perf_counter() - start, _processor_time() - used
    words = done.stderr.strip().splitlines()
    if not out.is_file() and done.returncode != 2:
        raise RuntimeError(f"{' '.join(command)}: exit code {done.returncode}: {done.stderr[-500:]}")
    document = json.loads(out.read_text(encoding="utf-8")) if out.is_file() else {}
    return Answer(done.returncode, seconds, processor, words[-1] if words else "", document)


def _processor_time() -> float:
    """Return the processor time of all programs that ended, s."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
