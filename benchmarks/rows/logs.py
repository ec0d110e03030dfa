# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Logs as other programs write them, and logs with something wrong, made of one right log in SI units."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from pyarrow import parquet, table

from pkm_identification.machines.contract import Machine
from pkm_identification.numerics.arrays import FloatArray

TILES = 30  # how often a motion is repeated in a long log
NOISE = 0.01  # of the rms force
PAUSE_S = 1.0  # between two of them: each is a segment


def write_variants(source: Path, folder: Path, machine: Machine) -> None:
    """Write the variants of a log (CSV: t, n coordinates, n forces) into a folder, by what is with them."""
    ours, log = _read(source)
    count, rows = len(machine.drives), len(log)
    random = np.random.default_rng(1)
    names = ["Zeit", *(f"q{i + 1}" for i in range(count)), *(f"M{i + 1}" for i in range(count))]
    _write(folder / "columns.csv", names, log)
    turning = np.array([drive.unit == "rad" for drive in machine.drives])
    coordinate = np.where(turning, 180.0 / np.pi, 1000.0)  # degrees, or mm
    force = np.where(turning, 1000.0, 1e-3)  # N mm, or kN
    _write(folder / "units.csv", names, log * [1000.0, *coordinate, *force])
    _write(folder / "rate.csv", names[1:], log[:, 1:])
    uneven = log[:, 0] + random.uniform(-0.2, 0.2, rows) * np.median(np.diff(log[:, 0]))
    spoilt = np.column_stack([uneven, *(np.interp(uneven, log[:, 0], column) for column in log[:, 1:].T)])
    spoilt[random.choice(np.arange(rows // 10, rows, 50), 20, replace=False), 1] += 0.05 * np.ptp(log[:, 1])
    spoilt[random.integers(rows // 10, rows, 20), 2] = np.nan
    spoilt = spoilt[np.sort(np.concatenate([np.arange(rows), random.integers(0, rows, 20)]))]
    _write(folder / "spoilt.csv", ours, np.delete(spoilt, slice(rows // 2, rows // 2 + rows // 50), axis=0))


def write_long(source: Path, path: Path) -> float:
    """Write a perfect log many times one after the other, each with noise of its own, as Parquet; return its s."""
    names, log = _read(source)
    random, forces = np.random.default_rng(2), log[:, 1 + len(names) // 2 :]
    deviation = np.concatenate(
        [np.zeros(1), np.full(len(names) // 2, 1e-7), NOISE * np.sqrt(np.mean(forces**2, axis=0))]
    )
    step = float(log[-1, 0] - log[0, 0]) + PAUSE_S
    clock = np.eye(len(names))[0] * step
    noisy = [log + i * clock + deviation * random.normal(size=log.shape) for i in range(TILES)]
    whole = np.concatenate(noisy)
    parquet.write_table(table(dict(zip(names, whole.T, strict=True))), path)
    return TILES * step


def round_coordinates(path: Path, step: float) -> None:
    """Round the coordinates of a log to steps of an encoder."""
    names, log = _read(path)
    drives = slice(1, 1 + len(names) // 2)
    log[:, drives] = np.round(log[:, drives] / step) * step
    _write(path, names, log)


def _read(path: Path) -> tuple[list[str], FloatArray]:
    with path.open(encoding="utf-8") as file:
        names = file.readline().strip().split(",")
        return names, np.loadtxt(file, delimiter=",")


def _write(path: Path, names: list[str], rows: FloatArray) -> None:
    np.savetxt(path, rows, fmt="%.12g", delimiter=",", header=",".join(names), comments="")
