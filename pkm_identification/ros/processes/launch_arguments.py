"""Launch arguments, which are text, as values of parameters."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

Value = TypeVar("Value", str, int, float)
KINDS: dict[object, str] = {int: "a whole number", float: "a number"}


def read_argument(name: str, read: Callable[[str], Value], text: str) -> Value:
    """Value of a launch argument.

    Parameters
    ----------
    name : str
    read : type
        str, int or float.
    text : str
        What the user gave.

    Raises
    ------
    ValueError
        If the text does not fit; launch shows the message, so it names the argument.
    """
    try:
        return read(text)
    except ValueError:
        raise ValueError(f"launch argument '{name}' must be {KINDS[read]}, not '{text}'") from None
