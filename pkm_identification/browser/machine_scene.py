# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""A machine as `assets/machine_view.js` draws it."""

from __future__ import annotations

from typing import Any

import numpy as np

from pkm_identification.machines.capabilities import HexapodFile, has
from pkm_identification.machines.contract import Machine
from pkm_identification.machines.outline import create_outline, place_at_home
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.rotation import build_quaternion_from_matrix

MICRO, LINE_DIGITS = 6, 4  # decimals of poses and of lines, m
MOST_NUMBERS = 120_000  # of all instants of a machine drawn by lines: about 1 MB


def machine_scene(machine: Machine) -> dict[str, Any]:
    """Return what `new PkmMachineView(element, machine)` takes, ready for JSON.

    Parameters
    ----------
    machine : Machine

    Returns
    -------
    dict
        `name`, and of a platform on struts, which is drawn with its bodies and joints, `base_joints` and
        `platform_joints` (6 x 3, m, base and platform frame), `base_joint` and `platform_joint` (their kinds),
        `first_axes` (6 x 3), `home` (as of `poses`) and `length_limits` (m); of others `lines` at home: name and ends
        of each body's lines one after the other, m.
    """
    if has(machine, HexapodFile):
        file = machine.description
        return {
            "name": machine.name,
            "base_joints": file.base_joints.tolist(),
            "platform_joints": file.platform_joints.tolist(),
            "base_joint": file.base_joint,
            "platform_joint": file.platform_joint,
            "first_axes": file.first_axes.tolist(),
            "home": poses(file.home_position[None], file.home_rotation[None])[0].tolist(),
            "length_limits": file.length_limits.tolist(),
        }
    outline = create_outline(machine)
    ends = place_at_home(machine, outline)
    owners = dict.fromkeys(outline.owners)
    fixed = set(np.array(outline.owners)[outline.fixed])
    return {
        "name": machine.name,
        "lines": [
            {
                "name": "base" if owner in fixed else owner,
                "points": ends[[one == owner for one in outline.owners]].reshape(-1, 3).tolist(),
            }
            for owner in owners
        ],
    }


def scene_frames(machine: Machine, states: FloatArray) -> tuple[slice, list[Any]]:
    """Return which of the states (K, S) of a motion are drawn, and each as the view takes it.

    Of a platform on struts all, as `poses`; of others the ends of all lines, in the order of `machine_scene`.
    """
    if has(machine, HexapodFile):
        return slice(None), np.round(poses(states[:, :3], states[:, 3:12].reshape(-1, 3, 3)), MICRO).tolist()
    outline = create_outline(machine)
    order = np.argsort(
        [list(dict.fromkeys(outline.owners)).index(one) for one in outline.owners], kind="stable"
    )
    every = max(1, -(-len(states) * 6 * len(order) // MOST_NUMBERS))
    chosen = slice(None, None, every)
    frames = [outline.place(state)[order].reshape(-1, 3) for state in states[chosen]]
    return chosen, np.round(frames, LINE_DIGITS).tolist()


def poses(position: FloatArray, rotation: FloatArray) -> FloatArray:
    """Poses as `setPose` of the view takes them.

    Parameters
    ----------
    position : ndarray, shape (N, 3)
        Of the platform frame's origin in the base frame, m.
    rotation : ndarray, shape (N, 3, 3)
        From platform to base axes.

    Returns
    -------
    ndarray, shape (N, 7)
        Position in m, then the quaternion x, y, z, w.
    """
    return np.hstack([position, build_quaternion_from_matrix(rotation)])
