# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The package's errors: one root, one class per kind of trouble a user can act on.

A mistake of the program that calls (an array of the wrong shape) is a ValueError, not one of these.
"""

import unicodedata

# Characters that end a line, steer a terminal or turn the direction of writing.
_STEERING = {"Cc", "Cf", "Zl", "Zp"}


def one_line(text: str) -> str:
    """Return a text with control characters written out (\\n, \\x1b): names from files and topics forge no line."""
    if text.isprintable():
        return text
    return "".join(
        one if unicodedata.category(one) not in _STEERING else one.encode("unicode_escape").decode()
        for one in text
    )


class PkmError(Exception):
    """Root of every error this package raises on purpose."""


class DocumentError(PkmError):
    """A YAML or JSON document that cannot be used: names the file, the key, the value and what is allowed."""


class MachineError(DocumentError):
    """A machine description that cannot be used."""


class LogError(PkmError):
    """A log that cannot be read or used: names the file, the place and what was expected."""


class OutputError(PkmError):
    """A file or folder that cannot be written: names it and the reason."""


class SettingsError(PkmError, ValueError):
    """A setting that is impossible, by itself or with others: names it, its value and what is allowed."""


class NotConverged(PkmError):
    """An iteration ended without reaching its tolerance."""


class Unidentifiable(PkmError):
    """The data cannot show what was asked for."""


class MotionRefused(PkmError):
    """A motion the machine must not begin: says which limit or which number, where and when."""
