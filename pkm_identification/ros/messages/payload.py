# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What the machine carries, as a standard message, as diagnostics and in words."""

from __future__ import annotations

from geometry_msgs.msg import InertiaStamped

from pkm_identification.identification.changes.payload import PayloadEstimate, PayloadEvent

from ..clock import set_stamp

KINDS = {"picked_up": "payload taken up", "changed": "payload changed", "set_down": "payload set down",
         "withdrawn": "payload withdrawn, not known to a fifth of its mass: none is assumed; it was announced",
         }  # fmt: skip


def build_payload_message(payload: PayloadEstimate | None, time: float, frame: str) -> InertiaStamped:
    """Return mass, centre of mass and inertia about it in a frame, at a time in s; all zero without a payload."""
    message = InertiaStamped()
    set_stamp(message.header.stamp, time)
    message.header.frame_id = frame
    if payload is None:
        return message
    body = message.inertia
    body.m = payload.mass
    body.com.x, body.com.y, body.com.z = (float(x) for x in payload.center_of_mass)
    body.ixx, body.iyy, body.izz, body.ixy, body.ixz, body.iyz = (float(x) for x in payload.inertia)
    return message


def format_body_text(payload: PayloadEstimate) -> str:
    """Return mass and centre of mass with their standard deviations."""
    places = ", ".join(
        f"{x:.4f} ± {s:.4f}" for x, s in zip(payload.center_of_mass, payload.center_of_mass_std, strict=True)
    )
    mass = f"{payload.mass:.3f} ± {payload.mass_std:.3f} kg"
    return f"{mass} on '{payload.body}', centre of mass ({places}) m in its frame"


def format_event_text(event: PayloadEvent) -> str:
    """One line for the log."""
    text = f"{KINDS[event.kind]} at {event.time:.3f} s"
    return text if event.payload is None else f"{text}: {format_body_text(event.payload)}"


def payload_values(payload: PayloadEstimate | None, events: int) -> dict[str, object]:
    """Return values for diagnostics."""
    values: dict[str, object] = {
        "payload_events": events,
        "payload_mass": 0.0 if payload is None else payload.mass,
    }
    if payload is not None:
        values["payload_mass_std"] = payload.mass_std
        values["payload_taken_at"] = payload.taken_at
        for name, x, s in zip("xyz", payload.center_of_mass, payload.center_of_mass_std, strict=True):
            values[f"payload_center_{name}"] = float(x)
            values[f"payload_center_{name}_std"] = float(s)
        shown = [name for name, status in zip(("xx", "yy", "zz", "xy", "xz", "yz"), payload.inertia_status,
                                              strict=True) if status == "identifiable"]  # fmt: skip
        values["payload_inertia_shown"] = " ".join(shown) or "none"
    return values
