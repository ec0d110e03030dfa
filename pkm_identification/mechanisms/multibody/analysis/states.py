# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""States in which a mechanism is asked for its structure: its stated motion, or random ones around home.

Random states are decimal numbers of few places, so that they are the same states in every arithmetic.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from pkm_identification.errors import MotionRefused

from ..dynamics import regressor
from ..kinematics import MechanismMotion, close_drives, motion_of_drives, read
from ..mechanism import Mechanism
from ..numbers.arithmetic import FLOAT64
from ..series import series_drives

# Of the room between home and a drive's limits; m or rad where a drive has none.
_SHARE, _SPAN = 0.4, 0.3
_PACE = 6  # 1/s: rates are offsets times this, accelerations times its square
_PLACES = 4
_HALVINGS = 6


def random_drives(mechanism: Mechanism, count: int, seed: int = 0) -> tuple[Any, Any, Any]:
    """Driven coordinates, rates and accelerations, (count, n) fractions each, of independent states around home.

    Raises
    ------
    MotionRefused
        If the mechanism cannot leave home.
    """
    rng = np.random.default_rng(seed)
    home, span = _find_room(mechanism)
    offset = rng.uniform(-1, 1, (count, len(home)))
    for _ in range(_HALVINGS):
        closed = close_drives(mechanism, FLOAT64.array(_round_decimals(home + span * offset))).found
        if closed.all():
            break
        # a state out of reach is tried nearer to home
        offset[~closed] /= 2
    else:
        k = int(np.argmin(closed))
        nearest = ", ".join(
            f"{drive.name} {value:.3g}"
            for drive, value in zip(mechanism.description.drives, span * offset[k], strict=True)
        )
        raise MotionRefused(
            f"{mechanism.description.source}: the loops cannot be closed near home, not even this far from it (m, "
            f"rad): {nearest}. Correct the lengths or home (`pkm mechanism --out DIR` draws it), or narrow the "
            "drives' limits"
        )
    rate, second = rng.normal(size=(2, count, len(home)))
    return (
        _round_decimals(home + span * offset),
        _round_decimals(_PACE * span * rate),
        _round_decimals(_PACE**2 * span * second),
    )


def _find_room(mechanism: Mechanism) -> tuple[np.ndarray, np.ndarray]:
    """Return where the drives stand at home, and how far states go from there."""
    home = np.array(read(mechanism, "drives", mechanism.home[None])[0], dtype=float)
    span = np.full(len(home), _SPAN)
    for i, drive in enumerate(mechanism.description.drives):
        if drive.limits is not None:
            low, high = FLOAT64.array(drive.limits)
            span[i] = _SHARE * max(min(high - home[i], home[i] - low), 0.0)
    return home, span


def _round_decimals(values: np.ndarray) -> Any:
    """Return numbers as fractions of so many decimal places."""
    fractions = np.empty(values.shape, dtype=object)
    for index, value in np.ndenumerate(values):
        fractions[index] = Fraction(round(float(value) * 10**_PLACES), 10**_PLACES)
    return fractions


def compute_structure_motion(
    mechanism: Mechanism, count: int, digits: int | None = None, seed: int = 0
) -> tuple[Mechanism, MechanismMotion]:
    """Return the description's motion, or `count` random states if it states none, in double or in so many digits.

    The mechanism comes with it, in the arithmetic that the motion is in.

    Parameters
    ----------
    mechanism : Mechanism
        In float64.
    count, seed : int
        Of random states.
    digits : int or None
        Double precision if None.

    Raises
    ------
    MotionRefused
        If a state is out of reach or singular, or the stated motion rests.
    """
    if mechanism.description.motion is not None:
        target = series_drives(mechanism)[1:]
    else:
        states = random_drives(mechanism, count, seed)
        target = tuple(FLOAT64.array(part) for part in states)
    rough = motion_of_drives(mechanism, *target)
    if not (rough.drive_rate.any() or rough.drive_acceleration.any()):
        shown = np.linalg.matrix_rank(
            regressor(mechanism, rough).reshape(-1, len(mechanism.parameters.ravel()))
        )
        raise MotionRefused(
            f"{mechanism.description.source}: it stands still and determines nothing but gravity: {shown} combinations"
        )
    if digits is None:
        return mechanism, rough
    precise = mechanism.with_digits(digits)
    array = precise.arithmetic.array
    if mechanism.description.motion is not None:
        target = series_drives(precise)[1:]
    else:
        target = tuple(array(part) for part in states)
    # from where double precision came to, a few steps are left
    return precise, motion_of_drives(precise, *target, start=array(rough.configuration))
