# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Time slices: taken over by threads and processes made later, never in place of a real-time priority."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from pkm_identification.ros.processes.time_slice import LONG_S, SHORT_S

# a real-time priority is asked for with the third argument; the slice is read by sched_getattr
TRY = """
import ctypes, os, platform, struct, sys, threading
from pkm_identification.ros.processes.time_slice import set_time_slice

def read():
    found = ctypes.create_string_buffer(48)
    number = {"x86_64": 315, "aarch64": 275, "riscv64": 275}[platform.machine()]
    assert ctypes.CDLL(None).syscall(number, 0, found, 48, 0) == 0
    _, policy, _, nice, _, slice_ns, _, _ = struct.unpack("=IIQiIQQQ", found)
    return policy, nice, slice_ns

if len(sys.argv) > 2:
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(7))
os.nice(3)
before = read()
print(set_time_slice(float(sys.argv[1])), *before, *read())
thread = threading.Thread(target=lambda: print(*read()))
thread.start()
thread.join()
"""


def heeds_slices() -> bool:
    """Return whether this system has slices for everybody."""
    release = os.uname().release.split(".")
    return sys.platform == "linux" and (int(release[0]), int(release[1].split("-")[0])) >= (6, 12)


def run(*arguments: str) -> list[list[str]]:
    command = [sys.executable, "-c", TRY, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return [line.split() for line in done.stdout.splitlines()]


@pytest.mark.skipif(not heeds_slices(), reason="Linux has slices for everybody from 6.12 on")
@pytest.mark.parametrize("seconds", [SHORT_S, LONG_S])
def test_the_slice_is_that_of_later_threads_too_and_the_rest_stays(seconds: float):
    first, of_thread = run(str(seconds))
    slice_ns = str(round(1e9 * seconds))
    assert first[0] == "True"
    assert first[1:3] == first[4:6] == [str(os.SCHED_OTHER), "3"]
    assert first[3] != slice_ns
    assert first[6] == of_thread[2] == slice_ns


def test_a_real_time_priority_is_kept():
    try:
        first, of_thread = run(str(SHORT_S), "real time")
    except subprocess.CalledProcessError:
        pytest.skip("no real-time priority is permitted here")
    assert first[0] == "False"
    assert first[1:4] == first[4:7] == of_thread
    assert of_thread[0] == str(os.SCHED_FIFO)
