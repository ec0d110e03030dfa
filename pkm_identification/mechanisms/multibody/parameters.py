"""What a mechanism's forces are linear in, with names: ten parameters a body (four of a planar one), friction, inertia.

`MechanismModel` is the mechanism as every linear estimator takes it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.basis import Basis
from pkm_identification.parameters.parameter import Kind, Parameter

from ..friction import friction_columns
from ..rigid_bodies import BODY_PARAMETERS
from .description.records import Body
from .dynamics import drive_inertia, regressor
from .kinematics import MechanismMotion
from .mechanism import Mechanism
from .numbers.arithmetic import FLOAT64

_KINDS = ((Kind.MASS, "kg"), *((Kind.FIRST_MOMENT, "kg m"),) * 3, *((Kind.INERTIA, "kg m^2"),) * 6)
_OF_PLANAR = (0, 1, 2, 6)
_OF_ANY = tuple(range(len(BODY_PARAMETERS)))


def rigid_columns(mechanism: Mechanism) -> np.ndarray:
    """Which columns of `dynamics.regressor` are parameters of this mechanism: all but those that planar bodies lack."""
    chosen = [
        len(BODY_PARAMETERS) * b + k
        for b, body in enumerate(mechanism.description.bodies)
        for k in _parameters_of(body)
    ]
    return np.array(chosen, dtype=np.int64)


def rigid_basis(mechanism: Mechanism) -> Basis:
    """The bodies' parameters, in the order of `rigid_columns`; a planar body's Izz is called J."""
    values = FLOAT64.array([body.parameters for body in mechanism.description.bodies])
    largest: dict[str, float] = {}
    for (_, unit), column in zip(_KINDS, np.abs(values).T, strict=True):
        largest[unit] = max(largest.get(unit, 0.0), float(column.max()))
    entries = []
    for body, row in zip(mechanism.description.bodies, values, strict=True):
        for k in _parameters_of(body):
            kind, unit = _KINDS[k]
            symbol = "J" if body.planar and kind is Kind.INERTIA else BODY_PARAMETERS[k]
            value = float(row[k])
            # a large error of an entry is its own size, or where that is zero the largest of the same unit
            scale = abs(value) or largest[unit] or 1.0
            entries.append(Parameter(f"{symbol}_{body.name}", unit, kind, body.name, value, scale, symbol))
    return Basis(tuple(entries))


def _parameters_of(body: Body) -> tuple[int, ...]:
    return _OF_PLANAR if body.planar else _OF_ANY


@dataclass(frozen=True)
class MechanismModel:
    """`mechanisms.model.LinearModel` of a mechanism: bodies, then friction of the drives, then their inertia.

    Attributes
    ----------
    mechanism : Mechanism
        In float64. Friction of passive joints is not in the basis: it is not the drives'.
    """

    mechanism: Mechanism

    @cached_property
    def basis(self) -> Basis:
        entries = list(rigid_basis(self.mechanism))
        friction = self.mechanism.description.friction
        force_scale = float(np.abs(friction.coefficients).max(initial=1.0))
        for coefficient, row in zip(friction.law.coefficients, friction.coefficients, strict=True):
            for i, (drive, value) in enumerate(zip(self.mechanism.drive_names, row, strict=True)):
                entries.append(
                    Parameter(
                        f"{coefficient.name}_{drive}",
                        coefficient.unit,
                        coefficient.kind,
                        drive,
                        float(value),
                        coefficient.scale(float(value), force_scale),
                        coefficient.name,
                        i,
                    )
                )
        for i, (drive, value) in enumerate(
            zip(self.mechanism.drive_names, drive_inertia(self.mechanism), strict=True)
        ):
            entries.append(
                Parameter(
                    f"inertia_{drive}",
                    "kg",
                    Kind.MASS,
                    drive,
                    float(value),
                    abs(float(value)) or 1.0,
                    "inertia",
                    i,
                )
            )
        return Basis(tuple(entries))

    @property
    def outputs(self) -> tuple[str, ...]:
        return self.mechanism.force_names

    def regressor(self, motion: MechanismMotion, mapping: FloatArray) -> FloatArray:
        rigid = regressor(self.mechanism, motion)[:, :, rigid_columns(self.mechanism)]
        drives = np.eye(self.mechanism.degrees_of_freedom)
        terms = [
            column[:, :, None] * drives
            for column in friction_columns(motion.drive_rate, self.mechanism.description.friction)
        ]
        turning = motion.drive_acceleration[:, :, None] * drives
        return np.concatenate([rigid, *terms, turning], axis=2) @ mapping
