# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Logs of any machine as an experiment: validated, on their clock, with coordinates and forces at the mechanism."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from pkm_identification.machines.capabilities import HexapodFile, has
from pkm_identification.machines.contract import Machine
from pkm_identification.signals.guard import GuardedLog

from .experiment import Experiment
from .rates.kinematic_cutoff import WIDEST_SHARE
from .regression.road import CUTOFF, ORDER
from .regression.validation import ValidatedLog, find_acting, validate_logs
from .settings import Settings


def gather_logs(
    logs: Sequence[Any], machine: Machine, settings: Settings, faults: dict[str, int] | None = None
) -> Experiment:
    """Return the experiment of logs, StrutLog or DriveLog, of a machine; raises LogError where one cannot be used."""
    if has(machine, HexapodFile):
        return Experiment.of(logs, machine, settings, faults)
    validated = validate_logs(logs, machine)
    dropped: Counter[str] = Counter()
    for log in validated:
        dropped.update(log.dropped)
    period = validated[0].period
    cutoff = min(CUTOFF, WIDEST_SHARE / period)
    settings = replace(
        settings,
        guard=replace(settings.guard, period=period),
        filter=replace(settings.filter, period=period, cutoff=cutoff, order=ORDER),
        band=replace(settings.band, period=period),
    )
    guarded = tuple(_guarded(find_acting(log, machine)) for log in validated)
    return Experiment(machine, settings, guarded, tuple(log.source for log in validated), dict(dropped))


def _guarded(log: ValidatedLog) -> GuardedLog:
    filled = np.zeros(len(log), dtype=bool)
    return GuardedLog(log.time, log.coordinate, log.force, log.segment, filled, {}, {}, log.period)
