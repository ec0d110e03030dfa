# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

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
