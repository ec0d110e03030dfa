# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Arrays that kernels hand on without counting who holds them.

Numba counts the holders of an array wherever it is passed on or sliced, by atomic additions that take longer than the
few operations of an innermost kernel. A borrowed array has the same memory and no count. It is good as long as somebody
else keeps the array: borrow arguments alone, which the caller keeps until the kernel returns, and return nothing of
them.
"""

from __future__ import annotations

from typing import Any

from numba.core import cgutils, types
from numba.core.errors import TypingError
from numba.extending import intrinsic
from numba.np.arrayobj import make_array, populate_array

from .compiled import Function

_TUPLES: Any = types.BaseTuple  # not every tuple's type says in its class what it is made of


def _is_borrowed(_: Any, value: Any) -> Any:
    """An array, or a tuple of arrays, numbers and such tuples, of which no holders are counted; in kernels alone."""
    _check(value)

    def lent(context: Any, builder: Any, _: Any, given: Any) -> Any:
        return _is_lent(context, builder, value, given[0])

    return value(value), lent


borrowed: Function = intrinsic(_is_borrowed)


def _check(kind: Any) -> None:
    if isinstance(kind, _TUPLES):
        for part in kind.types:
            _check(part)
    elif not isinstance(kind, types.Array | types.Number):
        raise TypingError(f"{kind} cannot be borrowed, only arrays and tuples of them")


def _is_lent(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    if isinstance(kind, _TUPLES):
        parts = [
            _is_lent(context, builder, part, builder.extract_value(value, k))
            for k, part in enumerate(kind.types)
        ]
        return context.make_tuple(builder, kind, parts)
    if not isinstance(kind, types.Array):
        return value
    given, lent = make_array(kind)(context, builder, value), make_array(kind)(context, builder)
    populate_array(
        lent,
        data=given.data,
        shape=cgutils.unpack_tuple(builder, given.shape),
        strides=cgutils.unpack_tuple(builder, given.strides),
        itemsize=given.itemsize,
        meminfo=None,
    )
    return lent._getvalue()
