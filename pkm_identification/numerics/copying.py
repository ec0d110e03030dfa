"""Arrays copied in loops: of `target[:] = source` Numba compiles the text of its error, too, for seconds."""

from __future__ import annotations

from .compiled import inlined


@inlined
def copy_vector(source, target):
    """Copy `source` (n,) into `target` (n,)."""
    for i in range(target.size):
        target[i] = source[i]


@inlined
def copy_matrix(source, target):
    """Copy `source` (m, n) into `target` (m, n)."""
    for i in range(target.shape[0]):
        for j in range(target.shape[1]):
            target[i, j] = source[i, j]
