# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Faults of the bodies: what a parameter set leaves out, and gravity from another side."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from pkm_identification.errors import SettingsError
from pkm_identification.mechanisms.hexapod.bodies import Strut, StrutBody
from pkm_identification.motion import STRUTS
from pkm_identification.numerics.rotation import matrix_from_vector

from ..imperfections.setup import Setup
from ..physics.load import build_physics
from .kind import PLANT, Fault, FaultKind


def _apply_gravity(setup: Setup, fault: Fault) -> Setup:
    tilt = np.array([*fault.numbers, 0.0, 0.0])[:3]
    tilt[2] = 0.0
    return replace(setup, machine=build_physics(setup.machine).with_turned_gravity(matrix_from_vector(tilt)))


def _apply_motor_inertia(setup: Setup, fault: Fault) -> Setup:
    return replace(setup, machine=build_physics(setup.machine).with_more_drive_inertia(fault.numbers[0]))


def _center(setup: Setup, fault: Fault) -> Setup:
    physics = build_physics(setup.machine)
    own, shift = physics.platform, np.array([*fault.numbers, 0.0, 0.0])[:3]
    moved = physics.with_platform(replace(own, center_of_mass=own.center_of_mass + shift))
    return replace(setup, machine=moved)


def _apply_products(setup: Setup, fault: Fault) -> Setup:
    physics = build_physics(setup.machine)
    platform = physics.platform
    xy, xz, yz = np.array([*fault.numbers, 0.0, 0.0])[:3]
    inertia = platform.inertia + np.array([[0.0, xy, xz], [xy, 0.0, yz], [xz, yz, 0.0]])
    largest = float(np.linalg.eigvalsh(platform.inertia)[-1])
    if max(map(abs, fault.numbers)) > 0.5 * largest:
        raise SettingsError(f"no such body: at most half of its largest moment, {0.5 * largest:g} kg m^2")
    # second moments of mass are positive in every direction; a flat platform must become thicker
    lacking = np.linalg.eigvalsh(0.5 * np.trace(inertia) * np.eye(3) - inertia)[0]
    thicker = inertia + 2.0 * max(0.0, -lacking) * np.eye(3)
    return replace(setup, machine=physics.with_platform(replace(platform, inertia=thicker)))


def _apply_unequal_struts(setup: Setup, fault: Fault) -> Setup:
    machine = build_physics(setup.machine).require_struts()
    rng = np.random.default_rng([setup.seed, 2])
    pattern = rng.standard_normal((STRUTS, 2, 2))
    pattern -= pattern.mean(axis=0)
    pattern /= np.sqrt(np.mean(pattern**2, axis=0))
    factors = 1.0 + fault.numbers[0] * pattern
    if factors.min() <= 0:
        raise SettingsError(f"'{fault.numbers[0]:g}': leaves a strut without mass; choose a smaller fraction")

    def body(nominal: StrutBody, mass: float, inertia: float) -> StrutBody:
        mass, inertia = float(mass), float(inertia)
        return StrutBody(
            nominal.mass * mass, nominal.center_of_mass, nominal.transverse * inertia, nominal.axial * inertia
        )

    struts = tuple(
        Strut(body(strut.body_b, *factors[i, 0]), body(strut.body_e, *factors[i, 1]))
        for i, strut in enumerate(machine.struts)
    )
    return replace(setup, machine=replace(machine, struts=struts))


FAULTS = (
    FaultKind("gravity_direction", "rad", PLANT, "the base is tilted: gravity turned about x, or x and y",
              _apply_gravity,
              -math.pi, math.pi, counts=(1, 2), words={"upside_down": (math.pi,)}),
    FaultKind("motor_inertia", "kg", PLANT, "inertia of each motor along its drive, beyond the file's",
              _apply_motor_inertia, -1e6, 1e6),
    FaultKind("center_of_mass", "m", PLANT,
              "the centre of mass of the body that carries loads is elsewhere, by x or x,y,z", _center,
              -10.0, 10.0, counts=(1, 3)),
    FaultKind("products_of_inertia", "kg m^2", PLANT, "other products (and the moments they need) by xy or xy,xz,yz",
              _apply_products, -1e6, 1e6, counts=(1, 3)),
    FaultKind("unequal_struts", "", PLANT, "bodies of the struts differ: rms fraction, drawn with the seed",
              _apply_unequal_struts,
              -0.5, 0.5),
)  # fmt: skip
