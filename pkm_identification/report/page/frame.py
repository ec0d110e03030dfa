# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""The frame of all pages that reports write: head, style sheet, and nothing from elsewhere."""

from __future__ import annotations

from html import escape
from importlib.resources import files

from ..earlier import GENERATOR


def build_frame_page(title: str, body: str, scripts: str = "") -> str:
    """Return a whole page.

    Parameters
    ----------
    title : str
        As text.
    body, scripts : str
        As HTML; scripts follow the body.
    """
    # light and dark, screen and paper
    style = files(__package__).joinpath("report.css").read_text(encoding="utf-8")
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta name="generator" content="{GENERATOR}">\n<link rel="icon" href="data:,">\n'
        f"<title>{escape(title)}</title>\n<style>\n{style}</style>\n</head>\n"
        f'<body>\n<main class="sheet">\n{body}\n</main>\n{scripts}</body>\n</html>\n'
    )
