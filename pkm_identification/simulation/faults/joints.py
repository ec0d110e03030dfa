# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Faults of geometry: joints elsewhere, hinges that point elsewhere or sit at the other end, struts that yield."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from pkm_identification.errors import SettingsError
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.rotation import matrix_from_vector

from ..imperfections.setup import Setup
from ..physics.load import build_physics
from .kind import MAY, PLANT, Fault, FaultKind

LARGEST = 0.1  # m


def _apply_geometry(setup: Setup, fault: Fault) -> Setup:
    if fault.strut is not None:
        machine = build_physics(setup.machine).require_struts()
        base = machine.base_joints.copy()
        base[fault.strut] += np.array([*fault.numbers, 0.0, 0.0])[:3]
        return replace(setup, machine=replace(machine, base_joints=base))
    if len(fault.numbers) > 1:
        raise SettingsError("expected one number, the rms of all coordinates, or geometry_N with three")
    rng = np.random.default_rng([setup.seed, 3])

    def draw(shape: tuple[int, ...]) -> FloatArray:
        shifts = rng.standard_normal(shape)
        return np.asarray(shifts * (fault.numbers[0] / np.sqrt(np.mean(shifts**2))))

    return replace(setup, machine=build_physics(setup.machine).with_moved_joints(draw))


def _turn_about_z(axes: FloatArray, angle: float) -> FloatArray:
    return axes @ matrix_from_vector(np.array([0.0, 0.0, angle])).T


def _apply_hinge(setup: Setup, fault: Fault) -> Setup:
    machine = build_physics(setup.machine).require_struts()
    axes = _turn_about_z(machine.first_axes, fault.numbers[0])
    base = machine.base_joint if machine.hinged_platform else "universal"
    return replace(setup, machine=replace(machine, base_joint=base, first_axes=axes))


def _move_hinge_to_platform(setup: Setup, fault: Fault) -> Setup:
    machine = build_physics(setup.machine).require_struts()
    if machine.hinged_platform:
        raise SettingsError(f"the universal joints of machine '{machine.name}' are there already")
    axes = _turn_about_z(machine.first_axes, fault.numbers[0]) @ machine.home_rotation
    moved = replace(machine, base_joint="spherical", platform_joint="universal", first_axes=axes)
    return replace(setup, machine=moved)


def _refuse_spin(setup: Setup, fault: Fault) -> Setup:
    if not build_physics(setup.machine).require_struts().universal:
        raise SettingsError(f"the struts of machine '{setup.machine.name}' have no spin already")
    return replace(setup, machine=setup.machine.without_spin())


def _apply_compliance(setup: Setup, fault: Fault) -> Setup:
    return replace(setup, train=replace(setup.train, compliance=fault.numbers[0]))


FAULTS = (
    FaultKind("geometry", "m", PLANT, "joints are elsewhere: rms of all coordinates, or x[,y,z] of base joint N",
              _apply_geometry, -LARGEST, LARGEST, MAY, (1, 3)),
    FaultKind("hinge_axis", "rad", PLANT, "the universal joints' first hinges are turned about z", _apply_hinge,
              -math.pi, math.pi),
    FaultKind("hinge_at_platform", "rad", PLANT, "universal joints at the platform, not the base; hinge turned about z",
              _move_hinge_to_platform, -math.pi, math.pi, words={"": (0.0,)}),
    FaultKind("no_spin", "", PLANT, "struts do not spin about their axes",
              _refuse_spin, 1.0, 1.0, words={"": (1.0,)}),
    FaultKind("compliance", "m/N", PLANT, "struts are compliant between encoder and platform",
              _apply_compliance, 1e-12, 1e-4),
)  # fmt: skip
