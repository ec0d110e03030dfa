# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""`vane`: a vane rotor motor straight on a turning axis: the equations of `hydraulic` with angle and torque.

    T_L = (Q_nl(x_v) - s phi) / (c_h^-1 + c_o s),  c_o in rad/(N m), Q_nl in rad/s, K_m in V/rad

(Machielsen 1983, chapter 3; his vane has c_h^-1 = 0 and a potentiometer without delay.)
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from pkm_identification.document import Node

from . import hydraulic
from .quantity import ROTARY, Units

stage, KEYS = hydraulic.stage, hydraulic.KEYS


@dataclass(frozen=True)
class Vane(hydraulic.Hydraulic):
    """A rotary hydraulic servo; attributes as of `Hydraulic`, in rad and N m."""

    units: Units = field(default=ROTARY, kw_only=True)

    type: ClassVar[str] = "vane"


def read(node: Node, units: Units) -> Vane:
    """Return a vane motor of a machine file."""
    if units != ROTARY:
        node.fail("is a vane, which turns; this drive does not (use 'hydraulic')")
    return Vane(**vars(hydraulic.read(node, units)))
