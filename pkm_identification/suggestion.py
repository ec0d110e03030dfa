# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""The word that was meant, for messages about one that is unknown."""

from __future__ import annotations

from collections.abc import Iterable


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word that is nearest, if any is near; upper and lower case are alike."""
    from difflib import get_close_matches  # takes longer to load than good input to be read

    words = {name.lower(): name for name in known}
    near = get_close_matches(word.lower(), words, n=1)
    return words[near[0]] if near else None


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """`; did you mean 'length_1'?`, or nothing where no known word is near."""
    near = nearest(word, known)
    return "" if near is None else f"; did you mean '{near}'?"
