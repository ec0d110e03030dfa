# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The no-load table of a servovalve: speed of the unloaded actuator against valve opening, piecewise linear.

It carries the asymmetry of a cylinder, the valve's dead zone and its saturation; beyond its ends it stays what it is.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pkm_identification.document import Node
from pkm_identification.errors import SettingsError
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.compiled import compile_inline

from ..file_keys.key import Form, Key
from .row import COUNT, OPENING, SPEED, TABLE


@compile_inline
def compute_no_load_speed(row, opening):
    """Speed in m/s (rad/s) of the unloaded actuator at a valve opening in A."""
    count = int(row[COUNT])
    if opening <= row[OPENING]:
        return row[SPEED]
    for k in range(1, count):
        if opening <= row[OPENING + k]:
            share = (opening - row[OPENING + k - 1]) / (row[OPENING + k] - row[OPENING + k - 1])
            return row[SPEED + k - 1] + share * (row[SPEED + k] - row[SPEED + k - 1])
    return row[SPEED + count - 1]


@dataclass(frozen=True)
class NoLoadTable:
    """Pairs of valve opening (A, rising) and speed (m/s or rad/s, not falling).

    Attributes
    ----------
    opening, speed : tuple of float
    """

    opening: tuple[float, ...]
    speed: tuple[float, ...]

    def __call__(self, opening: float) -> float:
        """Speed at an opening; what `compute_no_load_speed` computes in kernels."""
        return float(np.interp(opening, self.opening, self.speed))

    @property
    def slope(self) -> float:
        """Speed over opening where the table rises, in the mean."""
        opening, speed = np.diff(self.opening), np.diff(self.speed)
        return float(speed.sum() / opening[speed > 0.0].sum())

    def opening_for(self, speed: float) -> float:
        """Return the opening that gives a speed: the middle of those that do, where the table is level.

        Raises
        ------
        SettingsError
            If the table does not reach the speed.
        """
        openings, speeds = np.array(self.opening), np.array(self.speed)
        if not speeds[0] <= speed <= speeds[-1]:
            raise SettingsError(
                f"no valve opening gives {speed:g} per second without load; the table has "
                f"{speeds[0]:g} to {speeds[-1]:g}"
            )
        level = np.flatnonzero(speeds == speed)
        if len(level):
            return float((openings[level[0]] + openings[level[-1]]) / 2)
        k = int(np.searchsorted(speeds, speed))
        share = (speed - speeds[k - 1]) / (speeds[k] - speeds[k - 1])
        return float(openings[k - 1] + share * (openings[k] - openings[k - 1]))

    def fill(self, row: FloatArray) -> None:
        """Write the table into an actuator's row."""
        count = len(self.opening)
        row[COUNT] = count
        row[OPENING : OPENING + count] = self.opening
        row[SPEED : SPEED + count] = self.speed


def _read_no_load(node: Node) -> NoLoadTable:
    """Return the table of a file: a list of pairs [opening, speed]."""
    if not isinstance(node.value, list) or not 2 <= len(node.value) <= TABLE:
        node.fail(f"must be a list of 2 to {TABLE} pairs [valve opening in A, speed without load]")
    pairs = np.array([entry.array(2) for entry in node.entries()])
    if np.any(np.diff(pairs[:, 0]) <= 0):
        k = int(np.flatnonzero(np.diff(pairs[:, 0]) <= 0)[0]) + 1
        node.fail(f"pair {k + 1} has opening {pairs[k, 0]:g} after {pairs[k - 1, 0]:g}: openings must rise")
    if np.any(np.diff(pairs[:, 1]) < 0):
        k = int(np.flatnonzero(np.diff(pairs[:, 1]) < 0)[0]) + 1
        node.fail(
            f"pair {k + 1} has speed {pairs[k, 1]:g} after {pairs[k - 1, 1]:g}: a valve that opens further lets no "
            "less through (for a drive that turns the other way give the controller's gain the other sign)"
        )
    if not pairs[0, 1] < 0 < pairs[-1, 1]:
        node.fail("must have speeds of both signs: such a valve moves its load one way alone")
    return NoLoadTable(tuple(pairs[:, 0].tolist()), tuple(pairs[:, 1].tolist()))


NO_LOAD = Key(
    "no_load",
    "valve opening and speed without load, A and m/s, openings rising",
    Form(
        f"2 to {TABLE} pairs of numbers",
        {
            "type": "array",
            "items": {"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 2},
            "minItems": 2,
            "maxItems": TABLE,
        },
        _read_no_load,
    ),
    required=True,
)
