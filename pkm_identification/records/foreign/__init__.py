"""Logs that other programs wrote: their columns, units, delimiters and joint names, read as ours."""

from .applicability import refuse_for_columns, refuse_for_recording
from .layout import LAYOUT_ENDING, LogLayout, layout_place, layout_text, read_layout, whole_layout
from .plausibility import refuse_implausible
from .reader import ARRAY_FILES, read_foreign
from .sheet import looks_foreign
from .units import in_si

__all__ = [
    "ARRAY_FILES",
    "LAYOUT_ENDING",
    "LogLayout",
    "in_si",
    "layout_place",
    "layout_text",
    "looks_foreign",
    "read_foreign",
    "read_layout",
    "refuse_for_columns",
    "refuse_for_recording",
    "refuse_implausible",
    "whole_layout",
]
