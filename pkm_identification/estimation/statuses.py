# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

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
    """Return whether a value is printed: it has a deviation that holds, or is told to be doubtful."""
    return status in _SHOWN
