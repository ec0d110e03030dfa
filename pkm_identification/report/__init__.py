"""What an identification found: tables for a terminal, estimate.json, figures and a page.

The modules with figures load matplotlib, which takes longer than a small identification; import `folder` and the
figures where they are needed.
"""

from .estimate_json import estimate_document, write_estimate_json
from .listing import Listing
from .tables import dropped_table, estimate_table, machine_table, settings_table, validation_table, verdicts

__all__ = [
    "Listing",
    "dropped_table",
    "estimate_document",
    "estimate_table",
    "machine_table",
    "settings_table",
    "validation_table",
    "verdicts",
    "write_estimate_json",
]
