"""What cannot fit into memory is refused in one line before it is begun."""

import pytest

from pkm_identification.numerics.memory import (
    SAMPLE,
    TEXT,
    beyond_memory,
    physical_memory,
    text_beyond_memory,
)


def test_a_log_beyond_memory_is_told_with_its_size():
    memory = 2**30
    assert beyond_memory(memory // SAMPLE, memory) == ""
    assert beyond_memory(86_400_000, memory).startswith(
        "86400000 samples and more take 20 GB, more than this"
    )


def test_the_memory_of_this_computer_is_told_by_its_system():
    with open("/proc/meminfo", encoding="ascii") as file:
        total = int(file.readline().split()[1]) * 1024
    # the kernel keeps some for itself
    assert physical_memory() == pytest.approx(total, rel=0.05)


def test_a_text_beyond_memory_is_told_with_its_size():
    memory = 2**33
    assert text_beyond_memory(memory // TEXT, memory) == ""
    assert text_beyond_memory(2**31, memory).startswith("2 GB of text of this form take 16 GB, more than")
