# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

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
