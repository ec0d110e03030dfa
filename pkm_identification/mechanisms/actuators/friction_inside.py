# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Friction inside an actuator: viscous and Coulomb, bent within a transition rate so that it has a slope at rest."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pkm_identification.document import Node
from pkm_identification.numerics.arrays import FloatArray

from ..file_keys.key import NOT_NEGATIVE, POSITIVE, Key, read_keys
from .quantity import Quantity, Units
from .row import COULOMB, TRANSITION, VISCOUS

TRANSITION_RATE = 0.001  # m/s, or rad/s of what turns
FRICTION_KEYS, SHAFT_FRICTION_KEYS = (
    (
        Key("viscous", f"{place}, {viscous}", NOT_NEGATIVE, default=0.0),
        Key("coulomb", f"{place}, {coulomb}", NOT_NEGATIVE, default=0.0),
        Key(
            "transition_rate",
            f"rate at which its Coulomb friction is whole, {rate}",
            POSITIVE,
            default=TRANSITION_RATE,
        ),
    )
    for place, viscous, coulomb, rate in (
        ("friction inside the actuator", "N s/m", "N", "m/s"),
        ("at the motor's shaft", "N m s/rad", "N m", "rad/s"),
    )
)


@dataclass(frozen=True)
class InnerFriction:
    """F = B v + F_c clip(v / v_t, -1, 1) along the driven coordinate, against the force that leaves the actuator.

    Attributes
    ----------
    viscous, coulomb, transition_rate : float
        N s/m, N and m/s; N m s/rad, N m and rad/s of a turning one.
    """

    viscous: float = 0.0
    coulomb: float = 0.0
    transition_rate: float = TRANSITION_RATE

    def __call__(self, rate: float) -> float:
        """Friction at a rate."""
        bent = np.clip(rate / self.transition_rate, -1.0, 1.0)
        return float(self.viscous * rate + self.coulomb * bent)

    def at(self, rates: FloatArray) -> FloatArray:
        """Friction at many rates."""
        return self.viscous * rates + self.coulomb * np.clip(rates / self.transition_rate, -1.0, 1.0)

    @property
    def acts(self) -> bool:
        """Whether there is any."""
        return self.viscous != 0.0 or self.coulomb != 0.0

    def per_coordinate(self, ratio: float) -> InnerFriction:
        """Return the same along a driven coordinate, of friction on a shaft that turns `ratio` times as far."""
        return InnerFriction(
            self.viscous * ratio**2, self.coulomb * ratio, self.transition_rate / ratio if ratio else 1.0
        )

    def parameters(self, units: Units) -> tuple[Quantity, ...]:
        return (
            Quantity("viscous", self.viscous, f"{units.force} s/{units.coordinate}", "friction.viscous"),
            Quantity("coulomb", self.coulomb, units.force, "friction.coulomb"),
        )

    def fill(self, row: FloatArray) -> None:
        """Write it into an actuator's row."""
        row[VISCOUS], row[COULOMB], row[TRANSITION] = self.viscous, self.coulomb, self.transition_rate


FRICTIONLESS = InnerFriction()


def read_inner_friction(node: Node) -> InnerFriction:
    """Return the friction of an actuator's section, zero where it has none."""
    return InnerFriction(**read_keys(node, FRICTION_KEYS))
