# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What nodes complain of while samples flow; before the first and after the last one they rightly miss their input."""

from __future__ import annotations

from collections.abc import Mapping


class StreamTroubles:
    """Gathers complaints by node and task, window by window.

    Attributes
    ----------
    confirmed : dict of str to str
        Complaints of windows that had samples before them and after them.
    """

    def __init__(self) -> None:
        self.confirmed: dict[str, str] = {}
        self._lately: dict[str, str] = {}
        self._accepted = 0

    def take(self, accepted: int, complaints: Mapping[str, str]) -> None:
        """End of a window: how many samples were accepted until now, and what was complained of in it."""
        if accepted == self._accepted:
            return
        self.confirmed |= self._lately
        self._lately = dict(complaints) if self._accepted else {}
        self._accepted = accepted
