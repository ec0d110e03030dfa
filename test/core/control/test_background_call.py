# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Work beside the control loop: its answer, and what it raised."""

from __future__ import annotations

import os

import pytest

from pkm_identification.control.paths.background_call import BackgroundCall


@pytest.mark.parametrize("long", [False, True])
def test_what_the_function_gives_or_raises_comes_with_the_answer(long):
    """An error that nobody foresaw, too; who only waits sees nothing of it."""
    assert BackgroundCall(long, divmod, 7, 2).answer() == (3, 1)
    failed = BackgroundCall(long, divmod, 7, 0)
    failed.wait()
    assert failed.done
    with pytest.raises(ZeroDivisionError):
        failed.answer()


@pytest.mark.skipif(not hasattr(os, "SCHED_BATCH"), reason="such threads are known to Linux alone")
def test_a_thread_beside_takes_no_processor_from_control_when_it_wakes():
    assert BackgroundCall(True, os.sched_getscheduler, 0).answer() == os.SCHED_BATCH
    assert (
        BackgroundCall(False, os.sched_getscheduler, 0).answer() == os.sched_getscheduler(0) == os.SCHED_OTHER
    )
