# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What a mechanism's forces are linear in, with names: ten parameters a body, four of a planar one."""

from __future__ import annotations

import numpy as np

from pkm_identification.parameters.parameter import Basis, Kind, Parameter

from ..rigid_bodies import BODY_KINDS, BODY_PARAMETERS, BODY_UNITS
from .description.records import Body
from .mechanism import Mechanism
from .numbers.arithmetic import FLOAT64

_OF_PLANAR = (0, 1, 2, 6)
_OF_ANY = tuple(range(len(BODY_PARAMETERS)))


def build_rigid_columns(mechanism: Mechanism) -> np.ndarray:
    """Which columns of `dynamics.regressor` are parameters of this mechanism: all but those that planar bodies lack."""
    chosen = [
        len(BODY_PARAMETERS) * b + k
        for b, body in enumerate(mechanism.description.bodies)
        for k in _list_parameters(body)
    ]
    return np.array(chosen, dtype=np.int64)


def build_rigid_basis(mechanism: Mechanism) -> Basis:
    """Return the bodies' parameters, in the order of `build_rigid_columns`; a planar body's Izz is called J."""
    values = FLOAT64.array([body.parameters for body in mechanism.description.bodies])
    largest: dict[str, float] = {}
    for unit, column in zip(BODY_UNITS, np.abs(values).T, strict=True):
        largest[unit] = max(largest.get(unit, 0.0), float(column.max()))
    entries = []
    for body, row in zip(mechanism.description.bodies, values, strict=True):
        for k in _list_parameters(body):
            kind, unit = BODY_KINDS[k], BODY_UNITS[k]
            symbol = "J" if body.planar and kind is Kind.INERTIA else BODY_PARAMETERS[k]
            value = float(row[k])
            # a large error of an entry is its own size, or where that is zero the largest of the same unit
            scale = abs(value) or largest[unit] or 1.0
            entries.append(Parameter(f"{symbol}_{body.name}", unit, kind, body.name, value, scale, symbol))
    return Basis(tuple(entries))


def _list_parameters(body: Body) -> tuple[int, ...]:
    return _OF_PLANAR if body.planar else _OF_ANY
