# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The basis of the hexapod's dynamics as typed entries."""

from __future__ import annotations

from pkm_identification.motion import STRUTS
from pkm_identification.parameters.basis import Basis
from pkm_identification.parameters.parameter import Kind, Parameter

from ...rigid_bodies import BODY_KINDS, BODY_UNITS
from ..dynamics.basis import PLATFORM_NAMES, basis_parameters
from ..machine import Machine
from .builder import BODY_B, BODY_E, PLATFORM, STRUT, SetBuilder

# In the order of the offsets in `dynamics.strut`.
_STRUT = (
    ("m_e", "kg", Kind.MASS, BODY_E),
    ("h_e", "kg m", Kind.FIRST_MOMENT, BODY_E),
    ("h_b", "kg m", Kind.FIRST_MOMENT, BODY_B),
    ("Jx", "kg m^2", Kind.INERTIA, STRUT),
    ("Ja", "kg m^2", Kind.INERTIA, STRUT),
    ("Jz", "kg m^2", Kind.INERTIA, STRUT),
    ("m_m", "kg", Kind.MASS, "motor"),
)


def build_hexapod_basis(machine: Machine) -> Basis:
    """Entries of `dynamics.basis.basis_parameters`, in its order.

    A large error of an entry is its own size, or where that is zero the largest of the same unit.
    """
    nominal = basis_parameters(machine)
    rows: list[tuple[str, str, Kind, str, str, int | None]] = [
        (f"{name}_p", unit, kind, PLATFORM, f"{name}_p", None)
        for name, unit, kind in zip(PLATFORM_NAMES, BODY_UNITS, BODY_KINDS, strict=True)
    ]
    rows += [
        (f"{s}_{i + 1}", unit, kind, body, s, i) for i in range(STRUTS) for s, unit, kind, body in _STRUT
    ]
    friction = SetBuilder(machine)
    friction.friction(joints="each")
    rows += [(e.name, e.unit, e.kind, e.body, e.symbol, e.limb) for e in friction.entries]
    largest: dict[str, float] = {}
    for (_, unit, *_), value in zip(rows, nominal, strict=True):
        largest[unit] = max(largest.get(unit, 0.0), abs(float(value)))
    return Basis(
        tuple(
            Parameter(name, unit, kind, body, float(value), abs(float(value)) or largest[unit], symbol, limb)
            for (name, unit, kind, body, symbol, limb), value in zip(rows, nominal, strict=True)
        )
    )
