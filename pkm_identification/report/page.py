"""One HTML page that holds everything: tables, figures, settings; nothing is loaded from elsewhere."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from html import escape
from typing import TYPE_CHECKING

from pkm_identification.numerics.arrays import FloatArray

from .sentences import verdicts
from .tables import (
    STATUS_TEXT,
    dropped_table,
    estimate_table,
    machine_table,
    settings_table,
    validation_table,
)

if TYPE_CHECKING:
    from pkm_identification.identification.result import Identification

CAPTIONS = {
    "machine": "The machine in its home pose, from its description; struts are numbered.",
    "estimates": "Estimates with bars of two standard deviations, against the nominal values of the description.",
    "convergence": "Each identified parameter over time, with its band of two standard deviations. The "
    "transient at the start runs out of the panels.",
    "misfit": "What the model leaves of the forces in the band, in units of the noise floor: in the worst strut where "
    "it is largest, and in all struts.",
    "forces": "Strut forces of a log that was not used for the estimate: both sides passed the same low-pass.",
    "residual": "What the prediction leaves. A flat spectrum far below that of the force is noise; peaks are motion "
    "the model does not explain.",
}
STYLE = """
:root { color-scheme: light; }
body { font: 16px/1.55 system-ui, sans-serif; color: #222; background: #fff; margin: 0 auto;
       max-width: 72rem; padding: 2rem 1.25rem 4rem; }
h1 { font-size: 1.7rem; margin: 0 0 .2rem; } h2 { font-size: 1.2rem; margin: 2.4rem 0 .7rem; }
.lead { color: #555; margin: 0 0 1.4rem; }
ul.verdicts { list-style: none; padding: 0; margin: 0; }
ul.verdicts li { padding: .35rem .8rem; margin: .35rem 0; border-left: 4px solid #009e73; background: #f2faf7; }
ul.verdicts li.bad { border-color: #d55e00; background: #fdf4ee; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: .9rem; }
th, td { text-align: left; padding: .28rem .9rem .28rem 0; border-bottom: 1px solid #e6e6e6; vertical-align: top; }
th { color: #555; font-weight: 600; border-bottom: 2px solid #ccc; }
.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
tr.dim td { color: #888; }
.pair { display: flex; flex-wrap: wrap; gap: 0 3rem; align-items: flex-start; }
.pair > * { flex: 1 1 24rem; }
figure { margin: 1.2rem 0 2rem; } figure img { max-width: 100%; height: auto; }
figcaption { color: #555; font-size: .9rem; }
footer { margin-top: 3rem; color: #777; font-size: .85rem; }
"""


def html_page(
    result: Identification, images: Mapping[str, bytes], truth: FloatArray | None = None, version: str = ""
) -> str:
    """The report as a page.

    Parameters
    ----------
    result : Identification
    images : mapping of str to bytes
        PNG files by the name of the figure, shown in their order.
    truth : ndarray, shape (P,), optional
        True values, where they are known.
    version : str
        Of this package, for the last line.
    """
    machine, estimate = result.machine, result.estimate
    title = f"Identified dynamics of {machine.name}"
    images = dict(images)
    machine_image = _figure("machine", images.pop("machine")) if "machine" in images else ""
    parts = [
        f"<h1>{escape(title)}</h1>",
        f'<p class="lead">{escape(machine.description)}</p>' if machine.description else "",
        _verdicts(verdicts(result)),
        "<h2>Parameters</h2>",
        estimate_table(estimate, truth, result.near_zero).html(dim=tuple(STATUS_TEXT.values())[1:]),
        "<p>Values are in SI units; std is one standard deviation of the estimate. A value that is not "
        "identifiable is left out: it would be the nominal one again.</p>",
    ]
    if result.validation is not None:
        parts += [
            "<h2>Prediction of forces that were not used</h2>",
            validation_table(result.validation).html(),
            f"<p>{escape(result.validation.held_out)}, predicted by {escape(result.validation.predicted_by)}. "
            "Error is the root mean square of measured minus predicted "
            "force over that of the measured force, in the estimation band and unfiltered.</p>",
        ]
    parts += ["<h2>Figures</h2>", *(_figure(name, image) for name, image in images.items())]
    if result.dropped:
        parts += ["<h2>What was not used</h2>", dropped_table(result.dropped).html()]
    parts += [
        "<h2>Machine and settings</h2>",
        f'<div class="pair">{machine_table(machine).html()}{settings_table(result).html()}</div>',
        machine_image,
        f"<footer>pkm_identification {escape(version)}</footer>",
    ]
    body = "\n".join(part for part in parts if part)
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )


def _verdicts(lines: list[tuple[bool, str]]) -> str:
    items = "".join(f"<li{'' if good else ' class=bad'}>{escape(text)}</li>" for good, text in lines)
    return f'<ul class="verdicts">{items}</ul>'


def _figure(name: str, image: bytes) -> str:
    caption = CAPTIONS.get(name, name)
    data = base64.b64encode(image).decode("ascii")
    return (
        f'<figure><img alt="{escape(name)}" src="data:image/png;base64,{data}">'
        f"<figcaption>{escape(caption)}</figcaption></figure>"
    )
