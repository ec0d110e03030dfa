# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Compiled kernels on disk, which are out of date as soon as anything they were made of is another.

Numba asks for the file of the kernel alone. A kernel also holds the functions it calls and the constants it uses, and
where these stand in other files it went on with those of before: after an update of a clone some kernels followed the
new friction laws and others the old ones. Here the content of all of them belongs to the stamp of what is kept.
"""

from __future__ import annotations

import contextlib
import glob
import hashlib
import os
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np
from numba.core.caching import FunctionCache
from numba.core.dispatcher import Dispatcher

from pkm_identification.progress import tell

try:
    from fcntl import LOCK_EX, LOCK_NB, LOCK_UN, flock
except ImportError:  # Windows: each process compiles
    flock = None  # type: ignore[assignment]

WAIT = 300.0  # s for another process to compile a kernel, the longest takes half a minute alone; then both do
LOOK = 0.02  # s between looks whether it has
PATIENCE = 2.0  # s: who has waited so long in all for kernels is told what for
WAITING = "another process is compiling what this one needs, once after an installation: waiting for it"
COMPILING = "compiling, once after an installation, a minute or two in all ('pkm warm-up' does it ahead)"

PLAIN = (bool, int, float, complex, str, bytes, type(None), np.generic, np.dtype)

_digests: dict[FunctionType, str] = {}


class _Waits:
    """What a process has waited for kernels so far; each of the two ways is reported once."""

    def __init__(self) -> None:
        self._first_missed: float | None = None
        self._others = 0.0
        self._told: set[str] = set()

    def missed(self) -> None:
        """A kernel is in no cache: the first may be the only one, after seconds of it there are more to come."""
        now = time.monotonic()
        if self._first_missed is None:
            self._first_missed = now
        elif now - self._first_missed > PATIENCE:
            self._tell(COMPILING)

    def looked(self) -> None:
        """Another process still compiles what is needed."""
        self._others += LOOK
        if self._others > PATIENCE:
            self._tell(WAITING)

    def _tell(self, line: str) -> None:
        if line not in self._told:
            self._told.add(line)
            tell(line)


_waits = _Waits()


class KernelCache(FunctionCache):
    """Numba's cache of one function, whose stamp is worked out when it is first asked for: by then all is imported.

    Parameters
    ----------
    function : function
    options : mapping
        What it is compiled with.
    """

    asked = False  # whether any kernel was called in this process

    def __init__(self, function: Callable[..., Any], options: Mapping[str, Any]) -> None:
        super().__init__(function)
        self._options = options
        self._stamped = False
        self._lock: int | None = None  # file descriptor, while this process compiles it

    def serve(self, compiled: Dispatcher) -> None:
        """Be the cache of a compiled function, and let others compile it where this process does not get to its end."""
        compile_for: Callable[[Any], Any] = compiled.compile

        def compile_or_leave(sig: Any) -> Any:
            try:
                return compile_for(sig)
            finally:
                self._end()

        compiled._cache = self  # type: ignore[attr-defined]
        compiled.compile = compile_or_leave  # type: ignore[method-assign]

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """What was compiled for this signature, by another process just now, too; None when the caller has to."""
        KernelCache.asked = True
        self._stamp()
        found = self._load(sig, target_context)
        if found is None and self._lock is None:
            self._begin()
            found = self._load(sig, target_context)
            if found is not None:
                self._end()
            else:
                _waits.missed()
        return found

    def _load(self, sig: Any, target_context: Any) -> Any:
        """What is kept; nothing where it cannot be read: written half, or of a module that an update has taken away."""
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # whatever a pickle that is not one leads to
            try:
                self._cache_file.flush()
            except OSError:
                self.disable()  # nothing else can be kept there either
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep what was compiled for this signature, where there is room for it."""
        self._stamp()
        try:
            with contextlib.suppress(OSError):  # a full disk: the next process compiles it again
                self._remove_older()
                super().save_overload(sig, data)
        finally:
            self._end()

    def _remove_older(self) -> None:
        """Remove kernels of an older stamp: the index is written first, and could name one of them as the new one."""
        index = self._cache_file
        if self._enabled and not index._load_index():
            base = index._index_name.removesuffix(".nbi")
            for file in Path(index._cache_path).glob(f"{glob.escape(base)}.*.nbc"):
                file.unlink(missing_ok=True)

    def _begin(self) -> None:
        """Wait until no other process compiles it; the end of a process, whatever it is, ends its turn, too."""
        if flock is None or not self._enabled:
            return
        file = self._cache_file._index_path + ".lock"
        try:
            self._impl.locator.ensure_cache_path()
            lock = os.open(file, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o666)
        except OSError:
            return  # nothing can be kept here
        end = time.monotonic() + WAIT
        while True:
            try:
                flock(lock, LOCK_EX | LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > end:
                    break
                _waits.looked()
                time.sleep(LOOK)
            except OSError:
                break  # a file system without locks
        self._lock = lock

    def _end(self) -> None:
        lock, self._lock = self._lock, None
        if lock is not None:
            with contextlib.suppress(OSError):
                flock(lock, LOCK_UN)  # a child forked meanwhile has the file open, too
            with contextlib.suppress(OSError):
                os.close(lock)

    def _stamp(self) -> None:
        if not self._stamped:
            self._stamped = True
            index = self._cache_file
            index._source_stamp = (index._source_stamp, repr(self._options), content(self._py_func))


def content(function: FunctionType) -> str:
    """Digest of a function's byte code and constants, and of all it calls and names, as far as it is compiled."""
    known = _digests.get(function)
    if known is None:
        _digests[function] = function.__qualname__  # for one that comes back to itself
        known = _digests[function] = hashlib.sha256("\n".join(_list_parts(function)).encode()).hexdigest()
    return known


def _list_parts(function: FunctionType) -> Iterator[str]:
    package = _find_package(function)
    for code in _list_codes(function.__code__):
        yield f"{code.co_code.hex()} {code.co_names} {code.co_varnames}"
        for constant in code.co_consts:
            if not isinstance(constant, CodeType):
                yield _describe_value(constant, package)
        for name in code.co_names:
            value = function.__globals__.get(name)
            if not isinstance(value, ModuleType):
                yield f"{name} {_describe_value(value, package)}"
            elif _find_package(value) == package:
                asked = (other for other in code.co_names if hasattr(value, other))
                yield from (
                    f"{name}.{other} {_describe_value(getattr(value, other), package)}" for other in asked
                )
    yield _describe_value(function.__defaults__, package)
    for cell in function.__closure__ or ():
        yield _describe_value(cell.cell_contents, package)


def _list_codes(code: CodeType) -> Iterator[CodeType]:
    """Yield a function's code and that of the functions and comprehensions in it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _list_codes(constant)


def _find_package(named: FunctionType | ModuleType) -> str:
    """The outermost package that a module is in, or the module of a function."""
    module = named.__name__ if isinstance(named, ModuleType) else named.__module__
    return module.partition(".")[0]


def _describe_value(value: Any, package: str) -> str:
    """A value as far as compiled code can depend on it; other packages' functions change with their versions."""
    if isinstance(value, PLAIN):
        return repr(value)
    if isinstance(value, tuple):
        return f"({', '.join(_describe_value(each, package) for each in value)})"
    if isinstance(value, frozenset):
        return f"{{{', '.join(sorted(_describe_value(each, package) for each in value))}}}"
    if isinstance(value, np.ndarray):
        return f"{value.dtype} {value.shape} {value.tobytes().hex()}"
    if isinstance(value, Dispatcher):
        value = value.py_func
    value = getattr(value, "_defn", value)  # of an intrinsic
    if isinstance(value, FunctionType) and _find_package(value) == package:
        return content(value)
    return type(value).__qualname__
