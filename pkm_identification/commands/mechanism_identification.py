# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""pkm identify of a mechanism that is no hexapod: from logs of its drives to base parameters and friction."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pkm_identification.identification.mechanism.estimate_file import estimate_document
from pkm_identification.identification.mechanism.identify import (
    find_errors_of_mechanism,
    identify_mechanism,
)
from pkm_identification.identification.model_errors.errors import parse_also
from pkm_identification.identification.settings import HOLD_OUT, NAMED, Settings, assumptions_of
from pkm_identification.machines.contract import Drive
from pkm_identification.machines.multibody import Multibody
from pkm_identification.mechanisms.multibody.mechanism import Mechanism
from pkm_identification.records.drive_log import DriveLog, read_drive_log
from pkm_identification.records.provenance import provenance
from pkm_identification.report.mechanisms.folder import write_page, write_report
from pkm_identification.report.mechanisms.sentences import misfit
from pkm_identification.report.mechanisms.summary import summary

from .arguments import reading, refuse_for_mechanism
from .results import present, say
from .terminal.colour import verdict_painted, warn

TAKEN = ("estimator", "forgetting", "data_order", "passes", "band_cutoff", "band_order")
# Of hexapods: their models and sets, filters that run online, and what rests on six struts
HEXAPODS_OWN = ("model", "parameters", "consistent", "strut_spread", "causal", "cutoff", "order")


def identify(options: argparse.Namespace, tuning: tuple[str, ...]) -> int:
    """`tuning` names the options of recursive filters."""
    others = {name: f"--{name.replace('_', '-')}" for name in ("free_fall", "payload", "unloaded")}
    flags = {name: NAMED[name].flag for name in HEXAPODS_OWN}
    refuse_for_mechanism(options, **flags, **others, encoder="--encoder")
    mechanism = Mechanism.load(options.machine)
    settings = Settings.of(
        **{name: getattr(options, name) for name in (*TAKEN, *tuning)},
        assumptions=assumptions_of(options.fix, options.tie, options.prior),
        hold_out=0.0 if options.validate else HOLD_OUT,
    )
    machine = Multibody(mechanism)
    also = parse_also(options.also)
    find_errors_of_mechanism(machine, also)  # a wrong name is found before long logs are read
    how = reading(options, machine.drives)
    logs = [_read(path, machine.drives, how) for path in options.logs]
    held_out = _read(options.validate, machine.drives, how) if options.validate else None
    result = identify_mechanism(mechanism, logs, settings, held_out, also)
    origin = provenance(options.logs, shlex.join(sys.argv), settings, options.validate)
    present(summary(result, verdict_painted), estimate_document(result, origin), options.json)
    if options.out:
        say(f"report: {write_report(options.out, result, origin)}")
    if options.report:
        write_page(options.report, result, origin)
        say(f"report: {options.report}")
    if options.json == "-" and not result.converged:
        warn(f"pkm identify: the estimator did not converge: {result.nonconvergence}")
    if not result.fits:
        warn(f"pkm identify: {misfit(result)}")
    return 0 if result.trusted else 1


def _read(path: str | Path, drives: Sequence[Drive], how: Mapping[str, Any]) -> DriveLog:
    log = read_drive_log(path, drives, **how)
    if log.faults:
        counts = ", ".join(f"{number} {reason}" for reason, number in log.faults.items())
        warn(f"pkm identify: {log.source}: left out on reading: {counts}")
    for warning in log.warnings:
        warn(f"pkm identify: {warning}")
    return log
