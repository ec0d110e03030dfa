# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The controller's real-time priority: all its threads while it controls, none of what works beside it."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path
from threading import Event, Thread

import pytest
from diagnostic_msgs.msg import DiagnosticArray
from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState
from ros.ros_bench import Bench

from pkm_identification.control.paths.background_call import BackgroundCall
from pkm_identification.ros.node.thread_priority import ThreadPriority
from pkm_identification.ros.processes.node_process import NodeProcess

pytestmark = pytest.mark.skipif(
    not hasattr(os, "SCHED_FIFO"), reason="threads have priorities on Linux alone"
)
PRIORITY = 7
TRY = """
import os, sys
from resource import RLIMIT_RTPRIO, setrlimit
from pkm_identification.ros.node.thread_priority import ThreadPriority
setrlimit(RLIMIT_RTPRIO, (0, 0))
if os.getuid() == 0:
    os.setresuid(65534, 65534, 65534)
threads = ThreadPriority()
print(threads.rise(7), threads, os.sched_getscheduler(0) == os.SCHED_OTHER, sep="|")
"""


def permitted() -> bool:
    threads = ThreadPriority()
    try:
        return threads.rise(PRIORITY) is None
    finally:
        threads.fall()


def policies(process: int | str = "self") -> dict[int, tuple[int, int]]:
    """Policy and priority of each thread of a process."""
    threads = [int(name) for name in os.listdir(f"/proc/{process}/task")]
    return {one: (os.sched_getscheduler(one), os.sched_getparam(one).sched_priority) for one in threads}


@pytest.mark.skipif(not permitted(), reason="no real-time priority is permitted here")
def test_all_threads_rise_and_fall_together_but_for_work_beside():
    """Work that began before, or begins meanwhile, gives way."""
    go, over = Event(), Event()

    def work() -> int:
        go.set()
        over.wait()
        return os.sched_getscheduler(0)

    before = BackgroundCall(True, work)
    go.wait()
    threads = ThreadPriority()
    assert threads.rise(PRIORITY) is None
    try:
        during = BackgroundCall(True, os.sched_getscheduler, 0)
        late: list[int] = []
        made = Thread(target=lambda: late.append(os.sched_getscheduler(0)))
        made.start()
        made.join()
        assert str(threads) == f"real-time, priority {PRIORITY}"
        assert during.answer() == os.SCHED_BATCH
        assert late == [os.SCHED_FIFO]
        now = policies()
    finally:
        threads.fall()
        over.set()
    assert before.answer() == os.SCHED_BATCH
    assert now[os.getpid()] == (os.SCHED_FIFO, PRIORITY)
    assert set(now.values()) == {(os.SCHED_FIFO, PRIORITY), (os.SCHED_BATCH, 0)}
    assert os.SCHED_FIFO not in {policy for policy, _ in policies().values()}
    assert str(threads) == "normal"


def test_where_no_priority_is_permitted_it_says_so_and_goes_on():
    """As a user without any, whoever runs the tests."""
    done = subprocess.run([sys.executable, "-c", TRY], capture_output=True, text=True, check=True)
    why = f"real-time priority {PRIORITY}: not permitted, the limit is 0"
    assert done.stdout.strip() == f"{why}|normal ({why})|True"


