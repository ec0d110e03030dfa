"""The frame of all pages that reports write: head, style sheet, and nothing from elsewhere."""

from __future__ import annotations

from html import escape
from importlib.resources import files

from ..earlier import GENERATOR


def framed(title: str, body: str, scripts: str = "") -> str:
    """A whole page.

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
