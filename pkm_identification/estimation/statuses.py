# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What statuses of values mean to those who use them, whether the full model or a fit of few parameters gave them."""

from __future__ import annotations

from .identifiability import IDENTIFIABLE, IN_DOUBT
from .posterior.status import (
    AFFECTED,
    CONTRADICTS,
    FROM_FILE,
    IDENTIFIED,
    MOSTLY_FROM_FILE,
    NOISY,
    RESTS_ON_FILE,
)

_IDENTIFIED = frozenset({IDENTIFIABLE, IDENTIFIED})
_KNOWN = _IDENTIFIED | {MOSTLY_FROM_FILE, NOISY}
_DOUBTFUL = frozenset({IN_DOUBT, CONTRADICTS, AFFECTED})
_SHOWN = _KNOWN | _DOUBTFUL | {RESTS_ON_FILE, FROM_FILE}


def is_identified(status: str) -> bool:
    """Return whether the data determine a value."""
    return status in _IDENTIFIED


def is_known(status: str) -> bool:
    """Return whether a value holds within its deviation, be it that the file says most of it."""
    return status in _KNOWN


def is_doubtful(status: str) -> bool:
    """Return whether a value must not be used: the model did not fit, or the data contradict what it rests on."""
    return status in _DOUBTFUL


def is_shown(status: str) -> bool:
    """Return whether a value is printed: it has a deviation that holds, or is reported as doubtful."""
    return status in _SHOWN