@pytest.mark.parametrize(
    ("policy", "priority", "text"),
    [
        ("SCHED_RR", 3, "real-time, priority 3"),
        ("SCHED_FIFO | os.SCHED_RESET_ON_FORK", 3, "real-time, priority 3"),
        ("SCHED_BATCH", 0, "batch"),
    ],
)
def test_the_scheduling_that_the_process_was_started_with_stays(policy: str, priority: int, text: str):
    if priority and not permitted():
        pytest.skip("no real-time priority is permitted here")
    code = (
        "import os; from pkm_identification.ros.node.thread_priority import ThreadPriority; "
        f"os.sched_setscheduler(0, os.{policy}, os.sched_param({priority})); threads = ThreadPriority(); "
        "print(threads, threads.rise(7), threads, sep='|'); threads.fall(); "
        f"print(threads, os.sched_getscheduler(0) == os.{policy}, sep='|')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == f"{text}|None|{text}\n{text}|True".split()


@pytest.mark.skipif(not permitted(), reason="no real-time priority is permitted here")
def test_a_thread_with_a_real_time_priority_of_its_own_keeps_it():
    """As the middleware's may have by its own settings, be it the same priority."""
    ready, over, seen = Event(), Event(), []

    def work() -> None:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(PRIORITY))
        ready.set()
        over.wait()
        seen.append((os.sched_getscheduler(0), os.sched_getparam(0).sched_priority))

    thread = Thread(target=work)
    thread.start()
    ready.wait()
    threads = ThreadPriority()
    assert threads.rise(PRIORITY) is None
    threads.fall()
    over.set()
    thread.join()
    assert seen == [(os.SCHED_FIFO, PRIORITY)]
    assert os.sched_getscheduler(0) == os.SCHED_OTHER


@pytest.mark.parametrize("good", [0, 1])
@pytest.mark.parametrize(
    ("number", "why"), [(errno.ENOSYS, "not implemented"), (errno.EPERM, "not permitted")]
)
def test_a_system_that_refuses_leaves_nothing_raised(monkeypatch, good: int, number: int, why: str):
    """Whatever its reason, at the first thread or after some were raised: control must begin all the same."""
    if good and not permitted():
        pytest.skip("no real-time priority is permitted here")
    schedule, calls = os.sched_setscheduler, []

    def refusing(thread: int, policy: int, param: os.sched_param) -> None:
        calls.append(policy)
        if policy == os.SCHED_FIFO and calls.count(policy) > good:
            raise OSError(number, os.strerror(number))
        schedule(thread, policy, param)

    over = Event()
    second = Thread(target=over.wait)
    second.start()
    threads = ThreadPriority()
    with monkeypatch.context() as patch:
        patch.setattr(os, "sched_setscheduler", refusing)
        refusal = threads.rise(PRIORITY)
    now = policies()
    over.set()
    second.join()
    assert refusal is not None
    assert why in refusal
    assert str(threads) == f"normal ({refusal})"
    assert {policy for policy, _ in now.values()} == {os.SCHED_OTHER}


@pytest.mark.parametrize("asked", [PRIORITY, 0])
def test_the_controllers_process_has_its_priority_while_it_is_active(
    bench: Bench, tmp_path: Path, asked: int
):
    """The middleware's threads, too; the diagnostics say how it is, and the log why it is not as asked for."""
    heard: list[str] = []

    def listen(message: DiagnosticArray) -> None:
        for status in message.status:
            heard.extend(value.value for value in status.values if value.key == "scheduling")

    bench.node.create_subscription(DiagnosticArray, "/diagnostics", listen, 10)
    may = permitted()
    with NodeProcess("controller", {"thread_priority": asked}, domain=bench.domain, folder=tmp_path) as node:
        node.wait_active()
        bench.wait(lambda: heard, "diagnostics")
        raised = policies(node.pid)
        client = bench.node.create_client(ChangeState, "/controller/change_state")
        assert client.wait_for_service(10.0)
        request = ChangeState.Request(transition=Transition(id=Transition.TRANSITION_DEACTIVATE))
        asked_for = client.call_async(request)
        bench.wait(asked_for.done, "deactivation")
        assert asked_for.result().success
        lowered = policies(node.pid)
        text = node.text()
    assert set(lowered.values()) == {(os.SCHED_OTHER, 0)}
    if asked and may:
        assert set(raised.values()) == {(os.SCHED_FIFO, PRIORITY)}
        assert heard[0] == f"real-time, priority {PRIORITY}"
    else:
        assert set(raised.values()) == {(os.SCHED_OTHER, 0)}
        assert heard[0].startswith("normal")
        assert ("not permitted" in text) == bool(asked)
