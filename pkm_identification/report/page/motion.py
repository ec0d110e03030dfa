# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""The machine in 3D, moving along the log: a slider over the log, and a button that plays it."""

from __future__ import annotations

from importlib.resources import files

import numpy as np

from pkm_identification.browser.inline import MACHINE_SCRIPTS, inline_data, inline_script
from pkm_identification.browser.machine_scene import machine_scene, poses
from pkm_identification.machines.capabilities import HexapodFile, has, require

from .material import Material

MICRO = 6  # decimals: micrometres, and as much of a quaternion


def motion(material: Material) -> str:
    """Return the place of the machine and its controls; nothing where the logs were not reviewed, or of no struts."""
    if not _is_drawn(material):
        return ""
    assert material.review is not None
    assert material.review.path is not None
    last = len(material.review.path.time) - 1
    return (
        '<div id="motion" hidden><h3>The machine along the log</h3><div id="machine-view"></div>'
        '<p class="player"><button type="button" id="play">Play</button>'
        f'<input type="range" id="instant" min="0" max="{last}" value="0" aria-label="Instant of the log">'
        '<output for="instant" id="time"></output></p>'
        "<p>Drag or use the arrow keys to turn it, Ctrl and wheel come closer. The log with most samples.</p></div>"
    )


def _is_drawn(material: Material) -> bool:
    """Return whether there are poses, of a machine that the page's script draws: base, struts and platform."""
    there = material.review is not None and material.review.path is not None
    return there and has(material.result.machine, HexapodFile)


def motion_scripts(material: Material) -> str:
    """Return poses, and the scripts that draw them; behind `motion` in the page."""
    if not _is_drawn(material):
        return ""
    assert material.review is not None
    assert material.review.path is not None
    path = material.review.path
    document = {
        "machine": machine_scene(require(material.result.machine, HexapodFile, "motion").description),
        "time": np.round(path.time, 3).tolist(),
        "poses": np.round(poses(path.position, path.rotation), MICRO).tolist(),
    }
    own = files(__package__).joinpath("motion.js").read_text(encoding="utf-8")
    scripts = "\n".join(map(inline_script, MACHINE_SCRIPTS))
    return f"{inline_data('motion-data', document)}\n{scripts}\n<script>\n{own}</script>\n"
