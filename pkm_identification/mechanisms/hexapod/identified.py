# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""A machine with identified instead of nominal parameters."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from pkm_identification.errors import MachineError
from pkm_identification.motion import STRUTS
from pkm_identification.numerics.arrays import FloatArray

from ..known_statements import keep_known
from ..rigid_bodies import parallel_axes
from .bodies import Strut, StrutBody
from .dynamics.basis import (
    build_friction_of_basis,
    build_joint_friction_of_basis,
    strut_column,
)
from .dynamics.strut import (
    H_B,
    H_E,
    I_A,
    I_X,
    M_E,
)
from .machine import Machine


def identified_machine(machine: Machine, basis: FloatArray) -> Machine:
    """Return the machine a set of basis parameters describes.

    What the forces do not depend on is taken from the nominal machine: the place of body B's centre of mass and
    how a strut's moments of inertia are shared out between its bodies. Friction that would drive a strut becomes the
    nearest that does not: below zero, zero.

    Parameters
    ----------
    machine : Machine
        Geometry, drives and nominal values.
    basis : ndarray, shape (B,)
        Identified parameters in the basis (`dynamics.basis`).

    Returns
    -------
    Machine
        Its inverse dynamics are those of the basis, up to such friction and struts whose two transverse
        moments differ.

    Raises
    ------
    MachineError
        If they are not consistent with a rigid body: names the body.
    """
    basis = np.asarray(basis, dtype=float)
    friction = machine.friction
    document: dict[str, Any] = copy.deepcopy(machine.file)
    document["name"] = f"{machine.name}_identified"
    document["platform"] = keep_known(document["platform"], _build_platform(basis))
    before = document.pop("strut", None)
    befores = document.get("struts", [before] * STRUTS)
    document["struts"] = [
        keep_known(befores[i], _build_strut(strut, i, basis)) for i, strut in enumerate(machine.struts)
    ]
    document["friction"] = {
        **document.get("friction", {}),
        **friction.named(friction.law.possible(build_friction_of_basis(machine, basis))),
    }
    if machine.joint_friction is not None:
        joints = machine.joint_friction.section(build_joint_friction_of_basis(machine, basis))
        document["friction"]["joints"] = joints
    try:
        return Machine.from_document(document, source=document["name"], plausible=False)
    except MachineError as error:
        raise MachineError(
            f"the identified values are not consistent with a rigid body ({error}); identify with --consistent, with "
            "more motion, or with fewer parameters"
        ) from None


def _build_platform(basis: FloatArray) -> dict[str, Any]:
    mass = float(basis[0])
    if not mass > 0:
        raise MachineError(f"the identified platform mass is {mass:.4g} kg; identify with --consistent")
    c = basis[1:4] / mass
    about_origin = np.diag(basis[4:7])
    about_origin[[0, 0, 1], [1, 2, 2]] = basis[7:10]
    about_origin[[1, 2, 2], [0, 0, 1]] = basis[7:10]
    inertia = about_origin - parallel_axes(mass, c)
    return {
        "mass": mass,
        "center_of_mass": c.tolist(),
        "inertia": inertia[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]].tolist(),
    }


def _build_strut(nominal: Strut, i: int, basis: FloatArray) -> dict[str, Any]:
    b, e = nominal.body_b, nominal.body_e
    mass_e = float(basis[strut_column(i, M_E)])
    # body B's mass acts through its first moment alone
    mass_b = float(basis[strut_column(i, H_B)]) / b.center_of_mass if b.center_of_mass > 0 else b.mass
    place_e = float(basis[strut_column(i, H_E)]) / mass_e if mass_e > 0 else e.center_of_mass
    rod = float(basis[strut_column(i, I_X)])
    transverse = rod - mass_b * b.center_of_mass**2 - mass_e * place_e**2
    axial = float(basis[strut_column(i, I_A)])
    return {
        "body_b": _build_body(
            mass_b, b.center_of_mass, b, transverse, axial, b.transverse + e.transverse, b.axial + e.axial
        ),
        "body_e": _build_body(
            mass_e, place_e, e, transverse, axial, b.transverse + e.transverse, b.axial + e.axial
        ),
    }


def _build_body(
    mass: float, position: float, nominal: StrutBody, transverse: float, axial: float, all_transverse: float,
    all_axial: float,
) -> dict[str, Any]:  # fmt: skip
    """Return a body with its nominal share of the strut's moments."""
    return {
        "mass": mass,
        "center_of_mass": position,
        "inertia": [
            transverse * (nominal.transverse / all_transverse if all_transverse else 0.5),
            axial * (nominal.axial / all_axial if all_axial else 0.5),
        ],
    }
