# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Drives with a state of their own: from a command to a force along one driven coordinate."""

from .bank import Bank
from .first_order import FirstOrder
from .friction_inside import InnerFriction
from .hydraulic import Hydraulic
from .hydraulic_reduced import HydraulicReduced
from .ideal import Ideal
from .motor import Motor, Winding
from .no_load import NoLoadTable
from .position_loop import PositionLoop
from .quantity import LINEAR, ROTARY, Delays, Quantity, Units
from .registry import TYPE_NAMES, read_actuators
from .screw import Screw
from .two_inertia import TwoInertia
from .vane import Vane

__all__ = [
    "LINEAR",
    "ROTARY",
    "TYPE_NAMES",
    "Bank",
    "Delays",
    "FirstOrder",
    "Hydraulic",
    "HydraulicReduced",
    "Ideal",
    "InnerFriction",
    "Motor",
    "NoLoadTable",
    "PositionLoop",
    "Quantity",
    "Screw",
    "TwoInertia",
    "Units",
    "Vane",
    "Winding",
    "read_actuators",
]
