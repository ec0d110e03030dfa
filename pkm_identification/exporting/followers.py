# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Couplings as URDF and SDF have them: a joint that follows one other."""

from __future__ import annotations

from dataclasses import dataclass

from pkm_identification.errors import SettingsError
from pkm_identification.mechanisms.multibody.mechanism import Mechanism
from pkm_identification.mechanisms.multibody.numbers.arithmetic import FLOAT64


@dataclass(frozen=True)
class Follower:
    """A joint whose coordinate is that of its leader times the multiplier, plus the offset (m or rad)."""

    joint: str
    leader: str
    multiplier: float
    offset: float


def list_followers(mechanism: Mechanism, form: str) -> tuple[Follower, ...]:
    """Return a follower for each coupling, no driven joint where there is another.

    Raises
    ------
    SettingsError
        If a coupling is not of two joints: names the format `form`.
    """
    driven = {joint for drive in mechanism.description.drives for joint in drive.measure.joints}
    found = []
    for coupling in mechanism.description.couplings:
        if len(coupling.joints) != 2:
            raise SettingsError(
                f"format {form}: couples two joints, and coupling '{coupling.name}' of '{mechanism.name}' has "
                f"{len(coupling.joints)}; export to mjcf"
            )
        joint, leader = sorted(coupling.joints, key=lambda name: name in driven)
        own = FLOAT64.number(coupling.joints[joint])
        multiplier = -FLOAT64.number(coupling.joints[leader]) / own
        found.append(
            Follower(joint, leader, float(multiplier), float(-FLOAT64.number(coupling.offset) / own))
        )
    return tuple(found)
