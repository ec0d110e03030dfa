# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Delay lines of actuators: commands and positions of the past small steps, one number per step and drive.

A command is held over a small step; what reaches an actuator in one step is the mean of the delayed command over it,
which places a jump exactly wherever it falls. Positions are continuous and read by linear interpolation.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pkm_identification.errors import SettingsError
from pkm_identification.mechanisms.actuators import Bank
from pkm_identification.mechanisms.actuators.base import Actuator
from pkm_identification.mechanisms.actuators.row import COMMAND_DELAY, REST, SENSOR_DELAY, signal_of
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.compiled import compile_inline, kernel

WHOLE = 1e-6  # of a small step: nearer to a whole number of them a delay is one
LONGEST_DELAY = 10.0  # s: lines keep each small step of it


class Lines(NamedTuple):
    """Ring buffers.

    Attributes
    ----------
    command, position : ndarray, shape (L, n)
        At the start of each small step; a command is that of the whole step.
    started : ndarray, shape (1,)
        Small steps so far; the present one stands at this number modulo L.
    """

    command: FloatArray
    position: FloatArray
    started: FloatArray


def lines_of(bank: Bank, h: float) -> Lines:
    """Empty lines for small steps of h s.

    Raises
    ------
    SettingsError
        If a delay is shorter than the small step, or longer than lines are kept for.
    """
    check_delays(bank.actuators, LONGEST_DELAY, "what can be simulated")
    for i, actuator in enumerate(bank.actuators):
        for what, delay in zip(("command", "sensor"), actuator.delays, strict=True):
            if 0.0 < delay < h * (1 - WHOLE):
                raise SettingsError(
                    f"actuator {i + 1}: {what} delay {delay:g} s: shorter than the small step, {h:g} s; "
                    "write 0, or simulate with shorter steps"
                )
    longest = max((sum(actuator.delays) for actuator in bank.actuators), default=0.0)
    length = int(np.ceil(longest / h)) + 4
    return Lines(np.zeros((length, len(bank))), np.zeros((length, len(bank))), np.zeros(1))


def check_delays(actuators: Sequence[Actuator], duration: float, what: str = "the run") -> None:
    """Refuse actuators whose command does nothing within `duration` s; raises SettingsError, which names the first."""
    for i, actuator in enumerate(actuators):
        late = sum(actuator.delays)
        if late >= duration:
            raise SettingsError(
                f"actuator {i + 1}: its delays, {late:g} s, are longer than {what} of {duration:g} s"
            )


def fill_lines(lines: Lines, command: FloatArray, position: FloatArray) -> None:
    """Let the past be one in which nothing moved."""
    lines.command[:], lines.position[:] = command, position
    lines.started[0] = 0.0


class Lags(NamedTuple):
    """How late n drives are, in small steps: what reading their lines at some shares (S) of a step needs.

    Attributes
    ----------
    whole, part : ndarray, shape (n,)
        Of the command: whole small steps, and the rest.
    back : ndarray of int64, shape (S, n)
        Of the position: how many steps back the interval begins that is read, 0 at the present step's start.
    within : ndarray, shape (S, n)
        Where in that interval; below 0 where nothing is late.
    """

    whole: NDArray[np.int64]
    part: FloatArray
    back: NDArray[np.int64]
    within: FloatArray


@kernel
def note_lags(rows, h, shares, lags):
    """Write how late drives are at `shares` of small steps of h s."""
    for i in range(rows.shape[0]):
        late = rows[i, COMMAND_DELAY] / h
        whole = np.floor(late + WHOLE)
        lags.whole[i], lags.part[i] = int(whole), max(late - whole, 0.0)
        total = late + rows[i, SENSOR_DELAY] / h
        for s in range(shares.shape[0]):
            at = shares[s] - total  # small steps from the start of the present one
            # a delay of exactly one step, at the end of the present one
            first = min(np.floor(at), 0.0)
            lags.back[s, i] = int(-first)
            lags.within[s, i] = max(at - first, 0.0) if total > 0.0 else -1.0


@compile_inline
def note_present(lines, command, position):
    """Write commands (n,) and positions (n,) of the small step that begins; its index in the lines."""
    index = int(lines.started[0]) % lines.command.shape[0]
    for i in range(command.shape[0]):
        lines.command[index, i] = command[i]
        lines.position[index, i] = position[i]
    return index


@compile_inline
def stage_signal(row, lines, lags, i, s, now, here, enabled):
    """What reaches actuator i at share s of the small step whose index is `now`, its coordinate being about `here`."""
    if not enabled:
        return row[REST]
    length = lines.command.shape[0]
    newer = now - lags.whole[i]
    newer += length if newer < 0 else 0
    command = lines.command[newer, i]
    if lags.part[i] > WHOLE:
        older = newer - 1 if newer > 0 else length - 1
        command += lags.part[i] * (lines.command[older, i] - command)
    position = here
    if lags.within[s, i] >= 0.0:
        first = now - lags.back[s, i]
        first += length if first < 0 else 0
        position = lines.position[first, i]
        if lags.back[s, i] > 0:
            second = first + 1 if first + 1 < length else 0
            position += lags.within[s, i] * (lines.position[second, i] - position)
    return signal_of(row, command, position)


@kernel
def present_signals(rows, lines, h, command, position, enabled, signal):
    """Write what reaches each actuator at the start of the small step that begins, noted in its lines."""
    count = rows.shape[0]
    lags = Lags(
        np.empty(count, dtype=np.int64),
        np.empty(count),
        np.empty((1, count), dtype=np.int64),
        np.empty((1, count)),
    )
    note_lags(rows, h, np.zeros(1), lags)
    now = note_present(lines, command, position)
    for i in range(count):
        signal[i] = stage_signal(rows[i], lines, lags, i, 0, now, position[i], enabled[i])
