# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Friction of the joints at the struts' ends, as the section `friction.joints` of a machine file has it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from pkm_identification.document import Node, frozen
from pkm_identification.motion import STRUTS
from pkm_identification.numerics.arrays import FloatArray

ENDS = ("base", "platform")
COEFFICIENTS = ("coulomb", "viscous")
UNITS = {"coulomb": "N m", "viscous": "N m s"}
TRANSITION_RATE = 0.02  # rad/s, where Coulomb friction bends unless the file says otherwise


@dataclass(frozen=True)
class JointFriction:
    """Coulomb and viscous friction of every joint.

    Attributes
    ----------
    coefficients : ndarray, shape (4, 6)
        Base joints' Coulomb friction (N m) and viscous coefficient (N m s), then the platform joints'; six of each.
    transition_rate : float
        rad/s, below which Coulomb friction has its transition.
    """

    coefficients: FloatArray
    transition_rate: float = TRANSITION_RATE

    @classmethod
    def alike(
        cls, coulomb: float, viscous: float = 0.0, transition_rate: float = TRANSITION_RATE
    ) -> JointFriction:
        """Return the same in all twelve joints, N m and N m s."""
        rows = np.tile([[coulomb], [viscous]], (len(ENDS), STRUTS))
        return cls(frozen(rows.astype(float)), transition_rate)

    @property
    def acts(self) -> bool:
        """Whether there is any."""
        return bool(np.any(self.coefficients))

    def scale(self, factor: float) -> JointFriction:
        """Return a multiple of it."""
        return replace(self, coefficients=frozen(factor * self.coefficients))

    def section(self, coefficients: FloatArray) -> dict[str, Any]:
        """The machine file's section with other coefficients, shape (4, 6); friction that would drive is left out."""
        rows = np.maximum(coefficients, 0.0).reshape(len(ENDS), len(COEFFICIENTS), STRUTS)
        section: dict[str, Any] = {"transition_rate": self.transition_rate}
        for end, pair in zip(ENDS, rows, strict=True):
            section[end] = {name: row.tolist() for name, row in zip(COEFFICIENTS, pair, strict=True)}
        return section


def read_joint_friction(node: Node) -> JointFriction | None:
    """Return the joint friction of a machine file's section `friction.joints`; None where there is none.

    Raises
    ------
    MachineError
        If a key is unknown or a value is impossible: names the key.
    """
    if node.value is None:
        return None
    rate = node.take("transition_rate", TRANSITION_RATE).positive()
    rows = []
    for end in ENDS:
        section = node.take(end, {})
        for name in COEFFICIENTS:
            entry_node = section.take(name, 0.0)
            if isinstance(entry_node.value, list):
                rows.append(entry_node.array(STRUTS, not_negative=True))
            else:
                rows.append(np.full(STRUTS, entry_node.not_negative()))
        section.close()
    node.close()
    return JointFriction(frozen(np.array(rows)), rate)
