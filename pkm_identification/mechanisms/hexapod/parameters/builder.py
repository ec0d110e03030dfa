# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Parameters of a hexapod collected one by one, each with what it does to the model's basis."""

from __future__ import annotations

from itertools import product

import numpy as np

from pkm_identification.motion import STRUTS
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.parameter import Basis, Kind, Parameter
from pkm_identification.parameters.parameter_set import ParameterSet

from ...rigid_bodies import BODY_KINDS, BODY_UNITS
from ..dynamics.basis import (
    PLATFORM_NAMES,
    basis_parameters,
    friction_columns,
    joint_rows,
    strut_column,
)
from ..dynamics.strut import (
    H_B,
    H_E,
    I_A,
    I_X,
    I_Z,
    M_E,
)
from ..joint_friction import COEFFICIENTS, ENDS, UNITS
from ..machine import Machine

PLATFORM, STRUT, BODY_B, BODY_E = "platform", "strut", "body b", "body e"


def force_scale(machine: Machine) -> float:
    """Return a strut's share of the machine's weight in N: what a large friction or a typical force is."""
    mass = machine.platform.mass + sum(s.body_b.mass + s.body_e.mass for s in machine.struts)
    return mass * max(float(np.linalg.norm(machine.gravity)), 1.0) / STRUTS


class SetBuilder:
    """Collects the parameters of a set as columns of its mapping."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.basis = basis_parameters(machine)
        self.entries: list[Parameter] = []
        self.columns: list[FloatArray] = []
        self.force_scale = force_scale(machine)

    def add(
        self,
        symbol: str,
        unit: str,
        kind: Kind,
        body: str,
        nominal: float,
        scale: float,
        column: FloatArray,
        strut: int | None = None,
    ) -> None:
        """One parameter of one strut, or (strut None) of the platform or of all struts."""
        name = symbol if strut is None else f"{symbol}_{strut + 1}"
        self.entries.append(
            Parameter(name, unit, kind, body, float(nominal), float(scale), symbol=symbol, limb=strut)
        )
        self.columns.append(column)

    def parameter_set(self, name: str) -> ParameterSet:
        """Return what was collected; the rest of the basis is known from the machine file."""
        mapping = np.column_stack(self.columns)
        nominal = np.array([entry.nominal for entry in self.entries])
        return ParameterSet(name, tuple(self.entries), mapping, self.basis - mapping @ nominal)

    def column(self, entries: dict[int, float]) -> FloatArray:
        column = np.zeros(len(self.basis))
        for row, value in entries.items():
            column[row] = value
        return column

    def platform_mass(self, moments_follow: bool = True) -> None:
        """Platform mass; its first moments follow it at the nominal centre of mass unless they are unknowns too."""
        mass = self.machine.platform.mass
        entries = {0: 1.0}
        if moments_follow:
            entries |= {1 + k: float(c) for k, c in enumerate(self.machine.platform.center_of_mass)}
        self.add("m_p", "kg", Kind.MASS, PLATFORM, mass, mass, self.column(entries))

    def platform_first_moments(self) -> None:
        scale = self.machine.platform.mass * 0.2 * self.machine.length_scale
        for k, axis in enumerate("xyz"):
            self.add(
                f"m{axis}_p",
                "kg m",
                Kind.FIRST_MOMENT,
                PLATFORM,
                self.basis[1 + k],
                scale,
                self.column({1 + k: 1.0}),
            )

    def platform_moments(self, *names: str) -> None:
        largest = float(self.basis[4:7].max())
        for name in names:
            row = PLATFORM_NAMES.index(name)
            scale = float(self.basis[row]) if row < 7 else 0.3 * largest
            self.add(
                f"{name}_p",
                "kg m^2",
                Kind.INERTIA,
                PLATFORM,
                self.basis[row],
                max(scale, 0.1 * largest),
                self.column({row: 1.0}),
            )

    def strut_masses(self, *names: str, strut: int | None = None) -> None:
        """Masses of the strut bodies, each at its known place on the axis."""
        for name in names:
            column = np.zeros(len(self.basis))
            masses = []
            for i in self._struts(strut):
                body = self.machine.struts[i].body_b if name == "m_b" else self.machine.struts[i].body_e
                d = body.center_of_mass
                masses.append(body.mass)
                if name == "m_e":
                    column[strut_column(i, M_E)] = 1.0
                    column[strut_column(i, H_E)] = d
                else:
                    column[strut_column(i, H_B)] = d
                column[strut_column(i, I_X)] = column[strut_column(i, I_Z)] = d * d
            mass = float(np.mean(masses))
            self.add(name, "kg", Kind.MASS, BODY_B if name == "m_b" else BODY_E, mass, mass, column, strut)

    def strut_moment(self, name: str, axis: str, bodies: str, strut: int | None = None) -> None:
        """A moment of inertia about a strut's axes, alike for all struts or of one strut."""
        kinds = {"transverse": (I_X, I_Z), "axial": (I_A,), "x": (I_X,), "z": (I_Z,)}[axis]
        column = np.zeros(len(self.basis))
        values = []
        for i in self._struts(strut):
            chosen = [getattr(self.machine.struts[i], f"body_{body}") for body in bodies]
            values.append(sum(body.axial if axis == "axial" else body.transverse for body in chosen))
            for kind in kinds:
                column[strut_column(i, kind)] = 1.0
        value = float(np.mean(values))
        floor = 1e-3 * float(self.basis[strut_column(0, I_X)])
        body = {"b": BODY_B, "e": BODY_E}.get(bodies, STRUT)
        self.add(name, "kg m^2", Kind.INERTIA, body, value, max(value, floor), column, strut)

    def friction(self, joints: str | None = "alike") -> None:
        """Of each strut; of the joints, where the file has it, alike at each end, strut by strut (`each`) or not."""
        for coefficient in self.machine.friction.law.coefficients:
            rows = friction_columns(self.machine, coefficient.name)
            for i, row in enumerate(range(rows.start, rows.stop)):
                nominal = float(self.basis[row])
                scale = coefficient.scale(nominal, self.force_scale)
                column = self.column({row: 1.0})
                self.add(
                    coefficient.name, coefficient.unit, coefficient.kind, STRUT, nominal, scale, column, i
                )

        if self.machine.joint_friction is None or joints is None:
            return
        first = joint_rows(self.machine)
        # of a large friction force with the platform's radius for a lever; viscous at 1 rad/s
        large = self.force_scale * self.machine.length_scale
        for k, (end, name) in enumerate(product(ENDS, COEFFICIENTS)):
            kind = Kind.COULOMB if name == "coulomb" else Kind.VISCOUS
            for strut in [None] if joints == "alike" else range(STRUTS):
                entries = {first + STRUTS * k + i: 1.0 for i in self._struts(strut)}
                nominal = float(np.mean(self.basis[list(entries)]))
                symbol, body = f"{end}_joint_{name}", f"{end} joint"
                scale, column = max(nominal, large), self.column(entries)
                self.add(symbol, UNITS[name], kind, body, nominal, scale, column, strut)

    @staticmethod
    def _struts(strut: int | None) -> range:
        return range(STRUTS) if strut is None else range(strut, strut + 1)


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
