# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Figure of the closed position loop."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.figure import Figure

from pkm_identification.report.figures.style import ESTIMATE, NOMINAL, STRUT_COLORS, TRUE, apply_style

from .runs import FREQUENCIES, PRINTED

if TYPE_CHECKING:
    from .runs import ResponseStudy

MAGNITUDES, PHASES = (0.994, 0.654, 0.432), (-6.3, -62.5, -103.7)  # the paper's, l. 595
CURVES = (
    ("shipped", "mast_belt, one axis", ESTIMATE, "-"),
    ("mechanism", "with the mechanism", STRUT_COLORS[2], "--"),
    ("tachometer", "with a tachometer", STRUT_COLORS[1], ":"),
    ("prompt", "no delay", NOMINAL, "-"),
)


@apply_style
def draw_closed_loop_figure(study: ResponseStudy) -> Figure:
    """Bode plot of the position loop, the paper's points beside."""
    figure = Figure(figsize=(8, 5.5), layout="constrained")
    magnitude, phase = figure.subplots(2, 1, sharex=True)
    for name, label, color, style in CURVES:
        gain = study.gains[name]
        magnitude.plot(FREQUENCIES, 20.0 * np.log10(np.abs(gain)), style, color=color, label=label)
        phase.plot(FREQUENCIES, np.degrees(np.unwrap(np.angle(gain))), style, color=color)
    magnitude.plot(PRINTED, 20.0 * np.log10(MAGNITUDES), "o", color=TRUE, label="the paper")
    phase.plot(PRINTED, PHASES, "o", color=TRUE)
    magnitude.set_ylabel("magnitude (dB)")
    phase.set_ylabel("phase (deg)")
    phase.set_xlabel("frequency (Hz)")
    phase.set_xscale("log")
    phase.set_xticks((0.4, 1, 2, 5, 10), ("0.4", "1", "2", "5", "10"))
    phase.minorticks_off()
    magnitude.legend(loc="lower left")
    figure.suptitle("Closed position loop in z", x=0.01, ha="left")
    return figure
