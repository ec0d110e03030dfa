# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The hexapod's parameter sets by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from pkm_identification.errors import SettingsError
from pkm_identification.motion import STRUTS
from pkm_identification.parameters.parameter import Kind
from pkm_identification.parameters.parameter_set import ParameterSet
from pkm_identification.parameters.reduced import ENDING, SetOwner, reduced_set
from pkm_identification.suggestion import did_you_mean

from ..dynamics.basis import strut_column
from ..dynamics.strut import H_B, H_E, I_A, I_X, I_Z, M_E, M_M
from ..machine import Machine
from .builder import BODY_B, BODY_E, STRUT, SetBuilder

_STRUT = (
    ("m_e", "kg", Kind.MASS, BODY_E, (M_E,)),
    ("h_e", "kg m", Kind.FIRST_MOMENT, BODY_E, (H_E,)),
    ("h_b", "kg m", Kind.FIRST_MOMENT, BODY_B, (H_B,)),
    ("Jt", "kg m^2", Kind.INERTIA, STRUT, (I_X, I_Z)),
    ("Ja", "kg m^2", Kind.INERTIA, STRUT, (I_A,)),
)
_MOTOR = ("m_m", "kg", Kind.MASS, "motor", (M_M,))


def _collect(builder: SetBuilder, alike: bool, motor: bool) -> None:
    """Add the parameters; where struts differ, nominal values of struts taken as alike are their means."""
    builder.platform_mass(moments_follow=False)
    builder.platform_first_moments()
    builder.platform_moments("Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")
    rows_of = (*_STRUT, _MOTOR) if motor else _STRUT
    groups = [range(STRUTS)] if alike else [range(i, i + 1) for i in range(STRUTS)]
    for struts in groups:
        for symbol, unit, kind, body, rows in rows_of:
            column = np.zeros(len(builder.basis))
            for i in struts:
                column[[strut_column(i, row) for row in rows]] = 1.0
            nominal = float(np.mean([builder.basis[strut_column(i, rows[0])] for i in struts]))
            strut = None if alike else struts[0]
            builder.add(symbol, unit, kind, body, nominal, _scale(builder, symbol, nominal), column, strut)
    builder.friction(joints="alike" if alike else "each")


GENERAL_SETS: dict[str, Callable[[SetBuilder], None]] = {
    "general": partial(_collect, alike=False, motor=False),
    "general_motor": partial(_collect, alike=False, motor=True),
    "alike": partial(_collect, alike=True, motor=False),
    "alike_motor": partial(_collect, alike=True, motor=True),
}


def _scale(builder: SetBuilder, symbol: str, nominal: float) -> float:
    """Return a large error: the value itself, or what a strut body as large as the strut could have."""
    machine = builder.machine
    mass = float(np.mean([strut.body_b.mass + strut.body_e.mass for strut in machine.struts]))
    length = 0.1 * float(machine.length_limits.mean())
    least = {"m_e": mass, "h_e": mass * length, "h_b": mass * length, "Jt": mass * length**2, "m_m": mass}
    if symbol == "Ja":
        return max(nominal, 1e-3 * float(builder.basis[strut_column(0, I_X)]))
    return max(abs(nominal), least[symbol])


def list_hexapod_parameters(machine: Machine, name: str = "identifiable") -> ParameterSet:
    """Return a named set for a machine.

    Parameters
    ----------
    machine : Machine
    name : str
        One of NAMES, or the file of a reduced set. `identifiable`: masses, platform moments, lumped strut moments and
        friction, which six-axis motion can show one by one (20). `oh12`, `oh24`: the source's (Oh 2003, 4.4),
        without and with friction. `extended`: the platform's ten, masses and moments strut by strut, friction (46).
        Where the machine's file has friction of the joints, all but the source's estimate it: alike at each
        end (4), in `extended` and `general` joint by joint (24).
        `general`, `alike` and, with the inertia of the motors, `general_motor`, `alike_motor`: see
        `general_sets`.

    Raises
    ------
    SettingsError
        If there is no set of that name.
    """
    if name.endswith(ENDING):
        sets = {own: partial(_list_named, own, machine) for own in NAMES}
        return reduced_set(name, SetOwner(machine.name, machine.hash), sets)
    if name not in SETS:
        raise SettingsError(
            f"parameters '{name}': must be one of {', '.join(NAMES)}, or a reduced set ({ENDING})"
            f"{did_you_mean(name, NAMES)}"
        )
    return _list_named(name, machine)


def with_free_center(parameters: ParameterSet, machine: Machine) -> ParameterSet:
    """A set whose platform has its centre of mass anywhere: all ten parameters of a body, those that are new last.

    With first moments that do not follow the mass, products of inertia are not the file's either: they are about the
    frame's origin.

    Raises
    ------
    SettingsError
        If the set has them already, or no mass of the platform.
    """
    builder = SetBuilder(machine)
    builder.platform_first_moments()
    builder.platform_moments("Ixy", "Ixz", "Iyz")
    columns = np.column_stack(builder.columns)
    new = np.flatnonzero(columns.any(axis=1))
    if set(builder.parameter_set("").names) & set(parameters.names):
        raise SettingsError(f"also 'center_of_mass': set '{parameters.name}' has it already")
    if "m_p" not in parameters.names:
        raise SettingsError(f"also 'center_of_mass': set '{parameters.name}' has no m_p")
    mapping = parameters.mapping.copy()
    mapping[new, parameters.names.index("m_p")] = 0.0
    known = parameters.known.copy()
    known[new] = 0.0
    return replace(parameters, mapping=mapping, known=known).extend(builder.entries, columns)


def _list_named(name: str, machine: Machine) -> ParameterSet:
    builder = SetBuilder(machine)
    SETS[name](builder)
    return builder.parameter_set(name)


def _build_identifiable(builder: SetBuilder) -> None:
    builder.platform_mass()
    builder.strut_masses("m_b", "m_e")
    builder.platform_moments("Ixx", "Iyy", "Izz")
    builder.strut_moment("It_b+It_e", "transverse", "be")
    builder.strut_moment("Ia_b+Ia_e", "axial", "be")
    builder.friction()


def _build_oh12(builder: SetBuilder) -> None:
    builder.strut_masses("m_e", "m_b")
    builder.platform_mass()
    for body in "bpe":
        if body == "p":
            builder.platform_moments("Ixx", "Iyy", "Izz")
            continue
        # the source's strut axes: x along the second hinge, y along the strut
        builder.strut_moment(f"Ixx_{body}", "x", body)
        builder.strut_moment(f"Iyy_{body}", "axial", body)
        builder.strut_moment(f"Izz_{body}", "z", body)


def _build_oh24(builder: SetBuilder) -> None:
    _build_oh12(builder)
    builder.friction(joints=None)


def _build_extended(builder: SetBuilder) -> None:
    builder.platform_mass(moments_follow=False)
    builder.platform_first_moments()
    builder.platform_moments("Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")
    for i in range(STRUTS):
        builder.strut_masses("m_b", "m_e", strut=i)
        builder.strut_moment("It_b+It_e", "transverse", "be", strut=i)
        builder.strut_moment("Ia_b+Ia_e", "axial", "be", strut=i)
    builder.friction(joints="each")


SETS: dict[str, Callable[[SetBuilder], None]] = {
    "identifiable": _build_identifiable,
    "oh12": _build_oh12,
    "oh24": _build_oh24,
    "extended": _build_extended,
    **GENERAL_SETS,
}
NAMES = tuple(SETS)
