# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The result of an identification for people: tables for a terminal, sentences, figures and a page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .listing import Listing
from .sentences import verdicts
from .tables import dropped_table, estimate_table, machine_table, settings_table, validation_table

if TYPE_CHECKING:
    from .folder import ReportFiles, report_figures, write_page, write_report

__all__ = [
    "Listing",
    "ReportFiles",
    "dropped_table",
    "estimate_table",
    "machine_table",
    "report_figures",
    "settings_table",
    "validation_table",
    "verdicts",
    "write_page",
    "write_report",
]


def __getattr__(name: str) -> Any:
    """Load figures only when asked for: matplotlib takes longer to import than a log to identify."""
    if name in ("ReportFiles", "report_figures", "write_page", "write_report"):
        from . import folder

        return getattr(folder, name)
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
