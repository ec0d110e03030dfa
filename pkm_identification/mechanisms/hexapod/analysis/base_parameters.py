# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Base parameters of a hexapod's thirteen bodies, on random states."""

from __future__ import annotations

import numpy as np

from pkm_identification.estimation.identifiability.base_parameters import BaseParameters, base_parameters
from pkm_identification.mechanisms.rigid_bodies import BODY_PARAMETERS
from pkm_identification.motion import PlatformMotion
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.rotation import matrix_from_vector

from ..dynamics.thirteen_bodies import body_mapping, compute_body_regressor
from ..machine import Machine


def random_states(machine: Machine, count: int, seed: int = 0, size: float = 1.0) -> PlatformMotion:
    """Independent poses, twists and accelerations around home, for questions of structure.

    Parameters
    ----------
    machine : Machine
    count : int
    seed : int
    size : float
        1: offsets to a quarter of the platform's radius and 0.35 rad (less where the Jacobian is near singular), twists
        and accelerations that make all terms of the dynamics alike in size.

    Returns
    -------
    PlatformMotion
    """
    rng = np.random.default_rng(seed)
    radius = machine.length_scale
    pace = np.sqrt(max(float(np.linalg.norm(machine.gravity)), 1.0) / radius) * size
    position = machine.home_position + 0.25 * radius * size * rng.uniform(-1, 1, (count, 3))
    rotation = matrix_from_vector(0.35 * size * rng.uniform(-1, 1, (count, 3))) @ machine.home_rotation
    scale = np.array([radius] * 3 + [1.0] * 3)
    twist = 0.5 * pace * scale * rng.normal(size=(count, 6))
    acceleration = 0.5 * pace**2 * scale * rng.normal(size=(count, 6))
    return PlatformMotion(np.arange(count, dtype=float) * 1e-3, position, rotation, twist, acceleration)


def list_machine_base_parameters(
    machine: Machine, symmetry: str = "general", seed: int = 0, count: int = 40
) -> BaseParameters:
    """Base parameters of a machine's thirteen bodies, ten parameters each.

    Parameters
    ----------
    machine : Machine
        Its geometry and joints count; its masses do not.
    symmetry : {'general', 'alike', 'axisymmetric', 'axisymmetric_alike'}
        What is known of the struts' bodies, see `dynamics.thirteen_bodies.body_mapping`.
    seed, count : int
        Of the random states, six equations each.

    Returns
    -------
    BaseParameters
        With universal joints and a geometry without special symmetry: 82, 22, 34 and 14 in the order above.

    Raises
    ------
    ValueError
        If there is no such symmetry.
    """
    names, mapping = body_mapping(symmetry)
    columns = compute_body_regressor(machine, random_states(machine, count, seed)) @ mapping
    return base_parameters(columns, names, keep=_list_platform_parameters(names, mapping))


def _list_platform_parameters(names: tuple[str, ...], mapping: FloatArray) -> list[str]:
    """Return parameters of the first body, the platform."""
    return [
        name for name, column in zip(names, mapping.T, strict=True) if column[: len(BODY_PARAMETERS)].any()
    ]
