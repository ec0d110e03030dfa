# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""How far the passive joints of a hexapod may turn from where they are at home: `angle_limits` of a machine file."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pkm_identification.document import Node
from pkm_identification.numerics.arrays import FloatArray

Interval = float | tuple[float, float]
HINGES = ("first", "second")


@dataclass(frozen=True)
class JointLimits:
    """How far the passive joints may turn from home, rad; None is no limit.

    Attributes
    ----------
    first, second : float or (float, float), optional
        Of the universal joints: lowest and highest angle; one number means as far either way.
    swing : float, optional
        Of the spherical joints at the other end: largest angle.
    """

    first: Interval | None = None
    second: Interval | None = None
    swing: float | None = None

    def __post_init__(self) -> None:
        for name in HINGES:
            low, high = interval(getattr(self, name))
            if not low <= high:
                raise ValueError(f"{name} = {getattr(self, name)}: must be (lowest, highest) in rad")
        if self.swing is not None and not self.swing >= 0:
            raise ValueError(f"swing = {self.swing}: must be an angle of at least 0 rad")

    @property
    def exist(self) -> bool:
        """Whether there is any limit."""
        return (self.first, self.second, self.swing) != (None, None, None)

    @property
    def hinges(self) -> tuple[Interval | None, Interval | None]:
        """Those of the universal joints."""
        return self.first, self.second

    def allow(self, first: FloatArray, second: FloatArray, swing: FloatArray) -> NDArray[np.bool_]:
        """Return whether all six struts' joints are inside, shape (N,); angles (N, 6) that are NaN are outside."""
        inside = np.isfinite(first) & np.isfinite(second) & np.isfinite(swing)
        for angle, limit in zip((first, second), self.hinges, strict=True):
            low, high = interval(limit)
            inside &= (angle >= low) & (angle <= high)
        if self.swing is not None:
            inside &= swing <= self.swing
        return np.logical_and.reduce(inside, axis=1)

    def use(self, first: FloatArray, second: FloatArray, swing: FloatArray) -> FloatArray:
        """Angles (N, 6) over their limits, (N, 6 k) of the k that have some; up to 1 within."""
        parts = []
        for angle, limit in zip((first, second), self.hinges, strict=True):
            if limit is not None:
                low, high = interval(limit)
                parts.append(np.where(angle >= 0, angle / high, angle / low))
        if self.swing is not None:
            parts.append(swing / self.swing)
        return np.concatenate(parts, axis=1) if parts else np.empty((len(first), 0))


def read_joint_limits(base: Node, platform: Node, base_kind: str, platform_kind: str) -> JointLimits:
    """Of the sections `base_joint` and `platform_joint` of a machine file; a pair of numbers is lowest and highest.

    Raises
    ------
    MachineError
        If a key is unknown, an angle is no angle, or home is outside: names the key.
    """
    limits: dict[str, Interval | None] = {}
    for joint, kind in ((base, base_kind), (platform, platform_kind)):
        section = joint.take("angle_limits", None)
        if section.value is None:
            continue
        if kind == "spherical":
            if joint is base and platform_kind == "spherical":
                section.fail("is not known of the base where both ends are spherical: give the platform's")
            limits["swing"] = _read_angle(section.take("swing"))
        else:
            limits |= {name: _read_hinge(section.take(name, None)) for name in HINGES}
        section.close()
    return JointLimits(**limits)  # type: ignore[arg-type]


def _read_angle(node: Node) -> float:
    value = node.positive()
    if value > np.pi:
        node.fail(f"= {value:g}: must be an angle in rad from home, at most pi{_suggest_degrees(value)}")
    return value


def _read_hinge(node: Node) -> Interval | None:
    if node.value is None:
        return None
    if not isinstance(node.value, list):
        return _read_angle(node)
    low, high = (float(value) for value in node.array(2))
    if not -np.pi <= low < 0 < high <= np.pi:
        node.fail(
            f"= {node.value}: must be [lowest, highest] in rad from home, -pi <= lowest < 0 < highest <= pi"
            f"{_suggest_degrees(low, high) if low < 0 < high else ''}"
        )
    return low, high


def _suggest_degrees(*angles: float) -> str:
    """Return the end of a message on angles that are sensible in degrees; empty if they are not."""
    if max(abs(angle) for angle in angles) > 180.0:
        return ""
    return f"; degrees? In rad: {', '.join(f'{np.radians(angle):.4g}' for angle in angles)}"


def interval(limit: Interval | None) -> tuple[float, float]:
    """Lowest and highest angle, rad; one number means as far either way."""
    if limit is None:
        return -np.inf, np.inf
    if isinstance(limit, tuple | list):
        low, high = limit
        return float(low), float(high)
    return -float(limit), float(limit)


NO_LIMITS = JointLimits()
