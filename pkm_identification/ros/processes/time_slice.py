# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""How long a thread keeps a core while others wait for it: those that follow a stream keep it for a moment only."""

from __future__ import annotations

import ctypes
import os
import platform
import struct

# Linux from 6.12 on takes 0.1 to 100 ms, from everybody; older ones take the call and do not heed the slice.
SHORT_S = 1e-4  # of what answers a thousand samples a second: takes 0.1 to 0.3 ms for each
LONG_S = 0.1  # of what nobody waits for: whatever wakes up takes the core from it at once
# struct sched_attr: size, policy, flags, nice, priority, slice, -, -
_ATTRIBUTES = struct.Struct("=IIQiIQQQ")
_CALLS = {"x86_64": 314, "aarch64": 274, "riscv64": 274}  # number of sched_setattr, which C libraries lack


def set_time_slice(seconds: float) -> bool:
    """Set the time slice of the calling thread, and of all that it makes; return whether the system took it.

    A thread that wakes up is given the core of one with a longer slice at once, in whatever session that one runs;
    otherwise it waits for the slice to end, for milliseconds. Its share of the processor stays the same. A process
    with another than the normal scheduling, such as a real-time priority, keeps that as it is.
    """
    number = _CALLS.get(platform.machine())
    if number is None or platform.system() != "Linux":
        return False
    policy = os.sched_getscheduler(0)
    if policy not in (os.SCHED_OTHER, os.SCHED_BATCH):
        return False
    nice = os.getpriority(os.PRIO_PROCESS, 0)
    wanted = _ATTRIBUTES.pack(_ATTRIBUTES.size, policy, 0, nice, 0, round(1e9 * seconds), 0, 0)
    return ctypes.CDLL(None).syscall(number, 0, wanted, 0) == 0
