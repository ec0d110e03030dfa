# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Mechanisms that are no hexapods: load, and compute what `api.machines` computes of a hexapod."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from pkm_identification.mechanisms.multibody import dynamics, kinematics
from pkm_identification.mechanisms.multibody.kernels.codes import STATUS_NAMES
from pkm_identification.mechanisms.multibody.kinematics import MechanismMotion
from pkm_identification.mechanisms.multibody.loading import hexapod_or_mechanism
from pkm_identification.mechanisms.multibody.mechanism import Mechanism
from pkm_identification.numerics.arrays import FloatArray

AnyMechanism = Mechanism | str | Path


@dataclass(frozen=True)
class MechanismPoses:
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


def load_mechanism(mechanism: AnyMechanism) -> Mechanism:
    """A mechanism by its built-in name (`mast`, `four-bar`, ...) or the path of its YAML file; also of a hexapod.

    Parameters
    ----------
    mechanism : str, Path or Mechanism
        A mechanism is given back as it is; a hexapod becomes the mechanism of thirteen bodies that it is.

    Raises
    ------
    MachineError
        If there is no such mechanism or its file is wrong: names the key, the value and what is allowed.

    Examples
    --------
    >>> import pkm_identification as pkm
    >>> table = pkm.load_mechanism("mast")
    >>> table.output_names, table.degrees_of_freedom
    (('z', 'psi', 'theta'), 3)
    """
    if isinstance(mechanism, Mechanism):
        return mechanism
    loaded = hexapod_or_mechanism(mechanism)
    return loaded if isinstance(loaded, Mechanism) else Mechanism.from_machine(loaded)


def mechanism_motion(
    mechanism: AnyMechanism, outputs: ArrayLike, rate: ArrayLike, acceleration: ArrayLike
) -> MechanismMotion:
    """The motion of a mechanism by its outputs, for `forces`.

    Parameters
    ----------
    mechanism : str, Path or Mechanism
    outputs, rate, acceleration : array, shape (n,) or (N, n)
        m or rad and their derivatives, in the order of `Mechanism.output_names`.

    Raises
    ------
    MotionRefused
        If a row is out of reach or singular: names it and what is in the way.

    Examples
    --------
    At rest the three sliders carry the table's weight:

    >>> import pkm_identification as pkm
    >>> still = pkm.mechanism_motion("mast", [0.4, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0])
    >>> float(pkm.forces("mast", still).sum().round(4))
    22.2687
    """
    return kinematics.motion_of_outputs(load_mechanism(mechanism), outputs, rate, acceleration)


def drives_of(mechanism: Mechanism, outputs: ArrayLike) -> FloatArray:
    """Driven coordinates (n,) or (N, n) of outputs of the same shape; MotionRefused if a row is out of reach."""
    q = kinematics.close_outputs(mechanism, outputs).required(np.atleast_2d(outputs), "outputs")
    drives = kinematics.read(mechanism, "drives", q)
    return drives[0] if np.ndim(outputs) == 1 else drives


def poses_of(mechanism: Mechanism, drives: ArrayLike) -> MechanismPoses:
    """Outputs of driven coordinates (n,) or (N, n), in home's assembly mode."""
    closed = kinematics.close_drives(mechanism, drives)
    outputs = kinematics.read(mechanism, "outputs", closed.configuration)
    outputs[~closed.found] = np.nan
    return MechanismPoses(outputs, tuple(STATUS_NAMES[status] for status in closed.status), closed.residual)


def driven_forces(mechanism: Mechanism, motion: object, friction: bool) -> FloatArray:
    """Driven forces (N, n) of a motion of `mechanism_motion`."""
    if not isinstance(motion, MechanismMotion):
        raise TypeError(f"motion is a {type(motion).__name__}; a mechanism's is made by mechanism_motion")
    return dynamics.forces(mechanism, motion, friction=friction)
