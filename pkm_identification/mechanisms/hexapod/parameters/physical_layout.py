# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What the parameters of a set are: which belong to one body, and what each must be so that some machine has them.

Every parameter gets a slot, and in it a moment of a body's density (of order 0, 1 or 2) or a friction coefficient;
parameters are sums of these, w = lifting @ v. In the slots:

==================  ==========================================  =================================================
parameter           in its slot                                 must be
==================  ==========================================  =================================================
m_p, mx_p, Ixx_p …  m, h, Sigma of the platform                 a positive definite pseudo-inertia
m_b, m_e, m_m       the mass                                    > 0
Ixx_b, Iyy_b, …     the body's Sigma about its centre of mass   > 0 each (the triangle inequality of the moments)
It_b+It_e, Jt       It - Ia / 2, Jt - Ja / 2: along the strut   > 0; Jt: > h_e^2 / m_e, whatever the mass of body B
Ia_b+Ia_e, Ja       half of it: across the strut                > 0
h_e, h_b            the first moment                            anything (h_b: the mass of body B is not known)
viscous, coulomb    the coefficient                             > 0; anything where the law lets it be negative
==================  ==========================================  =================================================

Where one parameter stands for six struts that differ, the bounds hold for each of them.
"""

from __future__ import annotations

from typing import NoReturn

import numpy as np

from pkm_identification.errors import PkmError
from pkm_identification.estimation.consistency.layout import BOUNDED, FREE, GROUPED, Layout
from pkm_identification.mechanisms.friction.registry import LAWS
from pkm_identification.motion import STRUTS
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.parameter import Kind
from pkm_identification.parameters.parameter_set import ParameterSet

from ..bodies import Strut
from ..machine import Machine

FULL_PLATFORM = ("m_p", "mx_p", "my_p", "mz_p", "Ixx_p", "Iyy_p", "Izz_p", "Ixy_p", "Ixz_p", "Iyz_p")
CENTRED_PLATFORM = ("m_p", "Ixx_p", "Iyy_p", "Izz_p")
# Parameters of a strut that only make sense together.
_BODIES = (
    ("Ixx_b", "Iyy_b", "Izz_b"),
    ("Ixx_e", "Iyy_e", "Izz_e"),
    ("It_b+It_e", "Ia_b+Ia_e"),
    ("m_e", "h_e", "Jt", "Ja"),
)
# Sums of half moments that give Sigma's diagonal: Sxx = (-Ixx + Iyy + Izz) / 2.
_SIGMA = 0.5 * (np.ones((3, 3)) - 2.0 * np.eye(3))


def physical_layout(machine: Machine, parameters: ParameterSet) -> Layout:
    """Sort the parameters of a set by what they are.

    Raises
    ------
    PkmError
        If the set has a parameter of a kind that is not known here, or only a part of a body.
    """
    return _Sorter(machine, parameters).layout()


class _Sorter:
    def __init__(self, machine: Machine, parameters: ParameterSet) -> None:
        width = len(parameters.names)
        self.machine = machine
        self.parameters = parameters
        self.entries = parameters.entries
        # whichever law the machine has: one may be estimated besides
        self.signed_friction = {c.name for law in LAWS for c in law.coefficients if c.within is not None}
        self.slots = {name: k for k, name in enumerate(parameters.names)}
        self.left = dict(self.slots)
        self.lowering = np.eye(width)
        self.kind = np.full(width, GROUPED)
        self.floor = np.full(width, -np.inf)
        self.rods: list[tuple[list[int], FloatArray]] = []
        for entry in parameters.entries:
            if entry.kind in (Kind.NUISANCE, Kind.EFFECT):
                self._set(entry.name, FREE)

    def layout(self) -> Layout:
        platform = self._platform()
        for strut in dict.fromkeys(self.entries[slot].limb for slot in self.left.values()):
            self._strut(strut)
        if self.left:
            raise PkmError(
                f"parameter set '{self.parameters.name}': the physical limits of '{next(iter(self.left))}' "
                "are not known"
            )
        known = self.parameters.known
        return Layout(
            parameters=self.parameters,
            lowering=self.lowering,
            lifting=np.linalg.inv(self.lowering).astype(float, copy=False),
            kind=self.kind,
            floor=self.floor,
            body=np.array(platform, dtype=np.int64),
            body_name="platform",
            known=np.concatenate([self.machine.platform.center_of_mass, -known[7:10]]),
            rods=np.array([slots for slots, _ in self.rods], dtype=np.int64).reshape(-1, 3),
            differences=np.array([d for _, d in self.rods], dtype=float).reshape(-1, STRUTS, 3),
        )

    def _platform(self) -> list[int]:
        present = [name for name in FULL_PLATFORM if name in self.left]
        if not present:
            return []
        for names in (FULL_PLATFORM, CENTRED_PLATFORM):
            if set(present) == set(names):
                slots = [self.left.pop(name) for name in names]
                moments = slots[-3:] if names is CENTRED_PLATFORM else slots[4:7]
                self.lowering[np.ix_(moments, moments)] = _SIGMA
                if names is FULL_PLATFORM:
                    self.lowering[slots[7:], slots[7:]] = -1.0
                return slots
        return self._refuse_part(present)

    def _refuse_part(self, present: list[str]) -> NoReturn:
        raise PkmError(
            f"parameter set '{self.parameters.name}': of a body only {', '.join(present)}: whether that is physical "
            "cannot be decided (state the other parameters in a prior instead of fixing or tying them)"
        )

    def _strut(self, strut: int | None) -> None:
        """All parameters of one strut, or of all (None)."""
        mine = [self.entries[slot] for slot in self.left.values() if self.entries[slot].limb == strut]
        names = {entry.symbol: entry.name for entry in mine}
        kinds = {entry.symbol: entry.kind for entry in mine}
        nominal = [_read_moments(self.machine.struts[i]) for i in _list_struts(strut)]
        for body in _BODIES:
            present = [symbol for symbol in body if symbol in names]
            if len(present) not in (0, len(body)) and present != ["m_e"]:
                self._refuse_part([names[symbol] for symbol in present])
        for along, across in (("It_b+It_e", "Ia_b+Ia_e"), ("Jt", "Ja")):
            if along in names:
                k, l = self.slots[names[along]], self.slots[names[across]]
                self.lowering[l, l], self.lowering[k, l] = 0.5, -0.5
        for body in _BODIES[:2]:
            if body[0] in names:
                slots = [self.slots[names[symbol]] for symbol in body]
                self.lowering[np.ix_(slots, slots)] = _SIGMA
        if "Jt" in names:
            rod = ("m_e", "h_e", "Jt")
            values = np.array([[moments[symbol] for symbol in rod] for moments in nominal])
            differences = np.empty((STRUTS, 3))
            differences[:] = (values - values.mean(axis=0))[np.arange(STRUTS) % len(values)]
            self.rods.append(([self.slots[names[symbol]] for symbol in rod], differences))
            del self.left[names.pop("Jt")]  # bounded by the others of its rod
        for symbol, name in names.items():
            if kinds[symbol] is Kind.FIRST_MOMENT or symbol in self.signed_friction:
                self._set(name, FREE)
            elif kinds[symbol].friction or symbol == "m_m":
                self._set(name, BOUNDED, 0.0)
            elif symbol in nominal[0]:
                values = np.array([moments[symbol] for moments in nominal])
                self._set(name, BOUNDED, float(np.mean(values) - values.min()))

    def _set(self, name: str, kind: int, floor: float = -np.inf) -> None:
        slot = self.left.pop(name)
        self.kind[slot], self.floor[slot] = kind, floor


def _list_struts(strut: int | None) -> range:
    return range(STRUTS) if strut is None else range(strut, strut + 1)


def _read_moments(strut: Strut) -> dict[str, float]:
    """Return what the machine file has for the slots of a strut."""
    b, e = strut.body_b, strut.body_e
    along = {body: one.transverse - 0.5 * one.axial for body, one in (("b", b), ("e", e))}
    half = 0.5 * (b.axial + e.axial)
    whole = sum(along.values()) + b.mass * b.center_of_mass**2 + e.mass * e.center_of_mass**2
    moments = {
        "m_b": b.mass,
        "m_e": e.mass,
        "h_e": e.mass * e.center_of_mass,
        "It_b+It_e": sum(along.values()),
    }
    moments |= {"Ia_b+Ia_e": half, "Jt": whole, "Ja": half}
    for body, one in (("b", b), ("e", e)):
        # the strut's y axis lies along it: Sigma_yy is the moment along, the others are across
        moments |= {
            f"Ixx_{body}": 0.5 * one.axial,
            f"Iyy_{body}": along[body],
            f"Izz_{body}": 0.5 * one.axial,
        }
    return moments
