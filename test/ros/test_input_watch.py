# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Messages missed, steps timed, stretches numbered."""

import time

import numpy as np
import pytest

from pkm_identification.ros.node.input_watch import InputWatch, step_values
from pkm_identification.signals.continuity import Continuity


def info(number, publisher=b"a"):
    return {
        "publication_sequence_number": number,
        "publisher_gid": {"implementation_identifier": "rmw", "data": publisher},
    }


def test_numbers_left_out_are_messages_lost_publisher_by_publisher():
    watch = InputWatch("strut_states")
    for number, publisher in [
        (7, b"a"),
        (8, b"a"),
        (1, b"b"),
        (11, b"a"),
        (2, b"b"),
        (4, b"b"),
        (4, b"b"),
        (3, b"b"),
    ]:
        watch.took(1e-3, info(number, publisher))
    # 9 and 10 of a, 3 of b, which came later after all but had been given up
    assert (watch.taken, watch.lost) == (8, 3)
    watch.turn_over()
    assert watch.pushed_out_lately == 3
    watch.turn_over()
    assert (watch.lost, watch.pushed_out_lately) == (3, 0)


def feed(watch, arrivals, begin=1):
    """Messages by their numbers, each with when it came (ns) and was taken."""
    for number, received in arrivals:
        watch.took(1e-5, {**info(number), "received_timestamp": received})


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("share", [0.002, 0.01, 0.05])
def test_what_is_lost_on_the_way_is_told_from_slowness(seed, share):
    watch = InputWatch("strut_states", depth=1000)
    left = np.random.default_rng(seed).random(1000) >= share
    left[500], left[[0, 999]] = False, True
    kept = np.nonzero(left)[0]
    for number in kept:
        # taken when it comes: all others come later
        feed(watch, [(int(number) + 1, time.time_ns())])
    watch.turn_over()
    lost = 1000 - len(kept)
    assert (watch.lost, watch.lost_on_the_way, watch.pushed_out_lately) == (lost, lost, 0)
    (complaint,) = watch.complaints()
    assert f"{lost} of {lost + len(kept)} samples of 'strut_states' are missing on the way" in complaint
    assert "slower" not in complaint


def test_what_is_pushed_out_of_a_full_queue_is_slowness():
    watch = InputWatch("strut_states", depth=1000)
    came = time.time_ns()
    # one taken, then two thousand pushed out, and a queue of a thousand that had all come by then
    feed(watch, [(1, came), *((number, came) for number in range(2002, 3002))])
    watch.turn_over()
    assert (watch.lost, watch.lost_on_the_way, watch.pushed_out_lately) == (2000, 0, 2000)
    (complaint,) = watch.complaints()
    assert complaint.startswith("slower than the input: 2000 messages of 'strut_states' lost, 2000 so far")
    assert "a step takes 0.01 ms" in complaint


def test_a_node_that_is_late_for_a_moment_is_not_slow():
    """Fifty samples wait while another node has its turn; one of them is lost on the way, the queue is not full."""
    watch = InputWatch("strut_states", depth=1000)
    came = time.time_ns()
    feed(watch, [(number, came) for number in range(1, 51) if number != 20])
    feed(watch, [(51, time.time_ns() + 10**9)])
    watch.turn_over()
    assert (watch.lost_on_the_way, watch.pushed_out_lately) == (1, 0)


def test_a_middleware_without_numbers_loses_nothing():
    watch = InputWatch("strut_states")
    for about in ({}, {"publication_sequence_number": None}, {"publication_sequence_number": 0}):
        watch.took(1e-3, about)
    assert (watch.taken, watch.lost) == (3, 0)


def test_what_is_remembered_of_publishers_that_come_and_go_is_bounded():
    watch = InputWatch("strut_states")
    for k in range(1000):
        watch.took(1e-3, info(1, str(k).encode()))
    assert len(watch._newest) <= 64
    assert watch.lost == 0


def test_step_times_are_those_of_the_last_second():
    watch, quiet = InputWatch("strut_states"), InputWatch("target_pose")
    for duration in (1e-3, 3e-3):
        watch.took(duration, info(1))
    watch.turn_over()
    values = step_values([watch, quiet])
    assert values["step_mean (ms)"] == pytest.approx(2.0)
    assert values["step_max (ms)"] == pytest.approx(3.0)
    assert (values["taken"], values["lost"]) == (2, 0)
    assert 10 < values["memory (MB)"] < 10_000
    watch.turn_over()
    assert step_values([watch])["step_max (ms)"] == 0.0
    assert step_values([]) == {}


def test_a_stretch_ends_with_the_senders_segment_and_with_samples_missing():
    segments = Continuity(1e-3)
    number = segments.number
    # jitter and a few samples missing are no break
    assert [number(t, 5) for t in (10.0, 10.001, 10.0024, 10.003, 10.008)] == [5] * 5
    assert number(10.014, 5) == 6
    assert segments.breaks == 1
    assert number(10.015, 6) == 7  # the sender's own new segment, whatever it missed
    assert number(20.0, 6) == 8
    # the sender was restarted and numbers from its first stamp in ms
    assert number(30.0, 30_000) == 30_002
    assert number(30.001, 30_000) == 30_002
    assert segments.breaks == 2


def test_numbers_stay_within_what_a_message_holds():
    segments = Continuity(1e-3)
    segments.number(1.0, 2**32 - 1)
    assert segments.number(9.0, 2**32 - 1) == 0
