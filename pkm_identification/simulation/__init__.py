# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Simulated machines: plant, drives, controller, sensors, motions, faults (Oh 2003, chapter 4, made whole)."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pkm_identification.control.pid import ControlSettings
    from pkm_identification.motion import TRAJECTORIES

    from .model import hexapod_mjcf
    from .payload import Payload, load_platform
    from .perturbation import perturb_machine
    from .plant import Plant, PlantState
    from .recording import RAW_COLUMNS, Recording, Truth
    from .sensors import Sample, SensorSettings
    from .simulator import Simulator, simulate
    from .trajectories import Trajectory, trajectory

__all__ = [
    "RAW_COLUMNS",
    "TRAJECTORIES",
    "ControlSettings",
    "Payload",
    "Plant",
    "PlantState",
    "Recording",
    "Sample",
    "SensorSettings",
    "Simulator",
    "Trajectory",
    "Truth",
    "hexapod_mjcf",
    "load_platform",
    "perturb_machine",
    "simulate",
    "trajectory",
]

_HOMES = {
    "ControlSettings": "pkm_identification.control.pid",
    "TRAJECTORIES": "pkm_identification.motion",
    "hexapod_mjcf": f"{__name__}.model",
    **dict.fromkeys(("Payload", "load_platform"), f"{__name__}.payload"),
    "perturb_machine": f"{__name__}.perturbation",
    **dict.fromkeys(("Plant", "PlantState"), f"{__name__}.plant"),
    **dict.fromkeys(("RAW_COLUMNS", "Recording", "Truth"), f"{__name__}.recording"),
    **dict.fromkeys(("Sample", "SensorSettings"), f"{__name__}.sensors"),
    **dict.fromkeys(("Simulator", "simulate"), f"{__name__}.simulator"),
    **dict.fromkeys(("Trajectory", "trajectory"), f"{__name__}.trajectories"),
}


def __getattr__(name: str) -> Any:
    """Load what is asked for and nothing else: motions and settings need no physics."""
    if name not in _HOMES:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
