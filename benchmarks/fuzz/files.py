# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Mutated logs and machine descriptions: read, or refused with one line; what is read can be used."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from time import perf_counter, process_time

import numpy as np

from pkm_identification.errors import LogError, MachineError, PkmError
from pkm_identification.identification.settings import Settings
from pkm_identification.machines.load import as_machine
from pkm_identification.mechanisms.hexapod.dynamics import strut_forces
from pkm_identification.mechanisms.hexapod.kinematics.inverse import strut_lengths
from pkm_identification.mechanisms.hexapod.kinematics.tracker import PlatformTracker
from pkm_identification.mechanisms.hexapod.machine import Machine, builtin_machines
from pkm_identification.motion import DriveLog, DriveSample, PlatformMotion
from pkm_identification.records.bags.writer import STORAGES, write_strut_bag
from pkm_identification.records.commanded_log import (
    FEWEST_AT_REST,
    CommandedLog,
    read_commanded_log,
    write_commanded_log,
)
from pkm_identification.records.foreign import LogLayout
from pkm_identification.records.log import read_log, write_log
from pkm_identification.signals.causal import CausalFilter
from pkm_identification.signals.input_validation import InputValidator

from . import damage as changes
from .bombs import write_bombs
from .descriptions import list_descriptions, use_description
from .others import LAYOUTS, write_others
from .outcome import FuzzFailure, Outcome, describe_place, read_peak_memory

ROWS = 150
LONGEST_MESSAGE = 3000  # characters of a line that shall be read by people
MOST_SECONDS = 30.0  # of processor time for one small file; the first of a kind compiles kernels
MOST_MEMORY = (
    1_500 * 2**20
)  # bytes by which one small file may raise the largest memory so far: parts of a text


