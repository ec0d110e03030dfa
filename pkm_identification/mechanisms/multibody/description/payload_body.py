# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Which body of a mechanism takes loads up: its platform, its tool, or what its file names."""

from __future__ import annotations

from .records import GROUND, Description


def find_payload_body(description: Description) -> str:
    """Return the body that loads are fixed to.

    It is the one that the file names, that of its pose or outputs, or else the farthest from the ground, in joints:
    of an arm its last link. Of several the first.
    """
    return description.payload_body or find_output_body(description) or _find_farthest_body(description)


def find_output_body(description: Description) -> str | None:
    """Return the body whose pose or outputs the file names; None where it names none."""
    if description.pose:
        return description.pose
    moved = [one.bodies[1] for one in description.outputs if one.kind in ("position", "angle")]
    return next((body for body in moved if body != GROUND), None)


def _find_farthest_body(description: Description) -> str:
    distance = {GROUND: 0}
    reached = [GROUND]
    for body in reached:
        for joint in description.joints:
            for here, there in (joint.bodies, joint.bodies[::-1]):
                if here == body and there not in distance:
                    distance[there] = distance[here] + 1
                    reached.append(there)
    return max((one.name for one in description.bodies), key=lambda name: distance[name])
