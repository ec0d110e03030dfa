"""How much memory the computer has, so that what cannot fit is refused before it is begun."""

from __future__ import annotations

import os

SAMPLE = 250  # bytes of memory a sample takes on its way through reading and identification, measured
TEXT = 8  # bytes of memory a byte of a text takes that is read whole, measured


def physical_memory() -> int:
    """Bytes of memory of this computer; 2^63 where that cannot be told."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):  # no POSIX
        return 2**63


def beyond_memory(samples: int, memory: int | None = None) -> str:
    """Why a log of so many samples does not fit into the memory (bytes; this computer's); empty where it does."""
    return _beyond(f"{samples} samples and more", samples * SAMPLE, memory)


def text_beyond_memory(size: int, memory: int | None = None) -> str:
    """Why a text of so many bytes cannot be read whole in the memory (bytes; this computer's); empty where it can."""
    return _beyond(f"{size / 2**30:.2g} GB of text of this form", size * TEXT, memory)


def _beyond(what: str, needed: int, memory: int | None) -> str:
    memory = physical_memory() if memory is None else memory
    if needed <= memory:
        return ""
    return (
        f"{what} take {needed / 2**30:.2g} GB, more than this computer's memory of {memory / 2**30:.2g} GB; "
        "give it in parts, one after the other"
    )
