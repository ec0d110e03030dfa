# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Machines whose pose is reported in outputs with names: what `api.machines` computes of them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from pkm_identification.machines.capabilities import BodiesFile, require
from pkm_identification.machines.load import load_machine
from pkm_identification.mechanisms.multibody import dynamics, kinematics
from pkm_identification.mechanisms.multibody.kernels.codes import STATUS_NAMES
from pkm_identification.mechanisms.multibody.kinematics import MechanismMotion
from pkm_identification.mechanisms.multibody.mechanism import Mechanism
from pkm_identification.numerics.arrays import FloatArray


@dataclass(frozen=True)
class OutputPoses:
    """Outputs of driven coordinates, with a certificate each.

    Attributes
    ----------
    outputs : ndarray, shape (N, n)
        m or rad; NaN where there is no pose.
    status : tuple of str
        `ok`, `degraded` (near a singularity), or why there is none.
    residual : ndarray, shape (N,)
        Largest gap of a loop, m or rad.
    """

    outputs: FloatArray
    status: tuple[str, ...]
    residual: FloatArray

    @property
    def found(self) -> np.ndarray:
        """Which rows have a pose, shape (N,)."""
        return np.all(np.isfinite(self.outputs), axis=1)


def output_motion(
    machine: Mechanism | str | Path, outputs: ArrayLike, rate: ArrayLike, acceleration: ArrayLike
) -> MechanismMotion:
    """Return the motion of a machine by its outputs, for `forces`.

    Parameters
    ----------
    machine : str, Path or Mechanism
    outputs, rate, acceleration : array, shape (n,) or (N, n)
        m or rad and their derivatives, in the order of the file (`output_names`); the drives' coordinates where a file
        names no outputs.

    Raises
    ------
    MotionRefused
        If a row is out of reach or singular: names it and what is in the way.
    SettingsError
        If it is a hexapod, whose motions are `PlatformMotion`.

    Examples
    --------
    At rest the three sliders carry the table's weight:

    >>> import pkm_identification as pkm
    >>> still = pkm.output_motion("mast", [0.4, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0])
    >>> float(pkm.forces("mast", still).sum().round(4))
    22.2687
    """
    mechanism = require(load_machine(machine), BodiesFile, "output_motion").mechanism
    return kinematics.motion_of_outputs(mechanism, outputs, rate, acceleration)


def drives_of(mechanism: Mechanism, outputs: ArrayLike) -> FloatArray:
    """Driven coordinates (n,) or (N, n) of outputs of the same shape; MotionRefused if a row is out of reach."""
    q = kinematics.close_outputs(mechanism, outputs).required(np.atleast_2d(outputs), "outputs")
    drives = kinematics.read(mechanism, "drives", q)
    return drives[0] if np.ndim(outputs) == 1 else drives


def poses_of(mechanism: Mechanism, drives: ArrayLike) -> OutputPoses:
    """Outputs of driven coordinates (n,) or (N, n), in home's assembly mode."""
    closed = kinematics.close_drives(mechanism, drives)
    outputs = kinematics.read(mechanism, "outputs", closed.configuration)
    outputs[~closed.found] = np.nan
    return OutputPoses(outputs, tuple(STATUS_NAMES[status] for status in closed.status), closed.residual)


def driven_forces(mechanism: Mechanism, motion: object, friction: bool) -> FloatArray:
    """Driven forces (N, n) of a motion of `output_motion`."""
    if not isinstance(motion, MechanismMotion):
        raise TypeError(f"motion is a {type(motion).__name__}; of this machine it is made by output_motion")
    return dynamics.forces(mechanism, motion, friction=friction)
