# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Names of earlier versions, which warn; they go with the next one."""

from __future__ import annotations

import warnings
from typing import Any

from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.mechanisms.multibody.kinematics import MechanismMotion
from pkm_identification.mechanisms.multibody.mechanism import Mechanism
from pkm_identification.motion import DriveLog

from .identification import Result, identify
from .logs import read_logs
from .machines import load_machine
from .outputs import output_motion


def load_mechanism(mechanism: Any) -> Mechanism:
    """Return what `load_machine` returns, a hexapod as the thirteen bodies that it is: an older name, which warns."""
    _warn("load_mechanism", "load_machine")
    return as_mechanism(mechanism)


def as_mechanism(mechanism: Any) -> Mechanism:
    """Return a machine as bodies with joints."""
    loaded = load_machine(mechanism)
    return Mechanism.from_machine(loaded) if isinstance(loaded, Machine) else loaded


def mechanism_motion(*arguments: Any) -> MechanismMotion:
    """Return what `output_motion` returns: an older name, which warns."""
    _warn("mechanism_motion", "output_motion")
    return output_motion(*arguments)


def identify_mechanism(
    logs: Any,
    mechanism: Any,
    *,
    topic: str | None = None,
    columns: str | None = None,
    units: str | None = None,
    joints: str | None = None,
    rate: float | None = None,
    validate: Any = None,
    **settings: Any,
) -> Result:
    """Return what `identify` returns: an older name, which warns; `read_logs` takes what logs look like."""
    _warn("identify_mechanism", "identify")
    how: dict[str, Any] = {"columns": columns, "units": units, "joints": joints, "rate": rate, "topic": topic}
    whole = load_machine(mechanism)
    other = None if validate is None else read_logs(validate, whole, **how)
    return identify(read_logs(logs, whole, **how), whole, validate=other, **settings)


MechanismResult = Result  # an older name of it


def __getattr__(name: str) -> Any:
    """Return a class by its older name, which warns."""
    if name == "StrutLog":
        _warn(name, "DriveLog")
        return DriveLog
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")


def _warn(old: str, new: str) -> None:
    warnings.warn(f"{old} is now {new}", DeprecationWarning, stacklevel=3)
