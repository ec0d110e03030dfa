# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

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
