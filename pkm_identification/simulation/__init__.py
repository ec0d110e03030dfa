"""Simulated machines: plant, drives, controller, sensors, motions, faults (Oh 2003, chapter 4, made whole)."""

from pkm_identification.control.pid import ControlSettings

from .model import hexapod_mjcf
from .payload import Payload, loaded
from .perturbation import perturbed
from .plant import Plant, PlantState
from .recording import RAW_COLUMNS, Recording, Truth
from .sensors import Sample, SensorSettings
from .simulator import Simulator, simulate
from .trajectories import TRAJECTORIES, Trajectory, trajectory

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
    "loaded",
    "perturbed",
    "simulate",
    "trajectory",
]
