# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Bodies of platform and struts that the parameter set does not leave free: each named with the set that does."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pkm_identification.machines.contract import Machine
from pkm_identification.machines.hexapod import description_of
from pkm_identification.mechanisms.hexapod.dynamics.basis import (
    basis_columns,
    basis_parameters,
    strut_column,
)
from pkm_identification.mechanisms.hexapod.dynamics.strut import H_B, H_E, I_A, I_X, I_Z, M_E, M_M
from pkm_identification.mechanisms.hexapod.machine import Machine as Description
from pkm_identification.motion import STRUTS
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.parameter_set import ParameterSet

from ..bodies import of_basis
from ..effect import Effect, number_coefficients, repeat_prior

NEW = 1e-6  # part of a direction, relative, that the set must leave out for it to be a hypothesis
CENTER = 0.1  # m, of the length scale 1
PRODUCT = 0.1  # of the mean moment of inertia
SPREAD = 0.1  # of struts
MOTOR = 0.5  # of a strut's mass


def effects(machine: Machine, parameters: ParameterSet) -> list[Effect]:
    """Return what the set leaves out, of each kind; none of a machine that is no platform on six struts."""
    description = description_of(machine)
    return [] if description is None else _build_platform_columns(description, parameters)


def _build_platform_columns(machine: Description, parameters: ParameterSet) -> list[Effect]:
    phi = basis_parameters(machine)
    strut_mass = float(np.mean([s.body_b.mass + s.body_e.mass for s in machine.struts]))
    mass = machine.platform.mass
    moment = float(np.mean(phi[4:7]))
    units = np.eye(len(phi))
    motor = units[:, [strut_column(i, M_M) for i in range(STRUTS)]].sum(axis=1, keepdims=True)
    # per metre of the centre of mass, with the machine file's mass
    center = mass * units[:, 1:4]
    products = units[:, 7:10]
    unlike = _build_unequal_struts(machine, phi)
    effects = []
    for name, family, unit, directions, scale, correction, parts in (
        (
            "motor_inertia",
            "motor",
            "kg",
            motor,
            repeat_prior(MOTOR * strut_mass, 1),
            "Set drive.motor.inertia in the machine file, estimate it with --also {name}, or use --parameters "
            "general_motor or alike_motor",
            ("motor_inertia",),
        ),
        (
            "center_of_mass",
            "bodies",
            "m",
            center,
            repeat_prior(CENTER * machine.length_scale, 3),
            "Use --parameters extended or --also {name}",
            tuple(f"center_of_mass_{axis}" for axis in "xyz"),
        ),
        (
            "products_of_inertia",
            "bodies",
            "kg m^2",
            products,
            repeat_prior(PRODUCT * moment, 3),
            "Use --parameters extended or --also {name}",
            tuple(f"products_of_inertia_{axes}" for axes in ("xy", "xz", "yz")),
        ),
        (
            "unequal_struts",
            "bodies",
            "",
            unlike,
            repeat_prior(SPREAD, unlike.shape[1]),
            "Use --parameters extended with --strut-spread, or --also {name}",
            number_coefficients("unequal_struts", unlike.shape[1]),
        ),
    ):
        new = _mark_new_directions(directions, parameters)
        if not np.any(new):
            continue
        left = directions[:, new]
        effects.append(
            Effect(
                name,
                family,
                unit,
                of_basis(left),
                scale[new],
                correction,
                linear=True,
                parts=tuple(part for part, one in zip(parts, new, strict=True) if one),
                directions=left,
                # a motor with less than no inertia is none
                positive=name == "motor_inertia" and not np.any(motor[:, 0] * phi),
            )
        )
    return effects


def _build_unequal_struts(machine: Description, phi: FloatArray) -> FloatArray:
    """Relative changes of each strut's bodies against the mean strut: 5 for each of mass and moments."""
    differences = np.linalg.svd(np.eye(STRUTS) - 1.0 / STRUTS)[0][:, : STRUTS - 1]
    groups = ((H_B,), (M_E, H_E), (I_X, I_Z), (I_A,))
    columns = []
    for kinds in groups:
        own = np.zeros((basis_columns(machine), STRUTS))
        for i in range(STRUTS):
            for kind in kinds:
                own[strut_column(i, kind), i] = phi[strut_column(i, kind)]
        columns.append(own @ differences)
    return np.hstack(columns)


def _mark_new_directions(directions: FloatArray, parameters: ParameterSet) -> NDArray[np.bool_]:
    """Return which of the directions (B, q) the parameters do not span, (q,)."""
    width = len(parameters) - parameters.nuisance
    span = parameters.mapping[:, :width]
    size = np.linalg.norm(span, axis=0)
    basis = np.linalg.svd(span[:, size > 0] / size[size > 0], full_matrices=False)
    own = basis[0][:, basis[1] > NEW * basis[1][0]]
    left = directions - own @ (own.T @ directions)
    return np.asarray(np.linalg.norm(left, axis=0) > NEW * np.linalg.norm(directions, axis=0))
