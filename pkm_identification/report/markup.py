# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Pages and their parts from the templates of `templates/`: texts are escaped there, and what is drawn is a macro."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

    Content = str | Markup


@dataclass(frozen=True)
class Cell:
    """A cell of a page's table: its text or markup, and its classes in `report.css`."""

    content: Content
    kind: str = ""


def render(template: str, **context: Any) -> Markup:
    """Return a template filled in."""
    from markupsafe import Markup

    return Markup(_environment().get_template(template).render(**context))


def draw(drawing: str, *values: Any) -> Markup:
    """Return a drawing of `drawings.html`."""
    return _call("drawings.html", drawing, *values)


def build_table(
    label: str, heads: Sequence[Cell], rows: Sequence[Sequence[Cell]], dim: Sequence[bool] = ()
) -> Markup:
    """Return a table that scrolls by itself; rows that are `dim` are greyed."""
    return _call("table.html", "table", label, heads, rows, dim or [False] * len(rows))


def build_list(lines: Iterable[Content]) -> Markup:
    """Return a list of sentences."""
    return _call("table.html", "lines", list(lines))


def _call(template: str, macro: str, *values: Any) -> Markup:
    found: Markup = getattr(_environment().get_template(template).module, macro)(*values)
    return found


@cache
def _environment() -> Environment:
    # only pages need it: a table on a terminal does not wait for it
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader(__package__),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
