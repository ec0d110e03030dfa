"""Parameter sets: which numbers are estimated, and how they build up the basis the model is linear in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from pkm_identification.errors import PkmError
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.mechanisms.hexapod.parameters.builder import SetBuilder
from pkm_identification.mechanisms.hexapod.parameters.general_sets import GENERAL_SETS
from pkm_identification.motion import STRUTS
from pkm_identification.numerics.arrays import FloatArray


@dataclass(frozen=True)
class ParameterSet:
    """Parameters w with basis = mapping w + known.

    Attributes
    ----------
    names, units : tuple of str
    nominal : ndarray, shape (P,)
        Values of the machine file.
    scale : ndarray, shape (P,)
        What a large error of each parameter is: the standard deviation of the prior where nothing better is stated.
    mapping : ndarray, shape (B, P)
    known : ndarray, shape (B,)
        What the machine file says of everything the parameters leave out.
    believed, believed_std : ndarray, shape (P,), or None
        Mean and standard deviation of the prior where one is stated (`assumptions`); None: `nominal` and `scale`.
    nuisance : int
        How many of the last parameters are estimated besides but mean nothing of the machine (`reversal`).
    """

    name: str
    names: tuple[str, ...]
    units: tuple[str, ...]
    nominal: FloatArray
    scale: FloatArray
    mapping: FloatArray
    known: FloatArray
    believed: FloatArray | None = None
    believed_std: FloatArray | None = None
    nuisance: int = 0

    @classmethod
    def of(cls, machine: Machine, name: str = "identifiable") -> ParameterSet:
        """A named set for a machine.

        Parameters
        ----------
        machine : Machine
        name : str
            One of NAMES. `identifiable`: masses, platform moments, lumped strut moments and friction, which
            six-axis motion can show one by one (20). `oh12`, `oh24`: the source's (Oh 2003, 4.4), without and
            with friction. `extended`: the platform's ten, masses and moments strut by strut, friction (46).
            `general`, `alike` and, with the inertia of the motors, `general_motor`, `alike_motor`: see
            `general_sets`.

        Raises
        ------
        PkmError
            If there is no set of that name.
        """
        if name not in SETS:
            raise PkmError(f"parameter set '{name}': must be one of {', '.join(NAMES)}")
        builder = SetBuilder(machine)
        SETS[name](builder)
        names, units, nominal, scale, columns = zip(*builder.entries, strict=True)
        mapping = np.column_stack(columns)
        values = np.array(nominal, dtype=float)
        return cls(
            name=name,
            names=names,
            units=units,
            nominal=values,
            scale=np.array(scale, dtype=float),
            mapping=mapping,
            known=builder.basis - mapping @ values,
        )


def _identifiable(builder: SetBuilder) -> None:
    builder.platform_mass()
    builder.strut_masses("m_b", "m_e")
    builder.platform_moments("Ixx", "Iyy", "Izz")
    builder.strut_moment("It_b+It_e", "transverse", "be")
    builder.strut_moment("Ia_b+Ia_e", "axial", "be")
    builder.friction()


def _oh12(builder: SetBuilder) -> None:
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


def _oh24(builder: SetBuilder) -> None:
    _oh12(builder)
    builder.friction()


def _extended(builder: SetBuilder) -> None:
    builder.platform_mass(moments_follow=False)
    builder.platform_first_moments()
    builder.platform_moments("Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")
    for i in range(STRUTS):
        builder.strut_masses("m_b", "m_e", strut=i)
        builder.strut_moment("It_b+It_e", "transverse", "be", strut=i)
        builder.strut_moment("Ia_b+Ia_e", "axial", "be", strut=i)
    builder.friction()


SETS: dict[str, Callable[[SetBuilder], None]] = {
    "identifiable": _identifiable,
    "oh12": _oh12,
    "oh24": _oh24,
    "extended": _extended,
    **GENERAL_SETS,
}
NAMES = tuple(SETS)
