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
from pkm_identification.browser.machine_scene import machine_scene, scene_frames

from .material import Material


def motion(material: Material) -> str:
    """Return the place of the machine and its controls; nothing where the logs were not reviewed."""
    if material.review is None:
        return ""
    last = len(material.review.path.time) - 1
    return (
        '<div id="motion" hidden><h3>The machine along the log</h3><div id="machine-view"></div>'
        '<p class="player"><button type="button" id="play">Play</button>'
        f'<input type="range" id="instant" min="0" max="{last}" value="0" aria-label="Instant of the log">'
        '<output for="instant" id="time"></output></p>'
        "<p>Drag or use the arrow keys to turn it, Ctrl and wheel come closer. The log with most samples.</p></div>"
    )


def motion_scripts(material: Material) -> str:
    """Return places of the machine, and the scripts that draw them; behind `motion` in the page."""
    if material.review is None:
        return ""
    path, machine = material.review.path, material.result.machine
    chosen, frames = scene_frames(machine, path.state)
    document = {
        "machine": machine_scene(machine),
        "time": np.round(path.time[chosen], 3).tolist(),
        "frames": frames,
    }
    own = files(__package__).joinpath("motion.js").read_text(encoding="utf-8")
    scripts = "\n".join(map(inline_script, MACHINE_SCRIPTS))
    return f"{inline_data('motion-data', document)}\n{scripts}\n<script>\n{own}</script>\n"