class Files:
    """Logs and descriptions to mutate, and a place to write them.

    Parameters
    ----------
    folder : Path
        Must exist; is left empty but for the bytes of what failed.
    seed : int
    goes_on : bool
        Whether failures are collected in `failures`, a line each, or the first is raised.
    """

    def __init__(self, folder: Path, seed: int, goes_on: bool = False) -> None:
        self.goes_on = goes_on
        self.failures: list[str] = []
        plain = Machine.load("uf").document
        reports = {"rated_force": 3000.0, "cylinder": {"piston_area": 1e-3, "rod_side_area": 7e-4}}
        self.machine = Machine.from_document(plain | {"drive": plain["drive"] | reports})
        self.random = np.random.default_rng(seed)
        kinds = ("csv", "bags", "machines", "other programs", "commands", "descriptions")
        self.outcomes = {name: Outcome() for name in kinds}
        self._folder = folder
        log = self._log()
        write_log(folder / "si.csv", log)
        self._csv = [(folder / "si.csv").read_bytes(), self._raw(log)]
        (folder / "si.csv").unlink()
        self._bags = {}
        for storage in STORAGES:
            write_strut_bag(folder / "bag", log, storage)
            self._bags[storage] = {file.name: file.read_bytes() for file in (folder / "bag").iterdir()}
            shutil.rmtree(folder / "bag")
        self._others = write_others(folder, log)
        self._drives = as_machine(self.machine).drives
        told = CommandedLog(log.time, log.length.round(3), log.length, log.force)
        told.command[:10] = told.command[0]
        write_commanded_log(folder / "told.csv", told, self._drives)
        self._told = (folder / "told.csv").read_bytes()
        (folder / "told.csv").unlink()
        self._descriptions = list_descriptions()
        self._yaml = [builtin_machines()[name].read_bytes() for name in sorted(builtin_machines())]

    def run(self, count: int) -> dict[str, Outcome]:
        """Try so many files: of 18 six CSV logs, a bag, four of other programs, three machines, a step, three models.

        Raises
        ------
        FuzzFailure
            If a reader raises anything but its own error, accepts what cannot be used, or takes too much memory or
            time.
        """
        kinds = (
            [self._try_csv] * 6
            + [self._try_bag]
            + [self._try_other] * 4
            + [self._try_machine] * 3
            + [self._try_commanded]
            + [self._try_description] * 3
        )
        for k in range(count):
            kinds[k % len(kinds)](k)
        return self.outcomes

    def run_bombs(self, size: int) -> Outcome:
        """Try small files that unpack to so many bytes, each kind once; raises as `run`."""
        outcome = self.outcomes["bombs"] = Outcome()
        for k, path in enumerate(write_bombs(self._folder, size)):
            layout = LogLayout.of(*LAYOUTS[path.name][:2], None, None) if path.name in LAYOUTS else None
            is_log = path.suffix not in (".yaml", ".urdf")
            self._attempt(
                "bombs",
                k,
                lambda path=path, layout=layout, is_log=is_log: (  # type: ignore[misc]
                    self._use_log(path, layout) if is_log else use_description(path)
                ),
                path.name.encode(),
            )
        return outcome

    def _try_csv(self, k: int) -> None:
        data = self._csv[int(self.random.integers(2))]
        packed = self.random.random() < 0.2
        path = self._folder / ("log.csv.gz" if packed else "log.csv")
        data = changes.compressed(self.random, data) if packed else changes.mutated(self.random, data)
        path.write_bytes(data)
        self._attempt("csv", k, lambda: self._use_log(path), data)
        path.unlink()

    def _try_bag(self, k: int) -> None:
        storage = list(self._bags)[int(self.random.integers(len(self._bags)))]
        path = self._folder / "bag"
        path.mkdir()
        chosen = list(self._bags[storage])[int(self.random.integers(len(self._bags[storage])))]
        for name, data in self._bags[storage].items():
            content = changes.mutated(self.random, data) if name == chosen else data
            (path / name).write_bytes(content)
        self._attempt("bags", k, lambda: self._use_log(path), (path / chosen).read_bytes())
        shutil.rmtree(path)

    def _try_other(self, k: int) -> None:
        name, (columns, units, rate) = list(LAYOUTS.items())[int(self.random.integers(len(LAYOUTS)))]
        path = self._folder / name
        data = changes.mutated(self.random, self._others[name])
        path.write_bytes(data)
        layout = LogLayout.of(columns, units, None, rate)
        self._attempt("other programs", k, lambda: self._use_log(path, layout), data)
        path.unlink()

    def _try_commanded(self, k: int) -> None:
        path = self._folder / "told.csv"
        data = changes.mutated(self.random, self._told)
        path.write_bytes(data)
        self._attempt("commands", k, lambda: self._use_commanded(path), data)
        path.unlink()

    def _use_commanded(self, path: Path) -> None:
        log = read_commanded_log(path, self._drives)
        values = np.hstack([log.command, log.coordinate])
        if not np.all(np.isfinite(values)) or log.rest_rows.stop < FEWEST_AT_REST:
            raise FuzzFailure(f"{path}: read, though it is of no use")

    def _try_description(self, k: int) -> None:
        name = list(self._descriptions)[int(self.random.integers(len(self._descriptions)))]
        path = self._folder / f"read_{name}"
        data = changes.mutated(self.random, self._descriptions[name])
        path.write_bytes(data)
        self._attempt("descriptions", k, lambda: use_description(path), data)
        path.unlink()

    def _try_machine(self, k: int) -> None:
        path = self._folder / "machine.yaml"
        data = self._yaml[int(self.random.integers(len(self._yaml)))]
        data = changes.mutated(self.random, data)
        path.write_bytes(data)
        self._attempt("machines", k, lambda: self._use_machine(path), data)
        path.unlink()

    def _attempt(self, kind: str, k: int, action: Callable[[], object], data: bytes) -> None:
        outcome = self.outcomes[kind]
        began, started, held = perf_counter(), process_time(), read_peak_memory()
        try:
            with np.errstate(all="ignore"):
                action()
            outcome.fates["used"] += 1
        except PkmError as error:
            outcome.fates["refused"] += 1
            text = str(error)
            known = isinstance(error, LogError | MachineError) or kind in ("descriptions", "bombs")
            if not known or "\n" in text or len(text) > LONGEST_MESSAGE or str(self._folder) not in text:
                self._fail(
                    kind, k, f"no line for people: {type(error).__name__}: {text[:500]!r}", data, error
                )
        except Exception as error:
            self._fail(kind, k, repr(error)[:500], data, error)
        outcome.timed(began)
        took, memory = process_time() - started, read_peak_memory() - held
        outcome.memory = max(outcome.memory, memory)
        if took > MOST_SECONDS or memory > MOST_MEMORY:
            self._fail(
                kind, k, f"{took:.3g} s of processor time, {memory / 2**20:.0f} MB more than before", data
            )

    def _fail(self, kind: str, k: int, what: str, data: bytes, error: Exception | None = None) -> None:
        """Count a failure and keep its bytes where the run goes on; else raise."""
        kept = self._folder / f"failed_{kind.replace(' ', '_')}_{k}"
        kept.write_bytes(data)
        self.failures.append(f"{kind} {k}: {what}; its bytes are in {kept}{describe_place(error)}")
        if not self.goes_on:
            raise FuzzFailure(self.failures[-1]) from error

    def _use_log(self, path: Path, layout: LogLayout | None = None) -> None:
        log = read_log(path, self.machine, None, layout)
        faults = log.faults
        if log.length.shape != (len(log), 6) or any(count <= 0 for count in faults.values()):
            raise FuzzFailure(f"{path.name}: {log.length.shape} lengths, faults {faults}")
        settings = Settings().resolve(self.machine)
        validated = InputValidator(settings.validation).validation(log)
        motion = CausalFilter(settings.filter).filter(validated)
        for values in (validated.time, validated.length, motion.length, motion.rate, motion.acceleration):
            if not np.isfinite(values).all():
                raise FuzzFailure(f"{path.name}: not finite behind the guard")

    def _use_machine(self, path: Path) -> None:
        machine = Machine.load(path)
        home = strut_lengths(machine, machine.home_position[None], machine.home_rotation[None])
        still = np.zeros(6)
        sample = PlatformTracker(machine).step(DriveSample(1.0, home[0], still, still, None, 0))
        at_home = PlatformMotion(
            np.zeros(1),
            machine.home_position[None],
            machine.home_rotation[None],
            np.zeros((1, 6)),
            np.zeros((1, 6)),
        )
        force = strut_forces(machine, at_home)
        for values in (home, sample.position, force):
            if not np.isfinite(values).all():
                raise FuzzFailure(f"{path.name}: accepted, but at home {values} is not finite")

    def _log(self) -> DriveLog:
        time = np.arange(1.0, ROWS + 1.0) * 1e-3
        swing = np.sin(20.0 * time[:, None] + np.arange(6))
        return DriveLog(time, 0.4 + 0.02 * swing, 100.0 * swing, "made")

    def _raw(self, log: DriveLog) -> bytes:
        header = ",".join(["t", *(f"enc_{i}" for i in range(1, 7)), *(f"cur_{i}" for i in range(1, 7))])
        drive = self.machine.drive
        assert log.force is not None
        counts = np.round((log.length - drive.length_at_zero) * drive.counts_per_meter).astype(int)
        rows = [
            ",".join([f"{t:.6f}", *map(str, c), *(f"{x:.4f}" for x in f / 100.0)])
            for t, c, f in zip(log.time.tolist(), counts.tolist(), log.force)
        ]
        return ("\n".join([header, *rows]) + "\n").encode()
