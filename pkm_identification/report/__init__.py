# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

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
