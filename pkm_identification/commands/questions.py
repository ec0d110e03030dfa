# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Values of options, asked of a person at a terminal where they are missing."""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable
from typing import Any

from pkm_identification.errors import SettingsError

LARGEST = 1e9


class Questions:
    """Values of options, and where they are missing the answers of a person at a terminal."""

    def __init__(self, options: argparse.Namespace) -> None:
        self._options = options
        self.interactive = sys.stdin is not None and sys.stdin.isatty()
        self.asked = False  # whether anything was

    def value(self, name: str, question: str, read: Callable[[str], Any]) -> Any:
        """Return the value of the option, or of the answer."""
        flag = "--" + name.replace("_", "-")
        given = getattr(self._options, name)
        if given is not None:
            return option_value(flag, given, read)
        if not self.interactive:
            raise SettingsError(f"{flag} is missing: {question}")
        return self.answer(question, "", read)

    def answer(self, question: str, allowed: str, read: Callable[[str], Any]) -> Any:
        """Asked for until it can be understood; SettingsError at the end of what a person types."""
        self.asked = True
        while True:
            print(f"{question}{f' ({allowed})' if allowed else ''}: ", end="", file=sys.stderr, flush=True)
            line = sys.stdin.readline()
            if not line:
                raise SettingsError(f"no answer: {question}")
            try:
                return read(line.strip())
            except ValueError as error:
                print(f"  {error}", file=sys.stderr)


def option_value(flag: str, text: str, read: Callable[[str], Any]) -> Any:
    """Return the value of an option; SettingsError with its name where it cannot be understood."""
    try:
        return read(text)
    except ValueError as error:
        raise SettingsError(f"{flag} {text}: {error}") from None


def number(text: str) -> float:
    """Return a finite number; raises ValueError."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not abs(value) < LARGEST:
        raise ValueError("expected a number")
    return value


def positive(text: str) -> float:
    """Return a number greater than zero; raises ValueError."""
    value = number(text)
    if value <= 0:
        raise ValueError("must be greater than zero")
    return value


def numbers(text: str | None, flag: str, least: int, most: int) -> list[float]:
    """From `least` to `most` numbers with commas, the value of an option; none where it is not given."""
    if text is None:
        return []
    parts = text.split(",")
    if not least <= len(parts) <= most:
        raise SettingsError(
            f"{flag} {text}: expected {most if least == most else f'{least} or {most}'} numbers"
        )
    return [option_value(flag, part, number) for part in parts]
