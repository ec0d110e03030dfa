# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The machine in 3D, moving along the log: a slider over the log, and a button that plays it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pkm_identification.browser.inline import MACHINE_SCRIPTS, inline_data, inline_script
from pkm_identification.browser.machine_scene import machine_scene, scene_frames

from ..markup import render
from .material import Material

if TYPE_CHECKING:
    from markupsafe import Markup


def count_poses(material: Material) -> int:
    """Return how many instants of the log the machine may be drawn at; 0 where the logs were not reviewed."""
    return 0 if material.review is None else len(material.review.path.time)


def motion_scripts(material: Material) -> Markup | str:
    """Return places of the machine, and the scripts that draw them; empty without a review."""
    if material.review is None:
        return ""
    path, machine = material.review.path, material.result.machine
    chosen, frames = scene_frames(machine, path.state)
    document = {
        "machine": machine_scene(machine),
        "time": np.round(path.time[chosen], 3).tolist(),
        "frames": frames,
    }
    return render(
        "motion.html",
        data=inline_data("motion-data", document),
        scripts=list(map(inline_script, MACHINE_SCRIPTS)),
    )
