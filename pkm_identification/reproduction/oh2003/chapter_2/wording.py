# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Numbers of section 2.4 in words, and cases by machine and speed."""

from __future__ import annotations

from collections.abc import Sequence

from ..table_2_2_motions import SOURCE_MOTIONS
from .runs import Case, Study


def span(values: Sequence[float], digits: int = 3) -> str:
    """Least to largest."""
    return f"{min(values):.{digits}g} to {max(values):.{digits}g}"


def cases_of(study: Study, machine: str, speed: str) -> list[Case]:
    """Return the six cases of Table 2.2 at one speed."""
    return [study.cases[machine, motion] for motion in SOURCE_MOTIONS if motion.endswith(speed)]
