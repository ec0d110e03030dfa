# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Encodings of text that programs for tables write on Windows, told by how a file begins: UTF-16, Windows-1252."""

from __future__ import annotations

import codecs

UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
WINDOWS = "cp1252"  # ä, °, µ as a German or English Windows has them


def decoder_of(begins: bytes) -> codecs.IncrementalDecoder | None:
    """Return what decodes a text that begins so; None where it is UTF-8, or no text of any of these.

    Windows-1252 is taken for what is no UTF-8 where every letter of it can be printed: most other files hold bytes that
    it has no letters for.
    """
    if begins.startswith(UTF_16):
        return codecs.getincrementaldecoder("utf-16")()
    try:
        # a letter may be cut off at the end of what is looked at
        codecs.getincrementaldecoder("utf-8")().decode(begins)
    except UnicodeDecodeError:
        try:
            text = begins.decode(WINDOWS)
        except UnicodeDecodeError:
            return None
        if all(letter.isprintable() or letter in "\t\r\n\xa0" for letter in text):
            return codecs.getincrementaldecoder(WINDOWS)()
    return None
