"""Parameters of the strut filter node, and the settings they make."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pkm_identification.identification.online.pipeline import kinematic_cutoff
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.records.joint_state import STRUT_NAMES
from pkm_identification.signals.causal import KINDS, FilterSettings
from pkm_identification.signals.guard import GuardSettings

from .declarations import MACHINE, LiveParameter, ParameterError, ParameterSpec

PARAMETERS = (
    MACHINE,
    ParameterSpec("joint_names", list(STRUT_NAMES), "joint names of struts 1 to 6 in strut_states"),
    ParameterSpec("sample_rate", 0.0, "rate of strut_states; 0: the machine's drive.sample_rate", "Hz", 0, 1e5),
    LiveParameter("cutoff", 0.0, "low-pass cutoff of lengths and forces; 0: what the encoders allow", "Hz", 0, 5e4),
    LiveParameter("order", 4, "order of one low-pass pass", low=1, high=12),
    LiveParameter("kind", "fir", "linear phase, or one causal Butterworth on every channel", choices=KINDS),
    LiveParameter("max_delay", 0.05, "longest delay the linear-phase filter may have", "s", 0.001, 1.0),
    LiveParameter("max_gap", 0.005, "longest hole that is filled; a longer one starts a new segment", "s", 0, 1.0),
    LiveParameter("late_tolerance", 0.5, "stamps so far behind are stragglers; more is a clock jump", "s", 0, 60),
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


def guard_settings(machine: Machine, period: float, values: Mapping[str, Any]) -> GuardSettings:
    """Settings of the guard for parameter values."""
    return GuardSettings.of(
        machine, period, max_gap=values["max_gap"], late_tolerance=values["late_tolerance"]
    )


def filter_settings(machine: Machine, period: float, values: Mapping[str, Any]) -> FilterSettings:
    """Settings of the filter for parameter values.

    Raises
    ------
    ValueError
        If there is no such filter at that period.
    """
    cutoff = values["cutoff"] or kinematic_cutoff(machine, period)
    return FilterSettings(period, cutoff, values["order"], values["kind"], values["max_delay"])
