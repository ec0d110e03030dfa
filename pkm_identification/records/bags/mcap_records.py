# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Records of an MCAP file that was cut off: messages before the cut (https://mcap.dev/spec)."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

import lz4.frame
from rosbags.interfaces import Qos
from rosbags.rosbag2.metadata import parse_qos

from ..interfaces import full_type_name
from .packed import zstd

# Records of one byte of kind, eight of size, and content
MAGIC = b"\x89MCAP0\r\n"
SCHEMA, CHANNEL, MESSAGE, CHUNK = 0x03, 0x04, 0x05, 0x06
CHUNK_HEAD = 28  # bytes before the name of the compression
# What unpacks a chunk, also one that was cut off
UNPACKERS: dict[str, Callable[[], Any]] = {
    "lz4": lz4.frame.LZ4FrameDecompressor,
    "zstd": zstd.ZstdDecompressor,
}


@dataclass
class McapTopics:
    """Channels met so far: topic and type by number, and what publishers of each topic offered."""

    channels: dict[int, tuple[str, str]] = field(default_factory=dict)
    offered: dict[str, list[Qos]] = field(default_factory=dict)
    _schemas: dict[int, str] = field(default_factory=dict)

    def take(self, kind: int, record: bytes) -> None:
        """Keep what a record says of a channel or of a schema."""
        if kind == SCHEMA:
            number, name = _number_and_text(record, 2)
            self._schemas[number] = name
        elif kind == CHANNEL:
            number, topic = _number_and_text(record, 4)
            self.offered[topic] = parse_qos(_read_channel_metadata(record).get("offered_qos_profiles", ""))
            self.channels[number] = (
                topic,
                full_type_name(self._schemas[struct.unpack_from("<H", record, 2)[0]]),
            )


def is_cut_mcap(file: Path) -> bool:
    """Return whether a file begins as MCAP does and does not end as it does."""
    with file.open("rb") as stream:
        begins = stream.read(len(MAGIC)) == MAGIC
        stream.seek(-min(len(MAGIC), file.stat().st_size), 2)
        return begins and stream.read() != MAGIC


def read_mcap_messages(file: Path, topics: McapTopics) -> Iterator[tuple[int, int, bytes]]:
    """Yield channel, time of arrival in ns and CDR of each message up to the cut; their topics are kept in `topics`."""
    with file.open("rb") as stream:
        if stream.read(len(MAGIC)) != MAGIC:
            return
        for kind, record in _iterate_records(stream):
            inner = [(kind, record)] if kind != CHUNK else _iterate_records(BytesIO(_unpack(record)))
            for inner_kind, content in inner:
                topics.take(inner_kind, content)
                if inner_kind == MESSAGE:
                    number, _, stamp, _ = struct.unpack_from("<HIQQ", content)
                    yield number, stamp, content[22:]


def _unpack(chunk: bytes) -> bytes:
    if len(chunk) < CHUNK_HEAD + 4:
        return b""
    end = CHUNK_HEAD + 4 + struct.unpack_from("<I", chunk, CHUNK_HEAD)[0]
    compression, packed = chunk[CHUNK_HEAD + 4 : end].decode(), chunk[end + 8 :]
    if not compression or not packed:
        return packed
    return bytes(UNPACKERS[compression]().decompress(packed))


def _iterate_records(stream: BinaryIO) -> Iterator[tuple[int, bytes]]:
    """Whole records of a stream; a last one that was cut off is left out, a chunk of them is not."""
    while len(head := stream.read(9)) == 9:
        kind, size = struct.unpack("<BQ", head)
        content = stream.read(size)
        if len(content) < size and kind != CHUNK:
            return
        yield kind, content


def _number_and_text(record: bytes, at: int) -> tuple[int, str]:
    """Return number at the start of a record and text at a place of it."""
    (size,) = struct.unpack_from("<I", record, at)
    return struct.unpack_from("<H", record)[0], record[at + 4 : at + 4 + size].decode()


def _read_channel_metadata(record: bytes) -> dict[str, str]:
    """The map at the end of a channel: behind two numbers, its topic, its encoding and its own size."""
    at = 4
    for _ in ("topic", "encoding"):
        at += 4 + struct.unpack_from("<I", record, at)[0]
    end = at + 4 + struct.unpack_from("<I", record, at)[0]
    at, texts = at + 4, []
    while at < end:
        (size,) = struct.unpack_from("<I", record, at)
        texts.append(record[at + 4 : at + 4 + size].decode())
        at += 4 + size
    return dict(zip(texts[::2], texts[1::2], strict=True))
