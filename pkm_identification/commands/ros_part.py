# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What the commands say that need ROS 2 where it is not installed."""

from __future__ import annotations

from importlib.util import find_spec

from pkm_identification.errors import PkmError


def require_ros() -> None:
    """Raise PkmError, which says how to get it, unless rclpy can be imported."""
    if find_spec("rclpy") is None:
        raise PkmError(
            "needs ROS 2: install the package with its ROS part, pip install '.[ros]', or source a workspace"
        )
