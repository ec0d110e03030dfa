# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Faults of friction: laws that the machine file's leaves out, joints that rub.

The plant has them in its small implicit steps.
"""

from __future__ import annotations

from dataclasses import replace

from pkm_identification.errors import SettingsError

from ..imperfections.setup import Setup
from ..physics.load import build_physics
from .kind import PLANT, Fault, FaultKind


def _require_coulomb(setup: Setup) -> None:
    if not build_physics(setup.machine).friction.coulomb.any():
        raise SettingsError(f"machine '{setup.machine.name}' has no Coulomb friction that could be different")


def _apply_transition(setup: Setup, fault: Fault) -> Setup:
    _require_coulomb(setup)
    friction = build_physics(setup.machine).friction.changed(transition_rate=fault.numbers[0])
    return replace(setup, machine=build_physics(setup.machine).with_friction(friction))


def _apply_stribeck(setup: Setup, fault: Fault) -> Setup:
    _require_coulomb(setup)
    excess, *rate = fault.numbers
    if not -0.9 <= excess <= 5.0 or (rate and not 1e-5 <= rate[0] <= 1.0):
        raise SettingsError("expected an excess between -0.9 and 5, and a rate between 1e-05 and 1 m/s")
    changed = replace(setup.train, excess=excess)
    return replace(setup, train=replace(changed, stribeck_rate=rate[0]) if rate else changed)


def _apply_asymmetric(setup: Setup, fault: Fault) -> Setup:
    _require_coulomb(setup)
    return replace(setup, train=replace(setup.train, asymmetry=fault.numbers[0]))


def _apply_presliding(setup: Setup, fault: Fault) -> Setup:
    _require_coulomb(setup)
    return replace(setup, train=replace(setup.train, presliding=fault.numbers[0]))


def _load(setup: Setup, fault: Fault) -> Setup:
    return replace(setup, train=replace(setup.train, by_load=fault.numbers[0]))


def _apply_position(setup: Setup, fault: Fault) -> Setup:
    _require_coulomb(setup)
    return replace(setup, train=replace(setup.train, by_position=fault.numbers[0]))


def _apply_joint_friction(setup: Setup, fault: Fault) -> Setup:
    """In addition to what the machine file says of them."""
    return replace(setup, machine=build_physics(setup.machine).with_more_joint_friction(*fault.numbers))


FAULTS = (
    FaultKind("friction_transition", "m/s", PLANT, "friction has its transition at this rate",
              _apply_transition, 1e-5, 1.0),
    FaultKind("friction_stribeck", "relative[,m/s]", PLANT,
              "breakaway over Coulomb friction less 1, and where it has fallen to 1/e (0.01 m/s)", _apply_stribeck,
              counts=(1, 2)),
    FaultKind("friction_presliding", "m", PLANT, "elastic displacement before a drive slides (LuGre), m or rad",
              _apply_presliding,
              1e-8, 0.01),
    FaultKind("friction_asymmetric", "of Coulomb", PLANT, "Coulomb friction is larger by this fraction moving out, "
    "smaller moving in",
              _apply_asymmetric, -1.0, 1.0),
    FaultKind("friction_load", "N/N", PLANT, "Coulomb friction grows with the axial load", _load, 0.0, 0.5),
    FaultKind("friction_position", "1/m", PLANT, "Coulomb friction changes with length, relative, from home",
              _apply_position,
              -10.0, 10.0),
    FaultKind("joint_friction", "N m[,N m s]", PLANT, "more Coulomb (and viscous) friction in all joints",
              _apply_joint_friction, 0.0, 1e5, counts=(1, 2)),
)  # fmt: skip
