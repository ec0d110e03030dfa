# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Messages as entries of the page's board: plain numbers and texts, nothing that is not finite."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import InertiaStamped, Pose
from visualization_msgs.msg import Marker, MarkerArray

from pkm_identification.msg import ParameterEstimate

from ..clock import seconds

STATUSES = {
    ParameterEstimate.IDENTIFIABLE: "identified",
    ParameterEstimate.COMBINATION: "combination",
    ParameterEstimate.UNIDENTIFIABLE: "not identifiable",
    ParameterEstimate.IN_DOUBT: "affected",
}
LEVELS = {DiagnosticStatus.OK: "ok", DiagnosticStatus.WARN: "warning", DiagnosticStatus.ERROR: "error"}


def build_pose_entry(pose: Pose) -> list[float] | None:
    """Position in m and quaternion x, y, z, w; None if a number is not finite."""
    position, turn = pose.position, pose.orientation
    numbers = [position.x, position.y, position.z, turn.x, turn.y, turn.z, turn.w]
    return numbers if all(map(math.isfinite, numbers)) and any(numbers[3:]) else None


def estimate_entry(message: ParameterEstimate) -> dict[str, Any] | None:
    """Return an estimate without its covariance; None if a number is not finite, or a parameter lacks one."""
    numbers = [*message.values, *message.std, *message.nominal, message.nis, message.fit_ratio]
    columns = [message.units, message.values, message.std, message.nominal, message.status]
    columns += [column for column in (message.status_text, message.rests_on) if column]
    if not all(map(math.isfinite, numbers)) or any(len(column) != len(message.names) for column in columns):
        return None
    doubted = STATUSES if message.fit_judged else STATUSES | {ParameterEstimate.IN_DOUBT: "not assessed yet"}
    return {
        "time": seconds(message.header.stamp),
        "machine": message.machine,
        "estimator": message.estimator,
        "model": message.model,
        "names": list(message.names),
        "units": list(message.units),
        "values": list(message.values),
        "std": list(message.std),
        "nominal": list(message.nominal),
        "status": list(message.status_text) or [doubted.get(status, "unknown") for status in message.status],
        "rests_on": list(message.rests_on) or [""] * len(message.names),
        "nis": message.nis,
        "nis_dof": message.nis_dof,
        "count": message.count,
        "fit": {
            "judged": message.fit_judged,
            "lack": message.lack_of_fit,
            "ratio": message.fit_ratio,
            "cause": message.cause_text,
        },
    }


def build_lines_entry(message: MarkerArray) -> list[dict[str, Any]]:
    """Bodies of a machine as lines: name, and the ends of each one after the other, m; not where one is not finite."""
    lines = [
        {"name": one.ns, "points": [[point.x, point.y, point.z] for point in one.points]}
        for one in message.markers
        if one.type == Marker.LINE_LIST
    ]
    return [one for one in lines if all(math.isfinite(x) for point in one["points"] for x in point)]


def build_payload_entry(message: InertiaStamped) -> dict[str, Any] | None:
    """Return mass in kg and centre of mass in m of what is carried; None if a number is not finite."""
    body = message.inertia
    numbers = [body.m, body.com.x, body.com.y, body.com.z]
    if not all(map(math.isfinite, numbers)):
        return None
    return {"time": seconds(message.header.stamp), "mass": body.m, "center": numbers[1:]}


def build_status_entry(status: DiagnosticStatus, task: str) -> dict[str, Any]:
    """One task of a node: its level in a word, its message and its numbers as text."""
    values: Mapping[str, str] = {entry.key: entry.value for entry in status.values}
    return {
        "task": task,
        "level": LEVELS.get(status.level, "stale"),
        "message": status.message,
        "values": values,
    }
