# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Workspace control in the controller: X' = k_p (X_c - X), turned into rates of the drives by J^-1."""

from __future__ import annotations

import numpy as np

from pkm_identification.machines.contract import OK, Machine, Motion
from pkm_identification.numerics.arrays import FloatArray

from .follower import Setpoint
from .laws.space import Space


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
