# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The bodies of a hexapod: its platform, and two for each strut."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pkm_identification.document import Node, frozen
from pkm_identification.errors import MachineError
from pkm_identification.motion import STRUTS
from pkm_identification.numerics.arrays import FloatArray

from ..plausibility import INERTIA_UNITS, fitting_units, propose_units


@dataclass(frozen=True)
class StrutBody:
    """One of the two rigid bodies of a strut, symmetric about the strut's axis.

    `center_of_mass` is a distance in m: of body B from the base joint, of body E back from the platform
    joint. `transverse` and `axial` are moments of inertia about the centre of mass in kg m^2.
    """

    mass: float
    center_of_mass: float
    transverse: float
    axial: float


@dataclass(frozen=True)
class Strut:
    """A strut: body B stays at the base joint, body E extends with the platform joint."""

    body_b: StrutBody
    body_e: StrutBody


@dataclass(frozen=True)
class Platform:
    """The moving platform: mass in kg, centre of mass in m (platform frame), inertia about it in kg m^2."""

    mass: float
    center_of_mass: FloatArray
    inertia: FloatArray


def read_platform(node: Node) -> Platform:
    """Return the key `platform` of a machine file.

    Raises
    ------
    MachineError
        If no body has such an inertia, or a key is missing or unknown.
    """
    mass = node.take("mass").positive()
    center = node.take("center_of_mass", [0.0, 0.0, 0.0]).array(3)
    inertia_node = node.take("inertia")
    xx, yy, zz, xy, xz, yz = inertia_node.array(6)
    node.close()
    inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    principal = np.linalg.eigvalsh(inertia)
    if principal[0] < 0 or principal[0] + principal[1] < principal[2] * (1 - 1e-9):
        inertia_node.fail(
            f"= {inertia_node.value}: no body has it (principal moments {np.round(principal, 6).tolist()}: "
            "each must be positive and at most the sum of the other two)"
        )
    return Platform(mass, center, frozen(inertia))


def _read_body(node: Node) -> StrutBody:
    mass = node.take("mass").positive()
    center = node.take("center_of_mass").number()
    inertia_node = node.take("inertia")
    transverse, axial = inertia_node.array(2, not_negative=True)
    node.close()
    if axial > 2 * transverse * (1 + 1e-9):
        units = fitting_units(lambda factor: factor * axial <= 2 * transverse, INERTIA_UNITS)
        inertia_node.fail(
            f"= {inertia_node.value}: axial inertia cannot exceed twice the transverse one; the order is "
            f"[transverse, axial]{propose_units(units)}"
        )
    return StrutBody(mass, center, float(transverse), float(axial))


def _read_strut(node: Node) -> Strut:
    strut = Strut(_read_body(node.take("body_b")), _read_body(node.take("body_e")))
    node.close()
    return strut


def read_struts(root: Node) -> tuple[Strut, ...]:
    """Return the key `strut`, of all alike, or `struts`, one for each, of a machine file; raises as `read_platform`."""
    if root.has("strut") == root.has("struts"):
        raise MachineError(f"{root.source}: give either 'strut' (all equal) or 'struts' (a list of six)")
    if root.has("strut"):
        return (_read_strut(root.take("strut")),) * STRUTS
    node = root.take("struts")
    if not isinstance(node.value, list) or len(node.value) != STRUTS:
        node.fail("must be a list of six struts")
    return tuple(_read_strut(entry) for entry in node.entries())
