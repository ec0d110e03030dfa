# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""An identification of logs of any machine, set right first where they are in other units or another order."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pkm_identification.errors import LogError, SettingsError
from pkm_identification.machines.capabilities import HexapodFile, has, require
from pkm_identification.machines.contract import Machine
from pkm_identification.records import read_log
from pkm_identification.records.drive_log import read_drive_log
from pkm_identification.records.foreign import LogLayout

from .result import Identification
from .settings import Settings


def read_machine_log(
    path: str | Path, machine: Machine, topic: str | None = None, layout: LogLayout | None = None
) -> tuple[Any, dict[str, int]]:
    """Return a log of a machine, and what was left out on reading it, by reason; raises LogError as the readers."""
    if has(machine, HexapodFile):
        return read_log(path, require(machine, HexapodFile, "a log of struts").description, topic, layout)
    log = read_drive_log(path, machine.drives, topic, layout)
    return log, log.faults


def identify_logs(
    logs: Sequence[Any],
    machine: Machine,
    settings: Settings,
    faults: dict[str, int] | None = None,
    *,
    falls: Sequence[Any] = (),
    validate: Any = None,
    also: Sequence[str] = (),
) -> Identification:
    """Return an identification of a machine.

    Parameters
    ----------
    logs : sequence of StrutLog, or of DriveLog
        As readers of the machine's logs give them.
    machine : Machine
    settings : Settings
    faults : dict of str to int, optional
        Samples that the readers left out already, by reason.
    falls : sequence of StrutLog
        See `identify.identify`.
    validate : StrutLog or DriveLog, optional
        Whose forces are predicted; else the end of each log is.
    also : sequence of str
        What is estimated besides, where the settings do not say so.

    Raises
    ------
    PkmError
        As `identify.identify` and `mechanism.identify.identify_mechanism`.
    """
    # kernels of the one kind of machine are not loaded for the other
    if has(machine, HexapodFile):
        from .identify import identify
        from .identify import validate as predict

        description = require(machine, HexapodFile, "identify").description
        result = identify(logs, description, settings, faults, falls)
        return result if validate is None else predict(result, validate)
    if falls:
        raise SettingsError(f"a free fall: '{machine.name}' has no model of a fall with the drives off")
    from .mechanism.identify import identify_mechanism

    return identify_mechanism(machine.loaded, logs, settings, validate, also)


def diagnose_logs(
    logs: Sequence[Any],
    machine: Machine,
    settings: Settings,
    faults: dict[str, int] | None = None,
    also: Sequence[str] = (),
) -> Identification:
    """Return an identification whose fit is judged; raises as `identify_logs`, but not for other units or orders.

    Raises
    ------
    LogError
        If the logs are too short to tell noise from misfit.
    """
    if has(machine, HexapodFile):
        from .diagnosis.as_recorded import diagnosed

        description = require(machine, HexapodFile, "diagnose").description
        result = diagnosed(logs, description, settings, faults)
    else:
        result = identify_logs(logs, machine, settings, faults, also=also)
    if result.fit is None:
        raise LogError(f"{logs[0].source}: the log is too short to tell noise from misfit")
    return result
