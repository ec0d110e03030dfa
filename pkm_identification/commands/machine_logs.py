# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Logs of the machine that a command is given: how they are read, examined, refused and written."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pkm_identification.errors import SettingsError
from pkm_identification.identification.log_check import LogCheck, inspect_log
from pkm_identification.identification.model_errors.estimated.registry import parse_names
from pkm_identification.identification.regression.validation import refuse_useless
from pkm_identification.identification.settings import Settings
from pkm_identification.machines.contract import Machine
from pkm_identification.motion import DriveLog
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.records.channels import Channels, build_channels
from pkm_identification.records.foreign import LogLayout
from pkm_identification.records.log import read_log, write_log
from pkm_identification.signals.input_validation.unusable import refuse_copies

from .arguments import machine_of_logs, reading


@dataclass(frozen=True)
class MachineLogs:
    """What commands do with logs of one machine.

    Attributes
    ----------
    given : Machine or None
        None where no machine is given: logs are those of six struts.
    channels : Channels
        Columns of such logs.
    topic : str or None
    layout : LogLayout or None
        What the options say.
    """

    given: Machine | None
    channels: Channels
    topic: str | None
    layout: LogLayout | None

    @property
    def machine(self) -> Machine:
        """The machine; SettingsError where none is given."""
        if self.given is None:
            raise SettingsError("--machine: is needed")
        return self.given

    def read(self, path: str) -> DriveLog:
        """Return a log."""
        return read_log(path, self.given, self.topic, self.layout)

    def read_all(self, paths: Sequence[str]) -> list[DriveLog]:
        """Return several logs."""
        return [self.read(path) for path in paths]

    def inspect(self, log: DriveLog) -> LogCheck:
        """Return what is wrong with a log, and what it can be used for."""
        return inspect_log(log, self.machine)

    def refuse(self, log: DriveLog) -> None:
        """Raise LogError where a log cannot be this machine's."""
        if self.given is None:
            refuse_copies(log.coordinate, log.source)
        else:
            refuse_useless(log, self.given)

    def write(self, path: str, log: DriveLog) -> None:
        """Write a log in our own columns."""
        write_log(path, log, drives=self.channels.drives)

    def show(self, log: DriveLog) -> list[tuple[str, FloatArray | None, str]]:
        """Return name, values (N, n) and unit of what a log has; of drives of one kind together."""
        units = {(drive.unit, drive.part) for drive in self.channels.drives}
        if units == {("m", "strut")}:
            return [("length", log.coordinate, "m"), ("force", log.force, "N")]
        force, every = log.force, list(enumerate(self.channels.drives))
        return [
            *((drive.name, log.coordinate[:, [i]], drive.unit) for i, drive in every),
            *((one.force_name, None if force is None else force[:, [i]], one.force_unit) for i, one in every),
        ]


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
    """Return what is done with logs of the machine of --machine, six struts where none is given, by `add_reading`."""
    machine = None if options.machine is None else machine_of_logs(options)
    return MachineLogs(machine, build_channels(machine), **reading(options, machine))
