# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Delay lines of actuators: commands and positions of the past small steps, one number per step and drive.

A command is held over a small step; what reaches an actuator in one step is the mean of the delayed command over it,
which places a jump exactly wherever it falls. Positions are continuous and read by linear interpolation.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from pkm_identification.errors import SettingsError
from pkm_identification.mechanisms.actuators import Bank
from pkm_identification.mechanisms.actuators.row import COMMAND_DELAY, REST, SENSOR_DELAY, signal_of
from pkm_identification.mechanisms.model import Actuator
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.compiled import kernel

WHOLE = 1e-6  # of a small step: nearer to a whole number of them a delay is one
LONGEST_DELAY = 10.0  # s: lines keep each small step of it


class Lines(NamedTuple):
    """Ring buffers.

    Attributes
    ----------
    command, position : ndarray, shape (L, n)
        At the start of each small step; a command is that of the whole step.
    begun : ndarray, shape (1,)
        Small steps so far; the present one stands at this number modulo L.
    """

    command: FloatArray
    position: FloatArray
    begun: FloatArray


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
    lines.begun[0] = 0.0


@kernel
def note_present(lines, command, position):
    """Write commands (n,) and positions (n,) of the small step that begins."""
    place = int(lines.begun[0]) % lines.command.shape[0]
    for i in range(command.shape[0]):
        lines.command[place, i] = command[i]
        lines.position[place, i] = position[i]


@kernel
def stage_signal(row, lines, i, h, share, here, enabled):
    """What reaches actuator i at `share` of the present small step, where its coordinate is about `here`."""
    if not enabled:
        return row[REST]
    length, now = lines.command.shape[0], int(lines.begun[0])
    late = row[COMMAND_DELAY] / h
    whole = int(np.floor(late + WHOLE))
    part = max(late - whole, 0.0)
    command = lines.command[(now - whole) % length, i]
    if part > WHOLE:
        command += part * (lines.command[(now - whole - 1) % length, i] - command)
    total = late + row[SENSOR_DELAY] / h
    position = here
    if total > 0.0:
        at = share - total  # small steps from the start of the present one
        first = int(np.floor(at))
        if first >= 0:  # a delay of exactly one step, at the end of the present one
            position = lines.position[now % length, i]
        else:
            begin = lines.position[(now + first) % length, i]
            end = lines.position[(now + first + 1) % length, i]
            position = begin + (at - first) * (end - begin)
    return signal_of(row, command, position)
