# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Two steps over many items: the second runs beside the first, no further than one item behind."""

from __future__ import annotations

import threading
import time

import pytest

from pkm_identification.numerics.parallel_maps import map_overlapped, map_parallel, prefetch, start_background


def test_results_come_in_order_and_at_most_one_item_is_made_ahead():
    made, given = [], []

    def items():
        for k in range(20):
            made.append(k)
            assert k - len(given) <= 1
            yield k

    for item, square in map_overlapped(lambda k: k * k, items()):
        given.append((item, square))
    assert given == [(k, k * k) for k in range(20)]
    assert list(map_overlapped(lambda k: k, [])) == []


def test_the_next_item_is_made_while_the_one_before_is_worked_on():
    """Each waits for the other: one after the other they would wait for ever."""
    meeting = threading.Barrier(2, timeout=300.0)

    def items():
        yield 0
        meeting.wait()
        yield 1

    assert list(map_overlapped(lambda k: k or meeting.wait() * 0, items())) == [(0, 0), (1, 1)]


def test_an_item_is_made_ahead_in_order_and_what_it_raises_comes_out():
    meeting = threading.Barrier(2, timeout=300.0)

    def items():
        yield 0
        meeting.wait()  # for who works on the first
        yield 1
        raise ZeroDivisionError

    coming = prefetch(items())
    assert next(coming) == 0
    meeting.wait()
    assert next(coming) == 1
    with pytest.raises(ZeroDivisionError):
        next(coming)
    assert list(prefetch([])) == []


def test_what_a_step_raises_comes_out():
    def items():
        yield 1
        raise ValueError("of an item")

    with pytest.raises(ZeroDivisionError):
        list(map_overlapped(lambda k: 1 // k, [1, 0, 1]))
    with pytest.raises(ValueError, match="of an item"):
        list(map_overlapped(lambda k: k, items()))


def test_two_items_are_worked_on_at_once_and_results_come_in_order():
    """Each waits for the other: one after the other they would wait for ever."""
    meeting = threading.Barrier(2, timeout=300.0)

    def square(k):
        meeting.wait()
        return k * k

    assert list(map_parallel(square, range(6))) == [0, 1, 4, 9, 16, 25]
    assert list(map_parallel(square, [])) == []
    with pytest.raises(ZeroDivisionError):
        list(map_parallel(lambda k: 1 // k, [1, 0, 1]))


def test_while_one_item_takes_long_as_many_others_are_done_as_may_wait():
    last = threading.Event()

    def number(k):
        if k == 0:
            assert last.wait(300.0)
        if k == 9:
            last.set()
        return k

    assert list(map_parallel(number, range(10), waiting=10)) == list(range(10))


def test_when_one_item_fails_the_others_are_not_waited_for():
    done = []

    def number(k):
        if k == 0:
            raise ValueError("of an item")
        time.sleep(0.02)
        done.append(k)

    with pytest.raises(ValueError, match="of an item"):
        list(map_parallel(number, range(100), waiting=100))
    assert len(done) < 50


def test_what_was_begun_is_worked_on_before_it_is_asked_for_and_comes_in_order():
    meeting = threading.Barrier(2, timeout=300.0)

    def square(k):
        if not k:
            meeting.wait()
        return k * k

    with start_background(square, range(4)) as squares:
        meeting.wait()  # nobody has asked yet
        assert list(squares) == [0, 1, 4, 9]
    with pytest.raises(ZeroDivisionError), start_background(lambda k: 1 // k, [1, 0]) as ones:
        list(ones)
    with pytest.raises(ValueError, match="meanwhile"), start_background(square, []):
        raise ValueError("meanwhile")
