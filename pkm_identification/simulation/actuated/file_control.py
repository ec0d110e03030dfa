# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Moving a plant on as its machine file's `control` says, where a law commands the drives together."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from pkm_identification.control.laws.computed_torque import ComputedTorque
from pkm_identification.control.laws.workspace import WorkspaceControl
from pkm_identification.errors import MotionRefused, NotConverged, SettingsError
from pkm_identification.machines.contract import DEGRADED, Machine
from pkm_identification.mechanisms.actuators.control_section import MachineControl
from pkm_identification.numerics.arrays import FloatArray

from .plant import ActuatedPlant

_WHOLE = 1e-6
_Wanted = tuple[FloatArray, FloatArray | None]


class FileControl:
    """A law of a machine file and the plant it acts on.

    Parameters
    ----------
    control : MachineControl
    machine : Machine
        What the law believes.
    plant : ActuatedPlant
    shown : callable
        Returns the coordinates (n,) the encoders show now.
    limited : callable, optional
        What becomes of the forces (n,) the law asks for.
    """

    def __init__(
        self,
        control: MachineControl,
        machine: Machine,
        plant: ActuatedPlant,
        shown: Callable[[], FloatArray],
        limited: Callable[[FloatArray], FloatArray] = np.asarray,
    ) -> None:
        self._plant, self._shown, self._limited = plant, shown, limited
        self._machine = machine
        self.period = control.slowest_period
        """s, between two calls of the law."""
        self._torque: ComputedTorque | None = None
        self._workspace: WorkspaceControl | None = None
        if control.computed_torque is not None:
            law = control.computed_torque
            self._torque = ComputedTorque(
                machine, law.position_gain, law.rate_gain, law.period, control.workspace
            )
        elif control.workspace:
            self._workspace = WorkspaceControl(machine)

    @classmethod
    def of(
        cls,
        control: MachineControl | None,
        machine: Machine,
        plant: ActuatedPlant,
        shown: Callable[[], FloatArray],
        limited: Callable[[FloatArray], FloatArray] = np.asarray,
    ) -> FileControl | None:
        """Return the law of a file; None where its drives go by themselves or take forces from elsewhere."""
        if control is None or not (control.workspace or control.computed_torque):
            return None
        return cls(control, machine, plant, shown, limited)

    def reset(self) -> None:
        """Begin again at rest."""
        for law in (self._torque, self._workspace):
            if law is not None:
                law.reset()

    def move(self, wanted: Callable[[float], _Wanted], duration: float) -> None:
        """Move the plant on by `duration` s, a whole number of the law's periods.

        Parameters
        ----------
        wanted : callable
            Driven coordinates (n,) and rates by s from now; None for rates that are not known.
        duration : float

        Raises
        ------
        SettingsError
            If the period does not go into it.
        MotionRefused
            If a wanted place is out of reach.
        NotConverged
            If the mechanism leaves its reach: names the time and where its drives are.
        """
        calls = round(duration / self.period)
        if calls < 1 or abs(calls * self.period - duration) > _WHOLE * duration:
            raise SettingsError(
                f"control: a period of {self.period:g} s does not go into the samples' {duration:g} s: "
                "give a whole part of it"
            )
        later = wanted(0.0)
        for k in range(calls):
            now, later = later, wanted((k + 1) * self.period)
            shown = self._shown()
            try:
                self._call(shown, now, later[1])
            except MotionRefused:
                if not self._is_reachable(now[0]):
                    raise
                places = ", ".join(f"{value:.4g}" for value in shown)
                raise NotConverged(
                    f"the simulation diverged at {self._plant.time:.4f} s: drives at ({places}), which the "
                    "mechanism cannot reach"
                ) from None

    def _call(self, shown: FloatArray, now: _Wanted, later_rate: FloatArray | None) -> None:
        position, rate = now
        if self._torque is not None:
            # the mean over the period for which the forces are held
            curvature = None if rate is None or later_rate is None else (later_rate - rate) / self.period
            force = self._torque.step(shown, position, rate, curvature)
            self._plant.push(self._limited(force), self.period)
        elif self._workspace is not None:
            reference = self._workspace.step(shown, position)
            self._plant.follow(reference, np.array(reference), self.period)

    def _is_reachable(self, drive: FloatArray) -> bool:
        """Return whether the machine can be at these driven coordinates (n,)."""
        still = np.zeros((1, len(drive)))
        return bool(self._machine.compute_motion(drive[None], still, still).status[0] <= DEGRADED)
