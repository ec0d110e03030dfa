# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

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
