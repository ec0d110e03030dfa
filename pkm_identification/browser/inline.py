# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Scripts and data inside a page, which therefore asks nobody for anything, from a server as from a file."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

# In the order in which a page needs them.
MACHINE_SCRIPTS = ("three.min.js", "machine_view.js")


def asset(name: str) -> str:
    """Text of a file in `assets/`."""
    return (files(__package__) / "assets" / name).read_text(encoding="utf-8")


def inline_script(name: str) -> str:
    """Return a script of `assets/` as an element of a page."""
    text = asset(name).replace("</script", r"<\/script")
    return f"<script>\n{text}</script>"


def inline_data(identifier: str, value: Any) -> str:
    """Data as an element of a page, read by `JSON.parse(document.getElementById(identifier).textContent)`.

    Raises
    ------
    ValueError
        If a number is not finite, which JSON does not know.
    """
    text = json.dumps(value, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
    return f'<script type="application/json" id="{identifier}">{text}</script>'
