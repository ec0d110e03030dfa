# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Where an online estimate is kept: written atomically, read again by the next start."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from pkm_identification.errors import DocumentError, OutputError, PkmError
from pkm_identification.identification.estimate_file import write_estimate_json
from pkm_identification.identification.result import Identification
from pkm_identification.identification.saved_estimate import SavedEstimate, read_saved_estimate
from pkm_identification.identification.settings import Settings
from pkm_identification.machines.contract import Machine
from pkm_identification.records.atomic import refuse_impossible, replacing

from ..parameters.declarations import ParameterError

if TYPE_CHECKING:
    from pkm_identification.identification.online.online_estimator import OnlineEstimator
    from pkm_identification.parameters.parameter_set import ParameterSet


try:
    import fcntl
except ImportError:  # pragma: no cover - Windows has none, and there nobody is kept out
    fcntl = None  # type: ignore[assignment]


class FileClaim:
    """Claims a file for this object, by a lock on a file next to it; the operating system lets go of those of the dead.

    Parameters
    ----------
    path : Path
        The file that is written.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock: int | None = None

    @property
    def lock_path(self) -> Path:
        """The file that is locked; it stays, because whoever took it away would let two claim the same."""
        return self._path.with_suffix(".lock")

    def take(self) -> None:
        """Claim the file, unless that is done.

        Raises
        ------
        OutputError
            If another one has claimed it: says which process.
        OSError
            If nothing can be written there.
        """
        if self._lock is not None or fcntl is None:
            return
        self._path.parent.mkdir(parents=True, exist_ok=True)
        lock = os.open(self.lock_path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            owner = os.read(lock, 100).decode(errors="replace").strip()
            os.close(lock)
            raise OutputError(
                f"{self._path}: another estimator keeps its estimate there (process {owner or 'unknown'}): end it, or "
                "give this one another save_name"
            ) from None
        os.ftruncate(lock, 0)
        os.pwrite(lock, f"{os.getpid()}\n".encode(), 0)
        self._lock = lock

    def release(self) -> None:
        """Let others claim the file; may be called again."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


# Counters of the online estimator that say why samples were not used, as files and diagnostics call them.
DROPPED = {
    "no_pose": "skipped_status",
    "no_force": "no_force",
    "stepping": "stepping",
    "resting": "resting",
    "gated": "gated",
}


