# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What differs between the releases of ROS 2, in one place: Humble (rclpy 3.3), Jazzy (7.1), Kilted (9.1) and later.

Each difference is recognised by what rclpy has, not by its version. `test/ros/test_older_releases.py` runs nodes with
the newer ones' names taken away.
"""

from __future__ import annotations

import importlib
import importlib.util
from typing import Any

from rclpy.executors import Executor
from rclpy.node import Node

from .parameters.declarations import ParameterError


def incompatible_qos_only(callback: Any) -> Any:
    """Event callbacks of a subscription that wants to know of nothing but an incompatible quality of service."""
    try:
        from rclpy.event_handler import SubscriptionEventCallbacks
    except ImportError:  # Humble
        from rclpy.qos_event import SubscriptionEventCallbacks
    return SubscriptionEventCallbacks(incompatible_qos=callback, use_default_callbacks=False)


def says_how_messages_came(executor: object) -> bool:
    """Return whether callbacks of subscriptions get (message, information) from an executor, and not the message alone.

    Humble gives no information. The events executor of some releases breaks down when it shall.
    """
    informs = importlib.util.find_spec("rclpy.event_handler") is not None  # came with it, after Humble
    return informs and isinstance(executor, Executor)


def has_set_callbacks(node: Node) -> bool:
    """Whether a node can be told when parameters have changed; in Humble it is asked whether they may, and no more."""
    return hasattr(node, "add_post_set_parameters_callback")


def events_executor() -> Executor:
    """Return a new events executor.

    Raises
    ------
    ParameterError
        If this rclpy has none (before Kilted).
    """
    try:
        executor: Executor = importlib.import_module("rclpy.experimental").EventsExecutor()
    except ImportError:
        raise ParameterError("parameter 'executor' = 'events': this rclpy has no events executor") from None
    return executor
