# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""The identification of a mechanism as one HTML page that holds everything."""

from __future__ import annotations

import base64
import json
from html import escape
from typing import Any

from pkm_identification.identification.mechanism.result import MechanismIdentification
from pkm_identification.version import __version__

from ..earlier import GENERATOR
from ..page.frame import framed
from ..page.parameter_rows import key, parameter_rows
from .sentences import verdicts
from .tables import prediction_table, sums_table


def html_page(
    result: MechanismIdentification, image: bytes | None = None, origin: dict[str, Any] | None = None
) -> str:
    """Sentences, parameters, what was predicted, where it comes from.

    `image` is the PNG file of the predicted forces, where there are any.
    """
    title = f"Identified dynamics of {result.mechanism.name}"
    lines = "".join(
        f'<li class="{"good" if good else "bad"}">{escape(text)}</li>' for good, text in verdicts(result)
    )
    parts = [
        f"<h1>{escape(title)}</h1>",
        f'<p class="lead">{escape(result.mechanism.description.description)}</p>',
        f"<ul>{lines}</ul>",
        "<h2>Parameters</h2>",
        parameter_rows(result.estimate, None, result.near_zero),
        key(False),
        "<p>Base parameters are called by the parameter that stands for their sum. Each row is drawn on a scale of its "
        "own; a value that is not identifiable is left out.</p>",
    ]
    if (sums := sums_table(result.base)).rows:
        parts += ["<h2>What the names stand for</h2>", sums.html()]
    held = result.prediction
    if held is not None and image is not None:
        data = base64.b64encode(image).decode("ascii")
        parts += [
            "<h2>Prediction of forces that were not used</h2>",
            prediction_table(result, held).html(),
            f'<figure><img alt="Forces of the drives, measured and predicted" src="data:image/png;base64,{data}">'
            f"<figcaption>{escape(held.what)}: both sides passed the same low-pass.</figcaption></figure>",
        ]
    if origin is not None:
        parts += ["<h2>Where it comes from</h2>", f"<pre>{escape(json.dumps(origin, indent=2))}</pre>"]
    parts.append(f"<footer>{GENERATOR} {escape(__version__)}</footer>")
    return framed(title, "\n".join(parts))
