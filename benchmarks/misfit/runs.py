# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Runs of the benchmark, each kept in a file, so that a run that was cut off goes on where it stood."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import io
import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pkm_identification
from pkm_identification.cli import main as pkm
from pkm_identification.errors import PkmError
from pkm_identification.exporting.formats import format_machine_text
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import DriveLog
from pkm_identification.records.atomic import replacing
from pkm_identification.records.log import write_log
from pkm_identification.simulation.faults import parse_fault
from pkm_identification.simulation.sensors import SensorSettings
from pkm_identification.simulation.simulator import Simulator
from pkm_identification.simulation.trajectories import Trajectory, trajectory

from .cases import Case
from .machines import nominal, truth
from .motions import Motion, measured_only
from .pairs import Pair
from .right_logs import RightLog

DURATION = 12.0  # s
SEED = 11


@functools.cache
def state_of_the_code() -> str:
    """Digest of the package's code: tells diagnoses of an earlier state of it."""
    digest = hashlib.sha256()
    for path in sorted(Path(pkm_identification.__file__).parent.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


@dataclass(frozen=True)
class Runs:
    """What was simulated and diagnosed so far.

    Attributes
    ----------
    folder : Path
        Motions, machine files, logs and diagnoses, each in a folder of their own.
    noise : float
        Of the forces, relative, of logs with faults.
    duration : float
        Of these logs, s.
    """

    folder: Path
    noise: float = 0.01
    duration: float = DURATION

    def right(self, machine: str) -> dict[str, Any]:
        """The diagnosis of a machine's log without fault: the same motion, noise and seeds as those with faults."""
        return self._kept(f"{machine}-right", nominal(machine), lambda: self._simulated(machine, ()))

    def case(self, case: Case) -> dict[str, Any]:
        """The diagnosis of a log with a fault."""
        return self._kept(
            case.key, nominal(case.machine), lambda: self._simulated(case.machine, (case.fault,))
        )

    def pair(self, pair: Pair) -> dict[str, Any]:
        """The diagnosis of a log with two faults."""
        return self._kept(pair.key, nominal(pair.machine), lambda: self._simulated(pair.machine, pair.faults))

    def right_log(self, right: RightLog) -> dict[str, Any]:
        """The diagnosis of one of the many right logs."""
        motion = self.folder / "motions" / f"right-{right.motion:04d}.npz"

        def measure() -> DriveLog:
            moved = self._motion(motion, right.moved)
            sensors = SensorSettings(current_noise=right.noise)
            return moved.measure(right.truth(), right.nominal(), right.trajectory(), sensors, right.number)

        found = self._kept(right.key, right.nominal(), measure, keep=False)
        if right.last:
            motion.unlink(missing_ok=True)
        return found

    def cured(self, case: Case, machine: Machine) -> dict[str, Any]:
        """The diagnosis of a case's log with a machine file that knows the cause."""
        return self._kept(
            f"{case.key}-cured", machine, lambda: self._simulated(case.machine, (case.fault,)), log=case.key
        )

    def has(self, key: str) -> bool:
        """Whether there is a diagnosis of a key."""
        return (self.folder / "diagnoses" / f"{key}.json").exists()

    def forget(self, key: str) -> None:
        """Let a log be diagnosed again."""
        for name in (key, f"{key}-cured"):
            (self.folder / "diagnoses" / f"{name}.json").unlink(missing_ok=True)

    def log(self, case: Case) -> Path:
        """The log of a case, simulated if it is not there yet."""
        return self._log(case.key, lambda: self._simulated(case.machine, (case.fault,)))

    def _log(self, key: str, make: Callable[[], DriveLog]) -> Path:
        place = self.folder / "logs" / f"{key}.csv.gz"
        if not place.exists():
            place.parent.mkdir(parents=True, exist_ok=True)
            write_log(place, make())
        return place

    def _motion(self, place: Path, make: Callable[[], Motion]) -> Motion:
        if not place.exists():
            make().write(place)
        return Motion.read(place)

    def _simulated(self, machine: str, faults: tuple[str, ...]) -> DriveLog:
        file, true = nominal(machine), truth(machine)
        wrong = tuple(parse_fault(text) for text in faults)
        sensors = SensorSettings(current_noise=self.noise)
        asked = _trajectory(machine, self.duration)
        if all(map(measured_only, wrong)):
            place = self.folder / "motions" / f"{machine}.npz"
            moved = self._motion(place, lambda: Motion.simulated(true, file, asked))
            return moved.measure(true, file, asked, sensors, SEED, wrong)
        return Simulator(true, asked, nominal=file, sensors=sensors, seed=SEED, faults=wrong).run().log()

    def _kept(
        self, key: str, machine: Machine, make: Callable[[], DriveLog], keep: bool = True, log: str = ""
    ) -> dict[str, Any]:
        """The diagnosis of a key, read or made; of the log of that key, or of another's."""
        place = self.folder / "diagnoses" / f"{key}.json"
        if place.exists():
            return json.loads(place.read_text(encoding="utf-8"))
        for name in ("diagnoses", "machines"):
            (self.folder / name).mkdir(parents=True, exist_ok=True)
        description = self.folder / "machines" / f"{key}.yaml"
        description.write_text(format_machine_text(machine, "yaml"), encoding="utf-8")
        written = None
        try:
            written = self._log(log or key, make)
            found = self._diagnosed(written, description)
        except PkmError as error:
            found = {"code": None, "said": f"not simulated: {error}", "document": None, "seconds": 0.0}
        found["state"] = state_of_the_code()
        with replacing(place) as temporary:
            temporary.write_text(json.dumps(found), encoding="utf-8")
        if written is not None and not keep:
            written.unlink()
        return found

    def _diagnosed(self, log: Path, description: Path) -> dict[str, Any]:
        out, err = io.StringIO(), io.StringIO()
        start = time.process_time()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = pkm(["diagnose", str(log), "--machine", str(description), "--json", "-"])
        seconds = time.process_time() - start
        text = out.getvalue()
        document = json.loads(text) if text.lstrip().startswith("{") else None
        if document is not None:
            document = {name: document.get(name) for name in ("parameters", "fit", "state")}
        return {"code": code, "said": err.getvalue().strip(), "document": document, "seconds": seconds}


def is_earlier(found: dict[str, Any]) -> bool:
    """Whether an earlier state of the package made a diagnosis, or one that did not say which."""
    return found.get("state") != state_of_the_code()


@functools.cache
def _trajectory(machine: str, duration: float) -> Trajectory:
    return trajectory("rich", nominal(machine), duration)
