# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Text in pieces: whatever the size of the pieces and whatever ends the lines, the same lines with the same numbers."""

from __future__ import annotations

import gzip

import pytest

from pkm_identification.errors import LogError
from pkm_identification.records import text_lines
from pkm_identification.records.text_lines import Lines, line_pieces

LINES = [b"t,length_1", b"0.001,0.4", b"", b"1", b"0.002,0.4000000000", b"", b"", b"0.003,0.5"]


def found(path):
    pieces = list(line_pieces(path))
    assert sum(lines.last for lines in pieces) == 1
    return [(int(number), line) for lines in pieces for number, line in zip(lines.number, lines, strict=True)]


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
@pytest.mark.parametrize("size", [1, 2, 3, 5, 7, 12, 2**22])
@pytest.mark.parametrize("packed", [False, True])
def test_pieces_hold_every_line_once(tmp_path, monkeypatch, end, size, packed):
    monkeypatch.setattr(text_lines, "PIECE", size)
    path = tmp_path / "log.csv"
    text = end.join(LINES) + end
    path.write_bytes(gzip.compress(text) if packed else text)
    whole = Lines(b"\n".join(LINES))
    assert found(path) == list(zip(whole.number.tolist(), whole, strict=True))


def test_lines_of_carriage_returns_alone_are_cut_like_others(tmp_path, monkeypatch):
    monkeypatch.setattr(text_lines, "PIECE", 64)
    path = tmp_path / "log.csv"
    path.write_bytes(b"0.001,0.4\r" * 1000)
    pieces = list(line_pieces(path))
    assert sum(map(len, pieces)) == 1000
    assert max(len(lines.content) for lines in pieces) < 2 * 64


def test_a_line_without_end_is_refused_before_it_is_there_as_a_whole(tmp_path, monkeypatch):
    monkeypatch.setattr(text_lines, "PIECE", 64)
    monkeypatch.setattr(text_lines, "LONGEST_LINE", 2**10)
    path = tmp_path / "log.csv"
    path.write_bytes(b"t,length_1\n" + b"1" * 2**11)
    with pytest.raises(LogError, match="line 2 is longer than"):
        list(line_pieces(path))
