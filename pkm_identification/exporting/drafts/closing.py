# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Loops that a file leaves open, closed by a joint between two of its links where their frames coincide.

Instead of a link, its joint may be named: the joint's frame in its second body, which in URDF is the link's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pkm_identification.errors import SettingsError
from pkm_identification.mechanisms.multibody.description.records import GROUND
from pkm_identification.suggestion import did_you_mean

from .graph import Draft, DraftJoint, Frame

# Names of other programs stand for ours.
TYPES = {
    "spherical": "spherical",
    "connect": "spherical",
    "3d": "spherical",
    "fixed": "fixed",
    "weld": "fixed",
    "6d": "fixed",
    "revolute": "revolute",
    "prismatic": "prismatic",
}


def close_loops(draft: Draft, closures: Sequence[str]) -> Draft:
    """Return the draft with a joint for each closure.

    Parameters
    ----------
    draft : Draft
    closures : sequence of str
        LINK:LINK, a spherical joint in both links' origins; or LINK:LINK:TYPE, one of TYPES, a revolute or prismatic
        one along both links' z.

    Raises
    ------
    SettingsError
        If a text is none, or names no link or type.
    """
    joints = list(draft.joints)
    for k, text in enumerate(closures, 1):
        parts = text.split(":")
        ends = {joint.name: (joint.bodies[1], joint.frames[1]) for joint in draft.joints}
        ends |= {link.name: (link.name, Frame()) for link in draft.links} | {GROUND: (GROUND, Frame())}
        if len(parts) not in (2, 3):
            raise SettingsError(f"--close {text}: expected LINK:LINK or LINK:LINK:TYPE")
        for link in parts[:2]:
            if link not in ends:
                raise SettingsError(f"--close {text}: '{link}' is no link{did_you_mean(link, ends)}")
        (first, frame), (second, other) = (ends[part] for part in parts[:2])
        if first == second:
            raise SettingsError(f"--close {text}: names one link twice")
        kind = parts[2] if len(parts) == 3 else "spherical"
        if kind not in TYPES:
            raise SettingsError(f"--close {text}: type '{kind}' must be one of {', '.join(TYPES)}")
        joints.append(DraftJoint(f"closed_{k}", TYPES[kind], (first, second), (frame, other)))
    return replace(draft, joints=tuple(joints))
