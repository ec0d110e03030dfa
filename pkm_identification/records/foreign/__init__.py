# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Logs that other programs wrote: their columns, units, delimiters and joint names, read as ours."""

from .applicability import refuse_for_columns, refuse_for_recording
from .layout import LAYOUT_ENDING, LogLayout, find_layout_file, layout_text, read_layout, whole_layout
from .plausibility import refuse_implausible
from .reader import read_foreign
from .recognition import is_foreign

__all__ = [
    "LAYOUT_ENDING",
    "LogLayout",
    "find_layout_file",
    "is_foreign",
    "layout_text",
    "read_foreign",
    "read_layout",
    "refuse_for_columns",
    "refuse_for_recording",
    "refuse_implausible",
    "whole_layout",
]
