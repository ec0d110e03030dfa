# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""States of a mechanism without rounding: random points of its loops' solutions among the p-adic numbers.

Around a configuration modulo p (`modular_start`), every small change of all coordinates is led back to the loops by
Newton's method, which never leaves the branch. What holds for these states holds for almost all of the branch: an
analytic function that vanishes around a point vanishes everywhere.
"""

from __future__ import annotations

import random
from itertools import islice
from typing import Any

import numpy as np

from pkm_identification.errors import MotionRefused, SettingsError
from pkm_identification.estimation.identifiability.exact import ModularRows

from ..dynamics import regressor
from ..kernels.closing import ClosingLimits, close
from ..kernels.codes import AXES, OK, POINT
from ..kinematics import MechanismMotion, moving
from ..mechanism import Mechanism, room_to_close
from ..numbers.padic import NotAlgebraic, NotInThisField, Padic, Residue
from .modular_start import NearHome, coordinates, field_of, in_field, is_angle, row_values, starts

# Of the modulus, first and where those do not do: fractions of some 80 or 200 bits, and what small changes cost.
BITS = (200, 500)
_STARTS = 20  # where all are singular, another prime does better
# Small, since a configuration modulo p is found by trying; those with no root of -1 meet fewer singular ones.
# seven is last: it divides lengths of machines (0.7, 0.35) more often than the others do
PRIMES = (11, 19, 23, 31, 13, 17, 7)
PROBE = 103  # any prime: whether constants are algebraic at all
NO_BRANCH = "no configuration found modulo p"


def why_not_exact(mechanism: Mechanism) -> str:
    """Return why a mechanism has no exact route; empty if it has one."""
    for measure in (drive.measure for drive in mechanism.description.drives):
        if measure.kind not in ("combination", "lever"):
            return f"drive '{measure.name}' is no coordinate of joints"
    for row in mechanism.places["loops"]:
        if mechanism.rows[row].kind not in (POINT, AXES):
            return f"loop constraint '{mechanism.rows[row].label}' is not algebraic"
    try:
        in_field(mechanism, Padic(PROBE, 1))
    except NotAlgebraic as error:
        return str(error)
    except NotInThisField:
        pass
    return ""


def build_exact_columns(
    mechanism: Mechanism,
    prime: int,
    count: int,
    near_home: NearHome | None,
    seed: int = 0,
    bits: int = BITS[-1],
) -> ModularRows:
    """Return the regressor of all bodies, ten columns each, at random states among the p-adic numbers.

    Parameters
    ----------
    mechanism : Mechanism
        In float64.
    prime : int
        p, odd.
    count : int
        Of states; each gives a row for each drive.
    near_home : list or None
        See `modular_start.fractions_near_home`.
    seed : int
    bits : int
        Of the modulus.

    Returns
    -------
    ModularRows

    Raises
    ------
    NotInThisField
        If a root or a configuration is not to be had with this prime.
    """
    rng = random.Random(seed * 1_000_003 + prime)
    here, motion = compute_exact_motion(mechanism, prime, count, rng, near_home, bits)
    state_rows = regressor(here, motion)[0]
    rows = np.empty((count, *state_rows.shape), dtype=object)
    for i, k in np.ndindex(*state_rows.shape):
        rows[:, i, k] = state_rows[i, k].value
    rate = np.stack([one.value for one in motion.drive_rate[0]], axis=1)
    return ModularRows(prime, field_of(here).modulus, rows.reshape(-1, state_rows.shape[1]), rate)


def compute_exact_motion(
    mechanism: Mechanism,
    prime: int,
    count: int,
    rng: random.Random,
    near_home: NearHome | None,
    bits: int = BITS[-1],
) -> tuple[Mechanism, MechanismMotion]:
    """Return the mechanism among the p-adic numbers, and `count` random states of it as one whose numbers are arrays.

    Raises
    ------
    NotInThisField
        If a root or a configuration is not to be had with this prime.
    """
    here = in_field(mechanism, Padic(prime, 1 + int(bits / np.log2(prime))))
    for residues in islice(starts(mechanism, prime, rng, near_home), _STARTS):
        try:
            configuration = _close_nearby(here, residues, count, rng)
            rate, change = (
                _draw_random(field_of(here), rng, count, here.degrees_of_freedom) for _ in range(2)
            )
            motion = moving(here, configuration[None], rate[None], change[None])
        except (NotInThisField, MotionRefused):
            continue
        return here, motion
    raise NotInThisField(NO_BRANCH)


def _draw_random(arithmetic: Padic, rng: random.Random, count: int, size: int) -> Any:
    """Random numbers (size,), arrays of `count` each."""
    values = np.empty(size, dtype=object)
    for index in range(size):
        values[index] = Residue(_draw_many(rng, count, arithmetic.modulus), arithmetic)
    return values


def _draw_many(rng: random.Random, count: int, below: int) -> Any:
    numbers = np.empty(count, dtype=object)
    numbers[:] = [rng.randrange(below) for _ in range(count)]
    return numbers


def _close_nearby(mechanism: Mechanism, residues: np.ndarray, count: int, rng: random.Random) -> Any:
    """Configurations (Q,), arrays of `count`, with loops closed modulo p^K that are `residues` (Q, 2) modulo p."""
    arithmetic = field_of(mechanism)
    p = arithmetic.prime
    start = np.empty((1, len(residues)), dtype=object)
    for frame in mechanism.model.frame:
        for k in coordinates(frame):
            first, second = (int(value) for value in residues[k])
            small = _draw_many(rng, count, p**4)
            start[0, k] = (
                arithmetic.turn(first, second, small)
                if is_angle(frame)
                else Residue(first + p * small, arithmetic)
            )
    closed = room_to_close(mechanism, 1)
    # no longest step, done when a step is zero but for half the digits, loops exactly closed, any side
    limits = ClosingLimits(2, 2, arithmetic.step, arithmetic.tolerance, 0)
    drives = mechanism.places["drives"]
    target = np.empty((1, len(drives)), dtype=object)
    target[0] = row_values(mechanism, np.array(drives), start)[0]
    wanted = arithmetic.array(np.eye(3)[None])
    tasks = mechanism.task_rows("drives")
    close.py_func(mechanism.model, tasks, len(drives), target, wanted, start, limits, closed)  # type: ignore[attr-defined]
    every = row_values(mechanism, mechanism.row_numbers("loops"), closed.configuration)
    if closed.status[0] != OK or any(abs(gap) for gap in every.ravel()):
        raise NotInThisField(NO_BRANCH)
    return closed.configuration[0]


def checked_exact(mechanism: Mechanism) -> None:
    """Refuse a mechanism without an exact route.

    Raises
    ------
    SettingsError
        Says why there is none.
    """
    reason = why_not_exact(mechanism)
    if reason:
        raise SettingsError(f"{mechanism.description.source}: route 'exact' does not apply: {reason}")
