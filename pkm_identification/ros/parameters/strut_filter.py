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

from pkm_identification.identification.online.pipeline import build_stream_settings
from pkm_identification.identification.settings import NAMED, Settings
from pkm_identification.machines.contract import Machine

from .declarations import EFFORT_UNIT, JOINT_NAMES, LENGTH_AT_ZERO, MACHINE, ParameterSpec, sample_rate_of

FILTER = ("cutoff", "order", "kind", "max_delay")
VALIDATION = ("max_gap", "late_tolerance")

PARAMETERS = (
    MACHINE,
    JOINT_NAMES,
    LENGTH_AT_ZERO,
    EFFORT_UNIT,
    sample_rate_of("strut_states"),
    *(ParameterSpec.of(NAMED[name], live=True) for name in (*FILTER, *VALIDATION)),
)  # fmt: skip


def filter_settings(machine: Machine, period: float, values: Mapping[str, Any]) -> Settings:
    """Return settings of validation and filter for parameter values, for a stream of the machine with a period (s).

    Raises
    ------
    SettingsError
        If there is no such filter at that period.
    """
    settings = Settings.of(**{name: values[name] for name in (*FILTER, *VALIDATION)})
    return build_stream_settings(machine, settings, period)
