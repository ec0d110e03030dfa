# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Identification of mechanisms that are no hexapods: logs of their drives in, base parameters and friction out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pkm_identification.identification.mechanism.estimate_file import write_estimate_json
from pkm_identification.identification.mechanism.identify import identify_mechanism as identified
from pkm_identification.identification.mechanism.result import MechanismIdentification, Prediction
from pkm_identification.identification.model_errors.errors import parse_also
from pkm_identification.identification.settings import HOLD_OUT, Settings, assumptions_of
from pkm_identification.machines.contract import Drive
from pkm_identification.machines.multibody import Multibody
from pkm_identification.mechanisms.multibody.mechanism import Mechanism
from pkm_identification.records.channels import build_drive_channels
from pkm_identification.records.drive_log import DriveLog, read_drive_log
from pkm_identification.records.foreign import LogLayout
from pkm_identification.report.mechanisms.summary import summary

from .finished import FinishedIdentification
from .older_names import as_mechanism

AnyMechanism = Mechanism | str | Path

DriveLogSource = DriveLog | str | Path


@dataclass(frozen=True, repr=False)
class MechanismResult(FinishedIdentification[MechanismIdentification]):
    """A finished identification of a mechanism.

    Attributes
    ----------
    identification : MechanismIdentification
        All of it: mechanism, settings, estimate, prediction, misfit.
    """

    @property
    def mechanism(self) -> Mechanism:
        """The mechanism file it is relative to."""
        return self.identification.mechanism

    @property
    def fits(self) -> bool:
        """Whether what the model leaves is no more than noise leaves."""
        return self.identification.fits

    @property
    def prediction(self) -> Prediction | None:
        """Prediction of forces that were not used, where there is one."""
        return self.identification.prediction

    def report(self, folder: str | Path) -> Path:
        """Write estimate.json, forces.png and report.html into a folder; raises OutputError if that is impossible.

        Returns
        -------
        Path
            Of the page.
        """
        # matplotlib takes longer to load than the identification
        from pkm_identification.report.mechanisms.folder import write_report

        return write_report(folder, self.identification)

    def save(self, path: str | Path) -> Path:
        """Write estimate.json, complete or not at all."""
        write_estimate_json(path, self.identification)
        return Path(path)

    def __str__(self) -> str:
        return summary(self.identification)

    def __repr__(self) -> str:
        identification, ending = self.identification, "" if self.converged else ", not converged"
        return f"<MechanismResult of '{self.mechanism.name}' by {identification.estimate.estimator}{ending}>"


def identify_mechanism(
    logs: DriveLogSource | Sequence[DriveLogSource],
    mechanism: AnyMechanism,
    *,
    validate: DriveLogSource | None = None,
    fix: Sequence[str] = (),
    tie: Sequence[str] = (),
    prior: str | Path = "",
    also: str | Sequence[str] = (),
    topic: str | None = None,
    columns: str | None = None,
    units: str | None = None,
    joints: str | None = None,
    rate: float | None = None,
    **settings: Any,
) -> MechanismResult:
    """Identify a mechanism that is no hexapod: base parameters and friction of its drives.

    Parameters
    ----------
    logs : path, DriveLog, or a sequence of them
        Pieces of one experiment or several motions; of files those that `records.drive_log.read_drive_log` takes.
    mechanism : str, Path or Mechanism
        Structure, nominal values and drives.
    validate : path or log, optional
        Another log, whose forces are predicted; else the end of each log is predicted by an estimate from the rest.
    fix, tie : sequence of str
        Parameters that are known (`NAME` or `NAME=VALUE`, `viscous`, `coulomb`), or follow another.
    prior : str or Path
        YAML file of what is known beforehand.
    also : str or sequence of str
        What is estimated besides, as `force_delay_q1`, `force_offset`; docs/mechanisms.md lists it.
    topic : str, optional
        Of recordings, where several topics have all drives.
    columns, units, joints : str, optional
        What logs of other programs look like, as the options of `pkm identify`.
    rate : float, optional
        Samples per second of logs whose time is counted in samples or not there.
    **settings
        As the options of `pkm identify`: `estimator`, `band_cutoff`, `band_order`, `forgetting`, `data_order`.

    Returns
    -------
    MechanismResult

    Raises
    ------
    SettingsError
        If a setting is impossible.
    LogError
        If a log cannot be read or used.
    MachineError
        If there is no such mechanism or its file is wrong.
    Unidentifiable
        If no parameter is identifiable from this motion, not even in a combination.
    TypeError
        If there is no such setting.

    Examples
    --------
    >>> import pkm_identification as pkm
    >>> result = pkm.identify_mechanism("mast.csv", "mast", estimator="ls")  # doctest: +SKIP
    >>> result.fits                                                          # doctest: +SKIP
    True
    """
    whole = as_mechanism(mechanism)
    chosen = Settings.of(
        assumptions=assumptions_of(fix, tie, str(prior)),
        hold_out=0.0 if validate is not None else HOLD_OUT,
        **settings,
    )
    several = [logs] if isinstance(logs, (str, Path, DriveLog)) else logs
    drives = Multibody(whole).drives
    layout = LogLayout.of(columns, units, joints, rate, build_drive_channels(drives))
    read = [_read(log, drives, topic, layout) for log in several]
    other = None if validate is None else _read(validate, drives, topic, layout)
    names = parse_also(also) if isinstance(also, str) else tuple(also)
    return MechanismResult(identified(whole, read, chosen, other, names))


def _read(
    log: DriveLogSource, drives: Sequence[Drive], topic: str | None, layout: LogLayout | None
) -> DriveLog:
    if isinstance(log, DriveLog):
        return log
    return read_drive_log(log, drives, topic, layout)