@dataclass
class EstimateStore:
    """The file of one estimator.

    Attributes
    ----------
    machine : Machine
    settings : Settings
        For the document.
    path : Path
    machine_id : str
        Which of the machines of that description.
    saved : int
        Equations behind what was saved last, 0 before.
    trouble : str
        What was wrong with the file to go on from; empty when it was right, and after the next save.
    """

    machine: Machine
    settings: Settings
    path: Path
    machine_id: str
    saved: int = 0
    trouble: str = ""

    def __post_init__(self) -> None:
        self._claim = FileClaim(self.path)

    def claim(self) -> None:
        """Keep other estimators off the file from now on, if that is possible.

        Raises
        ------
        OutputError
            If another estimator keeps its estimate there.
        """
        with contextlib.suppress(OSError):  # what cannot be written is told when it is saved
            self._claim.take()

    def release(self) -> None:
        """Let others have the file; may be called again."""
        self._claim.release()

    @property
    def previous(self) -> Path:
        """What was saved before the newest."""
        return self.path.with_suffix(".previous.json")

    def rename(self, path: Path) -> None:
        """Save to another file from now on: what is known is new to it."""
        if path != self.path:
            self._claim.release()
            self.path, self.saved = path, 0
            self._claim = FileClaim(path)

    def start_value(self, given: str, resume: bool, parameters: ParameterSet) -> SavedEstimate | None:
        """What to start from: this store's own file if `resume` and it is there, else the `given` one, else None.

        In place of an own file that is damaged stands the one before it, and `trouble` says so.

        Raises
        ------
        DocumentError
            If the file cannot be trusted or belongs to another machine, other parameters or other statements about
            them; the own file also if it is another machine's of the same description.
        """
        saved = self._own() if resume else None
        if saved is not None and (problem := self._anothers(saved)):
            raise DocumentError(problem)
        if saved is None and given:
            saved = read_saved_estimate(Path(given).expanduser())
        if saved is None:
            return None
        saved.check(self.machine, parameters, self.settings.estimator.assumptions.described())
        return saved

    def _own(self) -> SavedEstimate | None:
        """The own file, or in place of a damaged one that before it; None where there is none: that is a new start."""
        self.trouble = ""
        if not self.path.exists():
            return None
        for path in (self.path, self.previous):
            try:
                _refuse_what_is_no_file(path)
                return read_saved_estimate(path)
            except (DocumentError, OutputError) as error:
                self.trouble = self.trouble or f"could not go on from what was saved: {error}"
        return None

    def _anothers(self, saved: SavedEstimate) -> str:
        """Return what is wrong with a file when it is another machine's; empty when it is ours or does not say."""
        if saved.machine_id in (None, self.machine_id):
            return ""
        return (
            f"{saved.source}: is of machine '{saved.machine_id}', this one is '{self.machine_id}': give each its own "
            "save_name, or none"
        )

    def _keep_off(self) -> None:
        """Refuse to write over another machine's file."""
        try:
            problem = self._anothers(read_saved_estimate(self.path))
        except DocumentError:
            return  # a damaged one is nobody's
        if problem:
            raise OutputError(problem)

    def save(self, estimator: OnlineEstimator, delay: float) -> Path:
        """Write the estimate; complete or not at all.

        Parameters
        ----------
        estimator : OnlineEstimator
        delay : float
            Of the strut filter in s.

        Raises
        ------
        PkmError
            If nothing is learned yet.
        OutputError
            If the file cannot be written, is another machine's, or another estimator keeps its estimate there.
        """
        estimate = estimator.estimate
        if not estimate.count:
            raise PkmError("nothing is learned yet: there is no estimate to save")
        result = Identification(
            machine=self.machine,
            settings=self.settings,
            parameters=self.settings.parameter_set(self.machine),
            estimate=estimate,
            samples=estimator.counts["used"],
            dropped={reason: estimator.counts[name] for reason, name in DROPPED.items()},
            residual_rms=np.empty(0),
            converged=True,
            delay=delay,
        )
        self.path.parent.mkdir(parents=True, exist_ok=True)
        for path in (self.path, self.previous):
            _refuse_what_is_no_file(path)
        self._claim.take()
        if not self.saved and self.path.exists():
            self._keep_off()
        if self.path.exists() and not self.trouble:
            with replacing(self.previous) as copy:
                shutil.copyfile(self.path, copy)
        write_estimate_json(self.path, result, machine_id=self.machine_id)
        self.saved, self.trouble = estimate.count, ""
        return self.path

    def save_new(self, estimator: OnlineEstimator, delay: float) -> None:
        """The same if more is known than what was saved: after a jump of the clock, what was learned before stays."""
        if estimator.count > self.saved:
            self.save(estimator, delay)


def _refuse_what_is_no_file(path: Path) -> None:
    """A pipe would hold the node up until somebody reads it, a device keeps nothing, a link may lead anywhere.

    Raises
    ------
    OutputError
        If something stands at the path that is not the file of an estimate.
    """
    if path.exists() and not path.is_file():
        raise OutputError(f"{path}: is no file, but where an estimate is to be kept: take it away")
    refuse_impossible(path)


def estimate_folder(given: str, environment: Mapping[str, str] = os.environ) -> Path:
    """Return where estimates are kept: as given, else below ROS_HOME, else below ~/.ros, as ROS's logs are."""
    home = Path(environment.get("ROS_HOME") or "~/.ros")
    return Path(given or home / "pkm_identification").expanduser().resolve()


def estimate_name(given: str, machine_id: str) -> str:
    """File name of an estimate: as given, else the machine's id, with what is no letter, digit, dot or dash as `_`."""
    return given or re.sub(r"[^\w.-]+", "_", machine_id).lstrip(".") + ".json"


def confine_path(folder: Path, name: str) -> Path:
    """Path of a JSON file directly in a folder.

    Raises
    ------
    ParameterError
        If the name leads anywhere else, or is that of another kind of file.
    """
    if Path(name).name != name or Path(name).suffix != ".json":
        raise ParameterError(
            f"parameter 'save_name' = {name!r}: must be a plain file name NAME.json, without folders"
        )
    return folder / name
