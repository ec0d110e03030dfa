# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Strut logs for tests of the signal stages: smooth, and damaged on purpose."""

from __future__ import annotations

import numpy as np

from pkm_identification.motion import DriveLog

PERIOD = 1e-3


def smooth_log(count: int = 400, start: float = 0.0, seed: int = 0, jitter: float = 0.0) -> DriveLog:
    """Lengths and forces as sums of slow sines at 1 kHz, within every built-in machine's limits."""
    rng = np.random.default_rng(seed)
    time = np.arange(count) * PERIOD
    omega = 2 * np.pi * rng.uniform(0.5, 3.0, (1, 6))
    phase = rng.uniform(0, 2 * np.pi, (1, 6))
    angle = omega * time[:, None] + phase
    stamps = time + start + (rng.normal(0, jitter, count) if jitter else 0.0)
    return DriveLog(stamps, 0.43 + 0.02 * np.sin(angle), 100.0 + 50.0 * np.cos(angle), "smooth")


def damage(log: DriveLog, faults: list[tuple[str, int, int, int]]) -> DriveLog:
    """Apply faults (kind, place, strut, size) one after the other; the places are taken modulo the length."""
    time, length, force = log.time.copy(), log.length.copy(), log.force.copy()
    for kind, place, strut, size in faults:
        n = len(time)
        if n < 3:
            break
        k = place % (n - 1)
        if kind == "drop":
            gone = slice(k, min(k + size, n - 1))
            time, length, force = (np.delete(a, gone, axis=0) for a in (time, length, force))
        elif kind == "nan":
            (length if size % 2 else force)[k, strut] = [np.nan, np.inf, -np.inf][size % 3]
        elif kind == "bad_stamp":
            time[k] = [np.nan, np.inf, -np.inf][size % 3]
        elif kind == "duplicate":
            time, length, force = (np.insert(a, k + 1, a[k], axis=0) for a in (time, length, force))
        elif kind == "swap":
            for a in (time, length, force):
                a[[k, k + 1]] = a[[k + 1, k]]
        elif kind == "spike":
            length[k, strut] += 0.01 * size
        elif kind == "force_spike":
            force[k, strut] += 2e3 * size
        elif kind == "zero_moved":
            length[k:, strut] += 0.004 * size
        elif kind == "wild_stamp":
            time[k] += [0.003, -0.003, 0.3, -0.3, 50.0, -50.0][size % 6]
        elif kind == "clock":
            time[k:] += [0.02, -0.02, 0.4, -0.4, 9.0, -9.0][size % 6]
        else:
            raise ValueError(kind)
    return DriveLog(time, length, force, "damaged")


KINDS = (
    "drop",
    "nan",
    "bad_stamp",
    "duplicate",
    "swap",
    "spike",
    "force_spike",
    "zero_moved",
    "wild_stamp",
    "clock",
)


def joined(*logs: DriveLog) -> DriveLog:
    """Logs one behind the other as one."""
    return DriveLog(*(np.concatenate([getattr(log, f) for log in logs]) for f in ("time", "length", "force")))
