# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

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
