# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""How hot kernels are compiled: one decorator, so that every kernel is cached and treats NaN alike."""

from __future__ import annotations

import time
from collections.abc import Callable
from types import TracebackType
from typing import Any

import numba
from numba.core import event
from numba.core.dispatcher import Dispatcher

from .kernel_cache import KernelCache

Function = Callable[..., Any]  # Numba keeps no signatures

# Without the C function that Numba makes beside each kernel: nothing asks for it, and it takes a tenth of compiling.
OPTIONS: dict[str, Any] = {
    "error_model": "numpy",
    "fastmath": {"contract"},
    "nogil": True,
    "no_cfunc_wrapper": True,
}


def kernel(function: Function) -> Function:
    """Compile a function with Numba, cached on disk.

    Division by zero gives inf as in NumPy; only multiply-add contraction is allowed, so NaN and the order of
    sums keep their meaning.
    """
    compiled = numba.njit(**OPTIONS)(function)
    if isinstance(compiled, Dispatcher):  # else Numba is switched off
        KernelCache(function, OPTIONS).serve(compiled)
    return compiled


def kernels_in_use() -> bool:
    """Return whether this process has called a kernel: its first call takes a quarter of a second, whatever it is."""
    return KernelCache.asked


def kernels_compiled() -> bool:
    """Return whether kernels are compiled at all: not where Numba is switched off."""
    return isinstance(pad_width, Dispatcher)


def compile_inline(function: Function) -> Function:
    """Compile a small function that is merged into the kernels calling it.

    LLVM merges it. Merged by Numba, before types are known (`inline="always"`), each copy is typed and lowered anew and
    kernels take up to three times as long to compile, for the same speed.
    """
    return numba.njit(forceinline=True, **OPTIONS)(function)


AT_ONCE = 16  # numbers that a compiled loop takes at once: four registers of four


@compile_inline
def pad_width(width):
    """`width`, or the next length that a loop goes over without a rest, which would be taken number by number."""
    return (width + AT_ONCE - 1) // AT_ONCE * AT_ONCE


COMPILE = "numba:compile"


class CompilationWatch(event.Listener):
    """Counts kernels that are compiled while it is entered, as a context manager.

    Parameters
    ----------
    started : callable, optional
        Called once, when the first is about to be compiled.

    Attributes
    ----------
    kernels : int
        Compiled for themselves or for one that calls them.
    seconds : float
        What it took.
    """

    def __init__(self, started: Callable[[], object] = lambda: None) -> None:
        self.kernels = 0
        self.seconds = 0.0
        self._started = started
        self._depth = 0
        self._start = 0.0

    def __enter__(self) -> CompilationWatch:
        event.register(COMPILE, self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        event.unregister(COMPILE, self)

    def on_start(self, event: Any) -> None:
        """Listen to Numba: a kernel that is in no cache."""
        if not self.kernels:
            self._started()
        self.kernels += 1
        if not self._depth:
            self._start = time.monotonic()
        self._depth += 1

    def on_end(self, event: Any) -> None:
        """Listen to Numba: it is compiled."""
        self._depth -= 1
        if not self._depth:
            self.seconds += time.monotonic() - self._start
