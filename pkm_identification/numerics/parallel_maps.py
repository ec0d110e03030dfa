# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""A computation over many items on two cores: its second step while the first makes the next, or two items at once."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from itertools import islice
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


def map_overlapped(
    function: Callable[[Item], Result], items: Iterable[Item]
) -> Iterator[tuple[Item, Result]]:
    """Each item with its result, in order; the next item is made meanwhile, and no more than that.

    Kernels and NumPy's own loops let other threads run, so that both steps are under way at once. The results are those
    of one thread.
    """
    with ThreadPoolExecutor(1, "pipelined") as pool:
        before: tuple[Item, Future[Result]] | None = None
        for item in items:
            coming = item, pool.submit(function, item)
            if before is not None:
                yield before[0], before[1].result()
            before = coming
        if before is not None:
            yield before[0], before[1].result()


def prefetch(items: Iterable[Item]) -> Iterator[Item]:
    """The same items in order; the next one is made in another thread while one is worked on, and no more than that."""
    iterator = iter(items)

    def following() -> tuple[Item, ...]:
        return tuple(islice(iterator, 1))

    with ThreadPoolExecutor(1, "ahead") as pool:
        coming = pool.submit(following)
        while one := coming.result():
            coming = pool.submit(following)
            yield one[0]


def map_parallel(
    function: Callable[[Item], Result], items: Iterable[Item], waiting: int = 2
) -> Iterator[Result]:
    """Yield the result of each item, in order; two items are worked on at once. The results are those of one thread.

    What is not begun when one fails is not done any more. No more than `waiting` results wait to be taken: where one
    item takes long, a thread rests for that.
    """
    with ThreadPoolExecutor(2, "side by side") as pool:
        coming: deque[Future[Result]] = deque()
        try:
            for item in items:
                coming.append(pool.submit(function, item))
                if len(coming) > waiting:
                    yield coming.popleft().result()
            while coming:
                yield coming.popleft().result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)  # where nobody asks for the rest


@contextmanager
def start_background(function: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Iterator[Result]]:
    """Yield the result of each item, in order, worked on in the background until they are asked for.

    Two items are worked on at once. What is not begun when the context is left is not done any more.
    """
    with ThreadPoolExecutor(2, "begun") as pool:
        coming = [pool.submit(function, item) for item in items]
        try:
            yield (one.result() for one in coming)
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
