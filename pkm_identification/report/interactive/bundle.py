# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

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
