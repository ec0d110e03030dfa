# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""How much memory the computer has, so that what cannot fit is refused before it is begun."""

from __future__ import annotations

import os

# Measured (`python -m benchmarks.long_logs`): what identification of any log of more than LONG samples takes, and each
# sample more, whose lengths, forces and equations are in temporary files
LONG = 300_000
BEGUN, SAMPLE = 1_150_000_000, 60  # bytes
# The same where all of a log is worked on at once, one cutoff after the other (`--causal`, 2 against 5 min)
WHOLE = 3_500  # bytes a sample
TEXT = 8  # bytes of memory a byte of a text takes that is read whole, measured
MOST_SHOWN = 2**80  # bytes: a damaged count may be larger than any float
ARRAYS = 4  # the same of arrays that are read whole: as they are, as numbers, as columns, as a log


def physical_memory() -> int:
    """Bytes of memory of this computer; 2^63 where that cannot be determined."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):  # no POSIX
        return 2**63


def beyond_memory(samples: int, memory: int | None = None) -> str:
    """Why a log of so many samples does not fit into the memory (bytes; this computer's); empty where it does."""
    needed = BEGUN + samples * SAMPLE if samples > LONG else 0
    return _is_beyond(f"{min(samples, MOST_SHOWN)} samples and more", needed, memory)


def whole_beyond_memory(samples: int, memory: int | None = None) -> str:
    """The same where all of the log is worked on at once."""
    return _is_beyond(f"{samples} samples at once", samples * WHOLE, memory)


def text_beyond_memory(size: int, memory: int | None = None) -> str:
    """Why a text of so many bytes cannot be read whole in the memory (bytes; this computer's); empty where it can."""
    return _is_beyond(f"{size / 2**30:.2g} GB of text of this form", size * TEXT, memory)


def arrays_beyond_memory(size: int, memory: int | None = None) -> str:
    """Why arrays of so many bytes cannot be read whole in the memory (bytes; this computer's); empty where they can."""
    return _is_beyond(f"{size / 2**30:.2g} GB of arrays of this form", size * ARRAYS, memory)


def _is_beyond(what: str, needed: int, memory: int | None) -> str:
    memory = physical_memory() if memory is None else memory
    if needed <= memory:
        return ""
    needed = min(needed, MOST_SHOWN)
    return (
        f"{what} take {needed / 2**30:.2g} GB, more than this computer's memory of {memory / 2**30:.2g} GB; "
        "give it in parts, one after the other"
    )
