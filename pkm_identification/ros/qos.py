# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Every quality-of-service profile of the package, in one place."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from typing import Any

from rclpy.exceptions import InvalidParameterTypeException
from rclpy.qos import DurabilityPolicy, HistoryPolicy, QoSProfile, ReliabilityPolicy
from rclpy.qos_overriding_options import QoSOverridingOptions

from .parameters.declarations import ParameterError


def _build_profile(
    depth: int,
    reliability: ReliabilityPolicy = ReliabilityPolicy.RELIABLE,
    durability: DurabilityPolicy = DurabilityPolicy.VOLATILE,
) -> QoSProfile:
    return QoSProfile(
        history=HistoryPolicy.KEEP_LAST, depth=depth, reliability=reliability, durability=durability
    )


# One second at the drive's rate: a node held up for that long still loses nothing.
STREAM_DEPTH = 1000
# Between our nodes: more than the 3 s after which Fast DDS sends again what was lost on the way.
INNER_DEPTH = 4 * STREAM_DEPTH

# Best effort matches every publisher: joint_state_broadcaster, a best-effort driver, a bag. And no driver ever waits
# for us; the price is a sample now and then on a computer that is fully loaded.
STRUT_STATES_SUBSCRIPTION = _build_profile(STREAM_DEPTH, ReliabilityPolicy.BEST_EFFORT)
# What we publish is reliable, so that a recorder may ask for every sample.
STREAM = _build_profile(INNER_DEPTH)
COMMANDS = _build_profile(10)
POSE = _build_profile(100)
MARKERS = _build_profile(10)
TF = _build_profile(100)
JOINTS = _build_profile(100)
DIAGNOSTICS = _build_profile(10)
# Nobody waits for a best-effort reader, and one place is enough for who looks at the newest alone.
NEWEST = _build_profile(1, ReliabilityPolicy.BEST_EFFORT)
DIAGNOSTICS_WATCHED = _build_profile(20, ReliabilityPolicy.BEST_EFFORT)
CLOCK = _build_profile(1, ReliabilityPolicy.BEST_EFFORT)
# A late joiner gets the last estimate.
LATCHED = _build_profile(1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
# Of several publishers with many such messages, for who wants all of them.
LATCHED_STREAM = _build_profile(STREAM_DEPTH, durability=DurabilityPolicy.TRANSIENT_LOCAL)


def open_to_overrides(profile: QoSProfile) -> dict[str, Any]:
    """Return the arguments of `create_publisher` and `create_subscription` that let a user change a profile.

    By ROS's own parameters `qos_overrides./TOPIC.publisher|subscription.reliability|depth|history`, read at start.
    rclpy writes them into the profile it is given: a copy, because ours are shared.
    """
    return {
        "qos_profile": copy(profile),
        "qos_overriding_options": QoSOverridingOptions.with_default_policies(),
    }


@contextmanager
def refusing_bad_overrides() -> Iterator[None]:
    """Context in which an override that cannot be is a ParameterError of one line."""
    try:
        yield
    except (RuntimeError, InvalidParameterTypeException) as error:
        if "qos_overrides" in str(error) or "QoS override" in str(error):
            raise ParameterError(f"parameter 'qos_overrides...': {error}") from None
        raise
