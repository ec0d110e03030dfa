# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""A kernel is compiled again when a function or constant of another file is another, and else taken from disk."""

import importlib
import resource
import sys
import threading

import numba
import pytest

from pkm_identification.numerics import kernel_cache
from pkm_identification.progress import listening


class Told:
    """Who listens to what is told."""

    def __init__(self):
        self.lines = []

    def tell(self, line):
        self.lines.append(line)


PARTS = """
from pkm_identification.numerics.compiled import compile_inline

SCALE = {scale}

@compile_inline
def part(x):
    return {part}
"""
WHOLE = """
from pkm_identification.numerics.compiled import kernel

from . import parts
from .parts import SCALE{imported}

@kernel
def whole(x):
    return SCALE * {called}(x)
"""


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Writes two files of a package, imports them anew, and gives the kernel's value at 3 and whether it was kept."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.setattr(
        numba.config, "CACHE_DIR", ""
    )  # as NUMBA_CACHE_DIR would have it: kept beside the sources
    folder = tmp_path / "kept_kernels"
    folder.mkdir()
    (folder / "__init__.py").touch()

    def run(scale=2.0, part="x + 1.0", called="part"):
        (folder / "parts.py").write_text(PARTS.format(scale=scale, part=part))
        whole = folder / "whole.py"
        text = WHOLE.format(called=called, imported=", part" if called == "part" else "")
        if not whole.exists() or whole.read_text() != text:
            whole.write_text(text)
        for name in [name for name in sys.modules if name.startswith("kept_kernels")]:
            del sys.modules[name]
        importlib.invalidate_caches()
        kernel = importlib.import_module("kept_kernels.whole").whole
        return kernel(3.0), sum(kernel.stats.cache_hits.values()) == 1

    yield run
    for name in [name for name in sys.modules if name.startswith("kept_kernels")]:
        del sys.modules[name]


@pytest.mark.parametrize("called", ["part", "parts.part"])
def test_what_a_kernel_is_made_of_decides(package, called):
    assert package(called=called) == (8.0, False)
    assert package(called=called) == (8.0, True)
    assert package(called=called, part="x - 1.0") == (4.0, False)
    assert package(called=called, part="x - 1.0", scale=3.0) == (6.0, False)
    assert package(called=called, part="x - 1.0", scale=3.0) == (6.0, True)


@pytest.mark.parametrize("pattern", ["whole.*.nbi", "whole.*.nbc"])
@pytest.mark.parametrize("left", [0, 1, 40, 400])
def test_row_40_a_kernel_kept_by_half_is_compiled_again(package, tmp_path, pattern, left):
    """A computer that went down while it was written: files of no bytes, or of the first of them."""
    package()
    files = sorted((tmp_path / "kept_kernels" / "__pycache__").glob(pattern))
    assert files
    for file in files:
        file.write_bytes(file.read_bytes()[:left])
    assert [package(), package()] == [(8.0, False), (8.0, True)]


def test_row_40_a_kernel_kept_of_a_module_that_is_no_more_is_compiled_again(package, tmp_path):
    """An update has moved the type of what it takes, and its own file is as before."""
    folder = tmp_path / "kept_kernels"
    kernel = "from pkm_identification.numerics.compiled import kernel\n\n@kernel\ndef whole(pair):\n"
    (folder / "whole.py").write_text(kernel + "    return pair.first + pair.second\n")
    pair = "from typing import NamedTuple\n\nclass Pair(NamedTuple):\n    first: float\n    second: float\n"

    def run(module):
        (folder / f"{module}.py").write_text(pair)
        for name in [name for name in sys.modules if name.startswith("kept_kernels")]:
            del sys.modules[name]
        importlib.invalidate_caches()
        whole = importlib.import_module("kept_kernels.whole").whole
        made = importlib.import_module(f"kept_kernels.{module}").Pair(2.0, 3.0)
        return whole(made), sum(whole.stats.cache_hits.values()) == 1

    assert [run("before"), run("before")] == [(5.0, False), (5.0, True)]
    (folder / "before.py").unlink()
    assert [run("behind"), run("behind")] == [(5.0, False), (5.0, True)]


def test_row_40_a_kernel_that_there_is_no_room_for_is_compiled_all_the_same(package):
    """No file may have more than 1000 bytes, as on a disk that is full."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))
    try:
        assert [package(), package()] == [(8.0, False), (8.0, False)]
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert [package(), package()] == [(8.0, False), (8.0, True)]


def test_row_40_no_older_kernel_is_taken_where_there_was_no_room_for_the_newer(package, tmp_path):
    """There is room for the index, which is written first, but not for the kernel."""
    package()
    (kept,) = (tmp_path / "kept_kernels" / "__pycache__").glob("whole.*.nbc")
    (index,) = (tmp_path / "kept_kernels" / "__pycache__").glob("whole.*.nbi")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, ((index.stat().st_size + kept.stat().st_size) // 2, before[1]))
    try:
        assert package(part="x - 1.0") == (4.0, False)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert [package(part="x - 1.0"), package(part="x - 1.0")] == [(4.0, False), (4.0, True)]


def test_what_another_process_is_compiling_is_waited_for(package, monkeypatch):
    """Locks of one process count among each other as those of two do."""
    package()
    function = sys.modules["kept_kernels.whole"].whole.py_func
    options = {"error_model": "python"}  # others than it was kept with
    compiled = numba.njit(**options)(function)
    signature = (numba.types.float64,)
    first, second = (kernel_cache.KernelCache(function, options) for _ in range(2))
    assert first.load_overload(signature, compiled.targetctx) is None
    waits, found, told = threading.Event(), [], Told()
    monkeypatch.setattr(kernel_cache.time, "sleep", lambda _: waits.set() or threading.Event().wait(0.01))
    monkeypatch.setattr(kernel_cache, "PATIENCE", 0.0)
    monkeypatch.setattr(kernel_cache, "_waits", kernel_cache._Waits())
    other = threading.Thread(target=lambda: found.append(second.load_overload(signature, compiled.targetctx)))
    with listening(told):
        other.start()
        assert waits.wait(60.0)
        assert not found
        compiled.compile(signature)
        first.save_overload(signature, compiled.overloads[signature])
        other.join(60.0)
    assert told.lines == [kernel_cache.WAITING]
    assert found
    assert found[0] is not None


@pytest.mark.slow
def test_compiling_is_told_once_and_not_of_what_is_kept(package, monkeypatch):
    monkeypatch.setattr(kernel_cache, "PATIENCE", -1.0)
    monkeypatch.setattr(kernel_cache, "_waits", kernel_cache._Waits())
    told = Told()
    with listening(told):
        assert [package()[1], package()[1]] == [False, True]
        assert told.lines == []  # one missed, one kept
        for value in (3, True, 3j):
            sys.modules["kept_kernels.whole"].whole(value)
    assert told.lines == [kernel_cache.COMPILING]


def test_who_waits_too_long_compiles_itself(package, monkeypatch):
    """Its turn is over where the one that compiles hangs, and that one can go on."""
    package()
    function = sys.modules["kept_kernels.whole"].whole.py_func
    context = numba.njit(function).targetctx
    monkeypatch.setattr(kernel_cache, "WAIT", 0.05)
    hanging, second = (kernel_cache.KernelCache(function, {"nogil": True}) for _ in range(2))
    for cache in (hanging, second):
        assert cache.load_overload((numba.types.float64,), context) is None
