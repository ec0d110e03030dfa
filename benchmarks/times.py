# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Times as text."""

from __future__ import annotations


def time_text(seconds: float) -> str:
    """Three digits with the unit that suits."""
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= 0.9995 * scale or unit == "µs":
            return (
                f"{seconds / scale:.3g} {unit}"
                if seconds < 999.5 * scale
                else f"{seconds / scale:.0f} {unit}"
            )
    raise AssertionError("unreachable")


def ratio_text(peer: float, ours: float) -> str:
    """How many times our time the peer takes."""
    return f"{peer / ours:.2g}x" if peer < 9.95 * ours else f"{peer / ours:.0f}x"
