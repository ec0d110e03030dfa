"""Where an online estimate is kept: written atomically, read again by the next start."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from pkm_identification.errors import DocumentError, PkmError
from pkm_identification.identification.estimate_file import write_estimate_json
from pkm_identification.identification.result import Identification
from pkm_identification.identification.saved_estimate import SavedEstimate, read_saved_estimate
from pkm_identification.identification.settings import Settings
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.records.atomic import replacing

from ..parameters.declarations import ParameterError

if TYPE_CHECKING:
    from pkm_identification.identification.online.online_estimator import OnlineEstimator
    from pkm_identification.parameters.parameter_set import ParameterSet

# Counters of the online estimator that say why samples were not used, as files and diagnostics call them.
DROPPED = {"no_pose": "skipped_status", "no_force": "no_force", "gated": "gated"}


@dataclass
class EstimateStore:
    """The file of one estimator.

    Attributes
    ----------
    machine : Machine
    settings : Settings
        For the document.
    path : Path
    saved : int
        Equations behind what was saved last, 0 before.
    trouble : str
        What was wrong with the file to go on from; empty when it was right, and after the next save.
    """

    machine: Machine
    settings: Settings
    path: Path
    saved: int = 0
    trouble: str = ""

    @property
    def previous(self) -> Path:
        """What was saved before the newest."""
        return self.path.with_suffix(".previous.json")

    def rename(self, path: Path) -> None:
        """Save to another file from now on: what is known is new to it."""
        if path != self.path:
            self.path, self.saved = path, 0

    def start_value(self, given: str, resume: bool, parameters: ParameterSet) -> SavedEstimate | None:
        """What to start from: this store's own file if `resume` and it is there, else the `given` one, else None.

        In place of an own file that is damaged stands the one before it, and `trouble` says so.

        Raises
        ------
        DocumentError
            If the file cannot be trusted or belongs to another machine, other parameters or other statements about
            them.
        """
        saved = self._own() if resume else None
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
                return read_saved_estimate(path)
            except DocumentError as error:
                self.trouble = self.trouble or f"could not go on from what was saved: {error}"
        return None

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
            If the file cannot be written.
        """
        estimate = estimator.estimate
        if not estimate.count:
            raise PkmError("nothing is learned yet: there is no estimate to save")
        result = Identification(
            machine=self.machine,
            settings=self.settings,
            estimate=estimate,
            samples=estimator.counts["used"],
            dropped={reason: estimator.counts[name] for reason, name in DROPPED.items()},
            residual_rms=np.empty(0),
            converged=True,
            delay=delay,
        )
        self.path.parent.mkdir(parents=True, exist_ok=True)
        if self.path.exists() and not self.trouble:
            with replacing(self.previous) as copy:
                shutil.copyfile(self.path, copy)
        write_estimate_json(self.path, result)
        self.saved, self.trouble = estimate.count, ""
        return self.path

    def save_new(self, estimator: OnlineEstimator, delay: float) -> None:
        """The same if more is known than what was saved: after a jump of the clock, what was learned before stays."""
        if estimator.count > self.saved:
            self.save(estimator, delay)


def confined(folder: str, name: str) -> Path:
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
    return Path(folder).expanduser().resolve() / name
