# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Exported C sources as libraries that tests call."""

from __future__ import annotations

import ctypes
import shutil
import subprocess

COMPILER = shutil.which("gcc") or shutil.which("cc")


def compiled(text: str, folder):
    """The library of the source, compiled as strictly as a compiler does."""
    source, library = folder / "model.c", folder / "model.so"
    source.write_text(text)
    strict = ["-Wall", "-Wextra", "-Werror", "-pedantic", "-std=c99", "-O1"]
    done = subprocess.run(
        [COMPILER, *strict, "-shared", "-fPIC", str(source), "-o", str(library), "-lm"],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return ctypes.CDLL(str(library))


def pointer(array):
    return None if array is None else array.ctypes.data_as(ctypes.POINTER(ctypes.c_double))
