"""Kinematics of hexapods: inverse, forward, Jacobian and rates."""

from .forward import (
    DEGRADED,
    FAILED,
    OK,
    STATUS_NAMES,
    ForwardResult,
    forward_kinematics,
    platform_motion,
)
from .inverse import strut_lengths, strut_motion_from_platform
from .jacobian import jacobian

__all__ = [
    "DEGRADED",
    "FAILED",
    "OK",
    "STATUS_NAMES",
    "ForwardResult",
    "forward_kinematics",
    "jacobian",
    "platform_motion",
    "strut_lengths",
    "strut_motion_from_platform",
]
