# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The board and the course behind the live page."""

from __future__ import annotations

import json
import threading

import pytest

from pkm_identification.browser.live.board import MOST, Board, TimeHistory


def test_a_reader_gets_everything_first_and_then_only_what_is_newer():
    board = Board(lambda: {"course": [1, 2]})
    board.put("pose", [0.5])
    version, text = board.since(0)
    assert json.loads(text) == {"course": [1, 2], "pose": [0.5]}
    assert board.since(version)[1] == ""
    board.put("payload", None)
    version, text = board.since(version)
    assert json.loads(text) == {"payload": None}


def test_what_comes_to_an_empty_board_reaches_a_reader_that_was_there_before():
    board = Board()
    version, text = board.since(0)
    assert text == ""
    board.put("pose", 1)
    assert json.loads(board.since(version)[1]) == {"pose": 1}


def test_a_slow_reader_skips_what_was_replaced_meanwhile():
    board = Board()
    version, _ = board.since(0)
    for number in range(1000):
        board.put("pose", number)
    _, text = board.since(version)
    assert json.loads(text) == {"pose": 999}


def test_numbers_that_json_does_not_know_are_refused_and_change_nothing():
    board = Board()
    with pytest.raises(ValueError, match="JSON"):
        board.put("pose", [float("nan")])
    assert board.since(0)[1] == ""


def test_a_reader_in_another_thread_never_sees_an_older_number_after_a_newer_one():
    board = Board()
    seen = []

    def read():
        version = 0
        while not seen or seen[-1] < 5000:
            version, text = board.since(version)
            if text:
                seen.append(json.loads(text)["n"])

    reader = threading.Thread(target=read, daemon=True)
    board.put("n", 0)
    reader.start()
    for number in range(1, 5001):
        board.put("n", number)
    reader.join(300.0)
    assert seen[-1] == 5000
    assert seen == sorted(set(seen))


def filled(equations, history=None):
    history = TimeHistory() if history is None else history
    for count in range(1, equations + 1):
        history.take(("a", "b"), count, 100.0 + count, (count, -count), (1.0 / count, 2.0 / count))
    return history


@pytest.mark.parametrize("equations", [1, MOST - 1, 10 * MOST + 3])
def test_a_course_of_any_length_has_a_bounded_number_of_even_points(equations):
    entry = filled(equations).entry()
    assert len(entry["time"]) < MOST
    steps = {round(b - a, 9) for a, b in zip(entry["time"], entry["time"][1:])}
    assert len(steps) <= 1
    assert entry["time"][0] == 101.0
    assert [values[0] for values in entry["values"]] == [time - 100.0 for time in entry["time"]]
    # the last point is no further back than one of its steps
    assert entry["time"][-1] > 100.0 + equations - max([1.0, *steps])


def test_fewer_equations_or_other_parameters_begin_a_new_run():
    history = filled(10)
    first = history.entry()["run"]
    assert history.take(("a", "b"), 11, 111.0, (1, 1), (1, 1)) == first
    assert history.take(("a", "b"), 2, 112.0, (1, 1), (1, 1)) == first + 1
    assert history.entry()["time"] == [112.0]
    assert history.take(("c",), 3, 113.0, (1,), (1,)) == first + 2
    assert history.entry()["names"] == ["c"]


def test_an_estimate_that_is_published_twice_is_one_point():
    history = filled(3)
    history.take(("a", "b"), 3, 103.0, (3, -3), (1, 1))
    assert history.entry()["time"] == [101.0, 102.0, 103.0]
