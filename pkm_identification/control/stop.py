"""What the drives are told in an emergency stop: the place held while it is seen, the weight alone when it is not."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from pkm_identification.motion import STRUTS
from pkm_identification.numerics.arrays import FloatArray

from .pid import StrutController
from .settings import Command

# Reasons after which the lengths are not to be trusted, even if there are some again.
BLIND = ("lost_input", "not_finite", "no_pose")


@dataclass(frozen=True)
class Holding:
    """How a place is held.

    Attributes
    ----------
    loops : StrutController
        Six loops on lengths alone; the model may be what went wrong.
    force_limit : float
        N.
    furthest : float
        m; a strut further away after `braking` s is not held by this, and pushing on would make it worse.
    braking : float
        s that the machine may take to come to rest.
    """

    loops: StrutController
    force_limit: float
    furthest: float
    braking: float


class EmergencyStop:
    """An emergency and what is commanded in it.

    Parameters
    ----------
    reason, text : str
    place : ndarray, shape (6,)
        Lengths measured last, m.
    force : ndarray, shape (6,)
        N, commanded when the lengths are not (or no longer) to be trusted; what a hold begins with.
    holding : Holding or None
        None: `force` from the beginning.

    Attributes
    ----------
    holding : Holding or None
        None once the place is no longer held.
    command : Command
        The newest.
    """

    def __init__(
        self, reason: str, text: str, place: FloatArray, force: FloatArray, holding: Holding | None
    ) -> None:
        self.reason = reason
        self.text = text
        self.holding = holding
        self._place = np.array(place, dtype=float)
        self._force = force
        self._passed = 0.0
        self._saturated = np.zeros(STRUTS, dtype=bool)
        self.command = self._passive()
        if holding is not None:
            holding.loops.reset(force)

    def step(self, time: float, length: FloatArray, span: float) -> None:
        """Answer one more sample: stamp in s, lengths (6,) in m, and how long ago the one before was, s."""
        held = self.holding
        if held is None:
            return
        self._passed += span
        error = held.loops.observe(length, self._place, span)
        away = float(np.abs(error).max())
        if self._passed > held.braking and away > held.furthest:
            self.let_go(f"a strut is {away:.4f} m from where it is held")
            return
        held.loops.integrate(error, self._saturated, span)
        wanted = held.loops.integral + held.loops.proportional_derivative(error)
        force = np.clip(wanted, -held.force_limit, held.force_limit)
        self._saturated = force != wanted
        self.command = replace(
            self.command, time=time, force=force, error=error, feedback=force - self._force
        )

    def let_go(self, why: str) -> None:
        """Hold the place no longer: its lengths are lost, implausible, or do not follow."""
        if self.holding is not None:
            self.holding = None
            self.text += f"; no longer held in place: {why}"
            self.command = self._passive()

    def _passive(self) -> Command:
        zero = np.zeros(STRUTS)
        return Command(0.0, self._force, self._place, zero, zero, self._force, zero)
