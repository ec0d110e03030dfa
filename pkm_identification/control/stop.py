# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What the drives are told in an emergency stop: the place held while it is seen, the weight alone when it is not."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pkm_identification.machines.contract import Drive
from pkm_identification.numerics.arrays import FloatArray

from .pid import StrutController
from .settings import Command

# Reasons after which the coordinates are not to be trusted, even if there are some again. `no_pose` is none of them: a
# little beyond a singular pose good lengths have none, and loops on coordinates need none.
BLIND = ("lost_input", "not_finite")


@dataclass(frozen=True)
class Holding:
    """How a place is held.

    Attributes
    ----------
    drives : tuple of Drive, length n
    loops : StrutController
        Loops on coordinates alone; the model may be what went wrong.
    force_limit : ndarray, shape (n,)
        N or N m.
    furthest : ndarray, shape (n,)
        m or rad; a drive further away after `braking` s is not held by this, and pushing on would make it worse. One
        that is further away before and goes on faster than it moved at the stop is pushed that way by its own loop.
    braking : float
        s that the machine may take to come to rest.
    """

    drives: tuple[Drive, ...]
    loops: StrutController
    force_limit: FloatArray
    furthest: FloatArray
    braking: float


class EmergencyStop:
    """An emergency and what is commanded in it.

    Parameters
    ----------
    reason, text : str
    coordinate : ndarray, shape (n,)
        Coordinates measured last, m or rad.
    force : ndarray, shape (n,)
        N or N m, commanded when the coordinates are not (or no longer) to be trusted; what a hold begins with.
    holding : Holding or None
        None: `force` from the beginning.
    turned : ndarray of bool, shape (n,), optional
        Drives whose coordinates change the wrong way: their loops would push them on, and are left out.

    Attributes
    ----------
    holding : Holding or None
        None once the place is no longer held.
    command : Command
        The newest.
    """

    def __init__(
        self,
        reason: str,
        text: str,
        position: FloatArray,
        force: FloatArray,
        holding: Holding | None,
        turned: NDArray[np.bool_] | None = None,
    ) -> None:
        self.reason = reason
        self.text = text
        self.holding = holding
        self._place = np.array(position, dtype=float)
        self._force = force
        self._passed = 0.0
        count = len(self._place)
        self._left_out = np.zeros(count, dtype=bool) if turned is None else turned.copy()
        self._half_way = np.full(count, np.nan)
        self._saturated = np.zeros(count, dtype=bool)
        self.command = self._passive()
        if holding is not None:
            holding.loops.reset(force)

    def step(self, time: float, coordinate: FloatArray, span: float) -> None:
        """Answer one more sample: stamp in s, coordinates (n,), and how long ago the one before was, s."""
        held = self.holding
        if held is None:
            return
        self._passed += span
        error = held.loops.observe(coordinate, self._place, span)
        self._leave_out(error, held)
        error = np.where(self._left_out, 0.0, error)
        away = np.abs(error)
        if self._passed > held.braking and (away > held.furthest).any():
            i = int(np.argmax(away - held.furthest))
            self.let_go(
                f"a {held.drives[i].part} is {away[i]:.4f} {held.drives[i].unit} from where it is held"
            )
            return
        held.loops.integrate(error, self._saturated, span)
        wanted = held.loops.integral + held.loops.proportional_derivative(error)
        wanted = np.where(self._left_out, self._force, wanted)
        force = np.clip(wanted, -held.force_limit, held.force_limit)
        self._saturated = force != wanted
        self.command = replace(
            self.command, time=time, force=force, error=error, feedback=force - self._force
        )

    def _leave_out(self, error: FloatArray, held: Holding) -> None:
        """Stop the loops of drives that go the further the more they are held; of several, the furthest first.

        One that is braked is slower where it leaves the allowed way than half way there, one that is pushed is faster.
        """
        leaving = np.sign(error) * held.loops.error_rate
        away = np.where(self._left_out, 0.0, np.abs(error))
        half_way = np.isnan(self._half_way) & (away > 0.5 * held.furthest)
        self._half_way[half_way] = leaving[half_way]
        i = int(np.argmax(away / held.furthest))
        if away[i] > held.furthest[i] and leaving[i] > max(self._half_way[i], 0.0):
            self._left_out[i] = True
            what = "angle" if held.drives[i].unit == "rad" else "length"
            self.text += f"; {held.drives[i].title} moves away from where it is held: its {what} is not used"

    def let_go(self, why: str) -> None:
        """Hold the place no longer: its coordinates are lost, implausible, or do not follow."""
        if self.holding is not None:
            self.holding = None
            self.text += f"; the position is no longer held: {why}"
            self.command = self._passive()

    def _passive(self) -> Command:
        zero = np.zeros(len(self._place))
        return Command(0.0, self._force, self._place, zero, zero, self._force, zero, zero)
