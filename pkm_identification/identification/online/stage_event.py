# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What a stage of the pipeline has to say about a sample in addition to its output."""

from __future__ import annotations

from typing import NamedTuple


class StageEvent(NamedTuple):
    """Why a sample was left out, or a stage began anew.

    Attributes
    ----------
    reason : str
        Name of a counter.
    text : str
        A sentence for people.
    """

    reason: str
    text: str
