# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

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
