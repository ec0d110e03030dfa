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
