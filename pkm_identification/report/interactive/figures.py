# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""All interactive figures of a report."""

from __future__ import annotations

import base64
import gzip
from typing import TYPE_CHECKING

from pkm_identification.identification.review.review import Review
from pkm_identification.numerics.arrays import FloatArray

from ..drawings import Drawings, draw_figures
from .forces import forces, misfit, residual
from .friction import friction
from .parameters import convergence, correlation
from .parts import Document

if TYPE_CHECKING:
    from pkm_identification.identification.result import Identification

LEVEL = 6


def packed_script() -> str | None:
    """plotly.js, packed (gzip) as base64; None without plotly (extra `report`).

    Packed it takes 2 MB of a page instead of 5, and browsers unpack it themselves.
    """
    try:
        from plotly.offline import get_plotlyjs
    except ImportError:
        return None
    # the same page from the same result: no time in the header
    return base64.b64encode(gzip.compress(get_plotlyjs().encode(), LEVEL, mtime=0)).decode("ascii")


FIGURES = Drawings(
    correlation=correlation,
    convergence=convergence,
    forces=forces,
    residual=residual,
    misfit=misfit,
    friction=friction,
)


def interactive_figures(
    result: Identification, truth: FloatArray | None = None, reviewed: Review | None = None
) -> dict[str, Document]:
    """Figures by the names of `folder.report_figures`, as far as they have an interactive form."""
    return draw_figures(result, truth, reviewed, FIGURES)
