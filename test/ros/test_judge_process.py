# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The judge in a process of its own: the same verdict as here, once more when killed, gone with its node."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pkm_identification.identification.online.pipeline import OnlinePipeline, build_stream_settings
from pkm_identification.machines.load import load_machine
from pkm_identification.ros.estimates.judge_process import NICE, JudgeError, JudgeProcess
from pkm_identification.ros.processes.node_process import list_children
from pkm_identification.simulation.sensors import SensorSettings
from pkm_identification.simulation.simulator import simulate

pytestmark = pytest.mark.slow

CHEAP_S = 1e-3  # of the node's thread, for a question
OWNER = """
import time
from pkm_identification.identification.online.pipeline import OnlinePipeline, build_stream_settings
from pkm_identification.machines.load import load_machine
from pkm_identification.ros.estimates.judge_process import JudgeProcess

machine = load_machine("uf")
process = JudgeProcess(OnlinePipeline(machine, build_stream_settings(machine, None, 4e-3)).estimator.judge)
process._starting.join()
print("started", flush=True)
time.sleep(600.0)
"""


@pytest.fixture(scope="module")
def estimator():
    """Return the estimator of 16 s of a stream, with enough for a verdict."""
    machine = load_machine("uf")
    log = simulate(machine, "rich", 18.0, sensors=SensorSettings(current_noise=0.01)).log()
    period = 4.0 * float(log.time[1] - log.time[0])
    pipeline = OnlinePipeline(machine, build_stream_settings(machine, None, period))
    for row in zip(log.time[::4].tolist(), log.coordinate[::4], log.force[::4], strict=True):
        pipeline.step(*row)
    assert pipeline.estimator.judgeable
    return pipeline.estimator


def find_child() -> int:
    """Return the process id of the judge's process."""
    (child,) = (one for one in list_children(os.getpid()) if b"judge_process" in read_command(one))
    return child


def read_command(pid: int) -> bytes:
    return Path(f"/proc/{pid}/cmdline").read_bytes()


def runs(pid: int) -> bool:
    """Whether a process is there and not merely waited for."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_the_verdict_is_that_of_this_process_and_a_killed_one_starts_once_more(estimator):
    here = estimator.judge.answer(estimator.ask_judge())
    process = JudgeProcess(estimator.judge)
    try:
        verdict, cost = process.ask(estimator.ask_judge())
        assert verdict.answer.verdict == here.answer.verdict
        assert [one.value for one in verdict.answer.values] == [one.value for one in here.answer.values]
        assert [one.std for one in verdict.answer.values] == [one.std for one in here.answer.values]
        assert verdict.time == here.time
        assert cost > 0.0
        first = find_child()
        assert os.sched_getscheduler(first) == os.SCHED_BATCH
        assert os.getpriority(os.PRIO_PROCESS, first) == os.getpriority(os.PRIO_PROCESS, 0) + NICE
        assert os.getsid(first) == first  # where sessions share the processor, it takes none of its node's
        assert not any("rclpy" in line for line in Path(f"/proc/{first}/maps").read_text().splitlines())
        os.kill(first, signal.SIGKILL)
        again, _ = process.ask(estimator.ask_judge())
        assert again.time == here.time
        assert find_child() != first
        os.kill(find_child(), signal.SIGKILL)
        with pytest.raises(JudgeError, match="code -9"):
            process.ask(estimator.ask_judge())
        with pytest.raises(JudgeError, match="code -9"):
            process.ask(estimator.ask_judge())
    finally:
        process.close()
    assert not [one for one in list_children(os.getpid()) if b"judge_process" in read_command(one)]


def test_asking_takes_less_than_a_millisecond(estimator):
    took = []
    for _ in range(20):
        before = time.thread_time()
        estimator.ask_judge()
        took.append(time.thread_time() - before)
    assert sorted(took)[10] < CHEAP_S


def test_a_process_that_does_not_start_is_told_in_one_line(estimator, monkeypatch):
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    process = JudgeProcess(estimator.judge)
    with pytest.raises(JudgeError, match="does not start"):
        process.ask(estimator.ask_judge())
    process.close()


def test_nothing_is_left_of_an_owner_that_was_killed():
    with subprocess.Popen([sys.executable, "-c", OWNER], stdout=subprocess.PIPE, text=True) as owner:
        assert owner.stdout.readline() == "started\n"
        (child,) = list_children(owner.pid)
        assert runs(child)
        owner.kill()
    end = time.monotonic() + 60.0
    while runs(child) and time.monotonic() < end:
        time.sleep(0.05)
    assert not runs(child)
