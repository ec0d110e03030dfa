# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The script that draws interactive figures, from plotly's wheel: nothing is loaded from elsewhere."""

from __future__ import annotations

import base64
import gzip

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
