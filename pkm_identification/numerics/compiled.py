# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""How hot kernels are compiled: one decorator, so that every kernel is cached and treats NaN alike."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
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
