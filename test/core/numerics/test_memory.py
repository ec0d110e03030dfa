# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What cannot fit into memory is refused in one line before it is begun."""

import re

import pytest

from pkm_identification.numerics.memory import (
    LONG,
    TEXT,
    arrays_beyond_memory,
    beyond_memory,
    physical_memory,
    text_beyond_memory,
    whole_beyond_memory,
)


def test_a_log_beyond_memory_is_told_with_its_size():
    memory = 2**31
    four_hours, a_day = 14_400_000, 86_400_000  # at 1 kHz
    assert beyond_memory(four_hours, 2_100_000_000) == ""
    assert beyond_memory(a_day, memory).startswith("86400000 samples and more take 5.9 GB, more than this")
    assert whole_beyond_memory(LONG, memory) == ""
    assert whole_beyond_memory(four_hours, memory).startswith(
        "14400000 samples at once take 47 GB, more than"
    )


def test_what_a_short_log_takes_is_left_to_the_computer():
    assert beyond_memory(LONG, 2**29) == ""


def test_the_memory_of_this_computer_is_told_by_its_system():
    with open("/proc/meminfo", encoding="ascii") as file:
        total = int(file.readline().split()[1]) * 1024
    # the kernel keeps some for itself
    assert physical_memory() == pytest.approx(total, rel=0.05)


def test_a_text_or_arrays_beyond_memory_are_told_with_their_size():
    memory = 2**33
    assert text_beyond_memory(memory // TEXT, memory) == ""
    assert re.match("2 GB of text .* 16 GB", text_beyond_memory(2**31, memory))
    assert arrays_beyond_memory(2**30, memory) == ""
    assert re.match("4 GB of arrays .* 16 GB", arrays_beyond_memory(2**32, memory))
