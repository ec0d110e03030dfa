# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""One figure of a page: a picture, and over it the interactive one where a browser can draw it."""

from __future__ import annotations

import base64
from html import escape

from pkm_identification.browser.inline import inline_data

from .material import Material

CAPTIONS = {
    "machine": "The machine in its home pose, from its description; struts of a hexapod are numbered.",
    "correlation": "Correlation of the errors of parameters that the logs show. Near 1 or −1, the logs show a sum or a "
    "difference of the two far better than either.",
    "convergence": "Each identified parameter over time, with its band of two standard deviations. The transient at "
    "the start runs out of the range.",
    "misfit": "What the model leaves of the forces in the band, in units of the noise floor. Noise alone stays between "
    "−2 and 2 for 95 % of the time, and has a root mean square of 1.",
    "forces": "Forces of motion that was not used for the estimate: both sides passed the same low-pass.",
    "residual": "What that prediction leaves. A flat spectrum far below that of the force is noise; peaks are motion "
    "the model does not explain.",
    "friction": "Friction over the drives' rates: points are what the measured force is more than the identified "
    "rigid-body part, in bins of the rate, with one standard deviation; the line is the identified friction.",
}


def figure(material: Material, name: str) -> str:
    """Return the figure as HTML; nothing where there is none of that name."""
    image = material.images.get(name)
    if image is None:
        return ""
    caption = CAPTIONS.get(name, name)
    data = base64.b64encode(image).decode("ascii")
    picture = f'<img alt="{escape(caption)}" src="data:image/png;base64,{data}">'
    drawn = ""
    if material.script is not None and name in material.interactive:
        # wider than a telephone: its labels would lie over each other there
        drawn = f'<div class="scroll" tabindex="0" role="region" aria-label="figure, {name}">'
        drawn += f'<div class="plot" data-figure="figure-{name}"></div></div>'
        drawn += inline_data(f"figure-{name}", material.interactive[name])
    return f'<figure id="{name}">{picture}{drawn}<figcaption>{escape(caption)}</figcaption></figure>'
