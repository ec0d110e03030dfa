# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Logs of the machine that a command is given, of either kind: how they are read, examined, refused and written."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from pkm_identification.identification.log_check import LogCheck, inspect_log
from pkm_identification.identification.model_errors.estimated.registry import parse_names
from pkm_identification.identification.regression.validation import refuse_useless
from pkm_identification.identification.settings import Settings
from pkm_identification.machines.contract import Machine
from pkm_identification.machines.hexapod import Hexapod
from pkm_identification.mechanisms.builtin import HEXAPOD, find_kind
from pkm_identification.motion import DriveLog
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.records import read_log, write_log
from pkm_identification.records.channels import Channels
from pkm_identification.records.foreign import LogLayout
from pkm_identification.records.strut_csv import STRUT_CHANNELS
from pkm_identification.signals.guard.unusable import refuse_copies

from .arguments import machine_of_logs, reading, require_hexapod_for


@dataclass(frozen=True)
class MachineLogs:
    """What commands do with logs of one machine.

    Attributes
    ----------
    machine : Machine or None
        None where no machine is given.
    channels : Channels
        Columns of such logs.
    layout : LogLayout or None
        What the options say.
    read : callable (path) -> log
    inspect : callable (log) -> LogCheck
    refuse : callable (log)
        Raises LogError where a log cannot be this machine's.
    show : callable (log) -> list of (str, ndarray or None, str)
        Name, values (N, n) and unit of what a log has.
    write : callable (path, log)
    """

    machine: Machine | None
    channels: Channels
    layout: LogLayout | None
    read: Callable[[str], DriveLog]
    inspect: Callable[[DriveLog], LogCheck]
    refuse: Callable[[Any], None]
    show: Callable[[Any], list[tuple[str, FloatArray | None, str]]]
    write: Callable[[str, Any], None]

    def read_all(self, paths: Sequence[str]) -> list[DriveLog]:
        """Return several logs."""
        return [self.read(path) for path in paths]


def settings_of(options: argparse.Namespace, machine: Machine, names: Sequence[str], **more: Any) -> Settings:
    """Return settings of the options of these names.

    Raises
    ------
    SettingsError
        If a value is impossible, or an option is for other machines.
    """
    also = parse_names(options.also) if "also" in options else ()
    settings = Settings.of(**{name: getattr(options, name) for name in names}, also=also, **more)
    settings.parameter_set(machine)  # a wrong name is found before long logs are read
    return settings


def open_logs(options: argparse.Namespace) -> MachineLogs:
    """Return what is done with logs of the machine of --machine, a hexapod where none is given, by `add_reading`."""
    if options.machine is not None and find_kind(options.machine) != HEXAPOD:
        return _of_drives(options)
    machine = None if options.machine is None else machine_of_logs(options)
    how = reading(options)

    def inspect(log: DriveLog) -> LogCheck:
        return inspect_log(log, machine_of_logs(options) if machine is None else machine)

    def refuse(log: DriveLog) -> None:
        if machine is None:
            refuse_copies(log.coordinate, log.source)
        else:
            refuse_useless(log, Hexapod(machine))

    return MachineLogs(
        None if machine is None else Hexapod(machine), STRUT_CHANNELS, how["layout"],
        lambda path: read_log(path, machine, **how)[0], inspect, refuse,
        lambda log: [("length", log.length, "m"), ("force", log.force, "N")], write_log,
    )  # fmt: skip


def _of_drives(options: argparse.Namespace) -> MachineLogs:
    # kernels of mechanisms take longer to load than most commands run
    from pkm_identification.machines.load import load_machine
    from pkm_identification.records.channels import build_drive_channels
    from pkm_identification.records.drive_log import read_drive_log, write_drive_log

    machine = load_machine(options.machine)
    require_hexapod_for(options, machine, **({"encoder": "--encoder"} if "encoder" in options else {}))
    how = reading(options, machine.drives)

    def read(path: str) -> DriveLog:
        return read_drive_log(path, machine.drives, **how)

    def refuse(log: DriveLog) -> None:
        refuse_useless(log, machine)

    def show(log: DriveLog) -> list[tuple[str, FloatArray | None, str]]:
        shown: list[tuple[str, FloatArray | None, str]] = []
        for i, drive in enumerate(machine.drives):
            shown += [
                (drive.name, log.coordinate[:, [i]], drive.unit),
                (drive.force_name, log.force[:, [i]], drive.force_unit),
            ]
        return sorted(shown, key=lambda one: one[0] in machine_forces)

    machine_forces = {drive.force_name for drive in machine.drives}
    return MachineLogs(
        machine, build_drive_channels(machine.drives), how["layout"], read,
        lambda log: inspect_log(log, machine), refuse, show,
        lambda path, log: write_drive_log(path, log, machine.drives),
    )  # fmt: skip
