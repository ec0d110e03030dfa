# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Parameters of the strut filter node, and the settings they make."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pkm_identification.identification.settings import NAMED, Settings
from pkm_identification.mechanisms.hexapod.machine import Machine

from .declarations import JOINT_NAMES, MACHINE, ParameterError, ParameterSpec

FILTER = ("cutoff", "order", "kind", "max_delay")
GUARD = ("max_gap", "late_tolerance")

PARAMETERS = (
    MACHINE,
    JOINT_NAMES,
    ParameterSpec("sample_rate", 0.0, "rate of strut_states; 0: the machine's drive.sample_rate", "Hz", 0, 1e5),
    ParameterSpec("reliable", False, "samples lost on the way are sent again; the publisher must offer that"),
    *(ParameterSpec.of(NAMED[name], live=True) for name in (*FILTER, *GUARD)),
)  # fmt: skip


def sample_period(machine: Machine, rate: float) -> float:
    """Sample period in s for the parameter `sample_rate` in Hz, 0 standing for the machine's.

    Raises
    ------
    ParameterError
        If the machine has none either.
    """
    if rate:
        return 1.0 / rate
    if machine.drive is None:
        raise ParameterError(
            f"parameter 'sample_rate' = 0: machine '{machine.name}' has no drive.sample_rate; give one"
        )
    return 1.0 / machine.drive.sample_rate


def stream_settings(machine: Machine, period: float, values: Mapping[str, Any]) -> Settings:
    """Settings of guard and filter for parameter values, resolved for the machine and the period (s).

    Raises
    ------
    SettingsError
        If there is no such filter at that period.
    """
    return Settings.of(**{name: values[name] for name in (*FILTER, *GUARD)}).resolved(machine, period)
