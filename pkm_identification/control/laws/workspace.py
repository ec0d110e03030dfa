# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Workspace control: X' = k_p (X_c - X), turned into rates of the drives by J^-1.

A position loop with gain k_p in a drive asks for the rate k_p (q_c - q). Its wanted coordinate q + J^-1 (X_c - X) makes
that J^-1 X': the platform goes straight to where it is wanted, at the same rate in all directions, and not each drive
by itself.
"""

from __future__ import annotations

import numpy as np

from pkm_identification.machines.contract import OK, Machine, Motion
from pkm_identification.numerics.arrays import FloatArray

from ..follower import Setpoint
from .space import Space


class WorkspaceErrors:
    """Errors of the workspace as errors of drives, J^-1 (X_c - X), X being the platform's pose or the outputs.

    Times k_p they are the rates that bring the machine straight to where it is wanted, at the same rate in all
    directions. To first order they are the errors of the coordinates.

    Parameters
    ----------
    machine : Machine

    Raises
    ------
    SettingsError
        If the machine has neither a pose nor outputs.
    """

    def __init__(self, machine: Machine) -> None:
        self._space = Space(machine, workspace=True)
        self._tracker = machine.create_tracker(np.zeros((len(machine.basis), 0)))
        self._still = np.zeros((1, len(machine.drives)))

    def __call__(self, setpoint: Setpoint, coordinate: FloatArray) -> FloatArray:
        """Return drive errors (n,) for measured coordinates (n,); NaN where these have no place near the wanted one."""
        block, tracker, still = setpoint.block, self._tracker, self._still
        state = tuple(part[setpoint.row : setpoint.row + 1] for part in block.state)
        tracker.take(np.concatenate([part.ravel() for part in state]), still[0])
        if tracker.step(coordinate, still[0], still[0]) != OK:
            return np.full(len(coordinate), np.nan)
        # where the machine shall be is asked for its state alone
        there = Motion(still, still, still, state, block.status, block.residual)
        here = Motion(coordinate[None], still, still, tracker.state, block.status, block.residual)
        return self._space.compute_drive_rate(here, self._space.compute_error(there, here))


class WorkspaceControl:
    """Wanted coordinates of position loops whose error is that of the workspace.

    Parameters
    ----------
    machine : Machine
        What is believed.

    Raises
    ------
    SettingsError
        If the machine has neither a pose nor outputs.
    """

    def __init__(self, machine: Machine) -> None:
        self._space = Space(machine, workspace=True)
        self.reset()

    def reset(self) -> None:
        """Forget where the machine was."""
        self._near: Motion | None = None
        self._wanted: Motion | None = None

    def step(self, coordinate: FloatArray, wanted: FloatArray) -> FloatArray:
        """Return coordinates (n,) to give to the position loops, for shown and wanted ones (n,).

        Raises
        ------
        MotionRefused
            If one of both is out of reach, or the machine is singular.
        """
        space = self._space
        self._near = here = space.move(coordinate, near=self._near)
        self._wanted = there = space.move(wanted, near=self._wanted)
        return coordinate + np.linalg.solve(space.compute_jacobian(here), space.compute_error(there, here))
