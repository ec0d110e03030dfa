# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Small files that unpack to gigabytes: each has to be refused, or read without more memory than a log takes."""

from __future__ import annotations

import gzip
import struct
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import h5py
import numpy as np
import pyarrow
import pyarrow.parquet

from pkm_identification.records.bags.packed import zstd

BLOCK = 2**24  # bytes of one block of a bomb


def write_bombs(folder: Path, size: int) -> Iterator[Path]:
    """Yield files one after the other that hold `size` bytes or more, a thousandth of it on the disk."""
    for name, write in BOMBS.items():
        path = folder / name
        write(path, size)
        yield path
        path.unlink()


def _write_gzip(path: Path, size: int) -> None:
    header = ",".join(["t", *(f"length_{i}" for i in range(1, 7)), *(f"force_{i}" for i in range(1, 7))])
    rows = (",".join(["0.001", *["0.4"] * 6, *["1"] * 6]) + "\n").encode()
    member = gzip.compress(rows * (BLOCK // len(rows)), compresslevel=1)
    path.write_bytes(gzip.compress(f"{header}\n".encode()) + member * (size // BLOCK + 1))


def _write_one_line(path: Path, size: int) -> None:
    path.write_bytes(gzip.compress(b"1" * BLOCK) * (size // BLOCK + 1))


def _write_zstandard(path: Path, size: int) -> None:
    path.write_bytes(zstd.compress(bytes(BLOCK)) * (size // BLOCK + 1))


def _write_workbook(path: Path, size: int) -> None:
    """A workbook whose only sheet is one row again and again."""
    cells = "".join(f"<c><v>{k}.5</v></c>" for k in range(13))
    row = f"<row>{cells}</row>".encode()
    space = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    names = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
    related = '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    with ZipFile(path, "w", ZIP_DEFLATED, compresslevel=1) as book:
        book.writestr(
            "_rels/.rels",
            f'{related}<Relationship Id="a" Type="{kind}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        )
        book.writestr(
            "xl/workbook.xml",
            f'<workbook {space} {names}><sheets><sheet name="a" sheetId="1" r:id="b"/></sheets></workbook>',
        )
        book.writestr(
            "xl/_rels/workbook.xml.rels",
            f'{related}<Relationship Id="b" Type="{kind}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
        )
        with book.open("xl/worksheets/sheet1.xml", "w", force_zip64=True) as sheet:
            sheet.write(f"<worksheet {space}><sheetData>".encode())
            for _ in range(size // BLOCK + 1):
                sheet.write(row * (BLOCK // len(row)))
            sheet.write(b"</sheetData></worksheet>")


def _write_matlab(path: Path, size: int) -> None:
    """A structure of version 5 with one matrix, packed."""
    rows = size // 8
    name = b"log".ljust(8, b"\0")
    matrix = (
        _element(6, struct.pack("<II", 6, 0)) + _element(5, struct.pack("<ii", rows, 1)) + _element(1, b"")
    )
    inner = 8 + len(matrix) + 8 + 8 * rows
    head = (
        _element(6, struct.pack("<II", 2, 0)) + _element(5, struct.pack("<ii", 1, 1))
        + struct.pack("<II", 1, 3) + name + struct.pack("<HHi", 5, 4, 8) + _element(1, b"L".ljust(8, b"\0"))
    )  # fmt: skip
    body = struct.pack("<II", 14, len(head) + inner) + head + struct.pack("<II", 14, inner - 8) + matrix
    body += struct.pack("<II", 9, 8 * rows)
    packer = zlib.compressobj(1)
    packed = packer.compress(body)
    for _ in range(size // BLOCK):
        packed += packer.compress(bytes(BLOCK))
    packed += packer.compress(bytes(8 * rows - size // BLOCK * BLOCK)) + packer.flush()
    path.write_bytes(
        b"MATLAB 5.0 MAT-file".ljust(124)
        + struct.pack("<H", 0x0100)
        + b"IM"
        + struct.pack("<II", 15, len(packed))
        + packed
    )


def _element(kind: int, data: bytes) -> bytes:
    return struct.pack("<II", kind, len(data)) + data + bytes(-len(data) % 8)


def _write_hdf5(path: Path, size: int) -> None:
    """Matrices that were never written: they are all fill value."""
    with h5py.File(path, "w") as file:
        for name, columns in (("t", 1), ("L", 6), ("F", 6)):
            file.create_dataset(
                name, (size // 8, columns), dtype="f8", chunks=(1024, columns), compression="gzip"
            )


def _write_parquet(path: Path, size: int) -> None:
    """Columns of one value."""
    names = ["t", *(f"L{i}" for i in range(1, 7)), *(f"F{i}" for i in range(1, 7))]
    piece = pyarrow.table({name: np.zeros(2**20) for name in names})
    with pyarrow.parquet.ParquetWriter(path, piece.schema) as writer:
        for _ in range(size // (8 * 2**20) + 1):
            writer.write_table(piece)


def _write_aliases(path: Path, size: int) -> None:
    """A machine file whose lists hold lists that hold lists ..."""
    lines = ["a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]"]
    lines += [f"a{k}: &a{k} [{', '.join([f'*a{k - 1}'] * 10)}]" for k in range(1, len(str(size)))]
    path.write_text("\n".join(lines) + "\n")


def _write_entities(path: Path, size: int) -> None:
    """A description whose entities hold entities that hold entities ..."""
    lines = ['<!DOCTYPE r [<!ENTITY a0 "lol">']
    lines += [f'<!ENTITY a{k} "{f"&a{k - 1};" * 10}">' for k in range(1, len(str(size)))]
    path.write_text("\n".join(lines) + f"]>\n<robot name='&a{len(str(size)) - 1};'/>\n")


BOMBS: dict[str, Callable[[Path, int], None]] = {
    "log.csv.gz": _write_gzip,
    "line.csv.gz": _write_one_line,
    "run.mcap.zstd": _write_zstandard,
    "book.xlsx": _write_workbook,
    "run.mat": _write_matlab,
    "run.h5": _write_hdf5,
    "run.parquet": _write_parquet,
    "machine.yaml": _write_aliases,
    "robot.urdf": _write_entities,
}
