# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What is between drives and mechanism of a plant whose friction or stiffness no machine file can describe."""

from __future__ import annotations

import numpy as np

from pkm_identification.mechanisms.friction import Friction, padded_coefficients
from pkm_identification.numerics.arrays import FloatArray

from ..actuated.stepping import Dynamics, Motion
from .setup import TrainErrors
from .train_stepping import BRISTLE_DAMPING as BRISTLE_DAMPING_ROW
from .train_stepping import (
    BY_LOAD,
    POSITION,
    JointAxes,
    Present,
    Train,
    advance_train,
    present_forces,
)

NO_TRAIN = (
    "machine '{}': has an 'actuator' and also friction of joints, presliding or elastic drives; the simulator "
    "takes one or the other"
)
DRIVE_DAMPING = 0.05  # damping ratio of an elastic drive
BRISTLE_DAMPING = 0.5  # damping ratio of the bristles


class DriveTrain:
    """Friction and elasticity of one plant of n drives, with their states.

    Parameters
    ----------
    friction : Friction
        Of the drives; all of it zero where the plant has none.
    errors : TrainErrors
        Whose friction by load is left out where the drives have no friction.
    joints : JointAxes
        Friction of passive joints; of none where no joint rubs.
    apparent_mass : ndarray, shape (n,)
        kg or kg m^2 each drive feels at home: what damping ratios refer to.
    motor_mass : ndarray, shape (n,)
        kg or kg m^2 on the motor side of elastic drives.
    stops : ndarray, shape (4, n)
        As of `Resistance`.
    home : ndarray, shape (n,)
        Coordinates at home, m or rad.
    """

    def __init__(
        self,
        friction: Friction,
        errors: TrainErrors,
        joints: JointAxes,
        *,
        apparent_mass: FloatArray,
        motor_mass: FloatArray,
        stops: FloatArray,
        home: FloatArray,
    ) -> None:
        count = len(home)
        self._elastic = errors.compliance > 0.0
        self._compliance = errors.compliance
        self._axes = np.zeros((2, len(joints.triple), count))
        self._state = np.zeros((3, count))
        coulomb, coefficients, stiffness = friction.coulomb, friction.coefficients, np.zeros(count)
        if errors.presliding > 0.0:
            stiffness = coulomb / errors.presliding
            coefficients = np.array(coefficients)
            coefficients[friction.law.names.index("coulomb")] = 0.0
        spring = 1.0 / errors.compliance if self._elastic else 0.0
        self._train = Train(
            laws=friction.laws,
            coefficients=padded_coefficients(np.ascontiguousarray(coefficients).ravel(), count),
            stops=stops,
            drives=np.array(
                [
                    coulomb,
                    coulomb * errors.asymmetry,
                    stiffness,
                    2 * BRISTLE_DAMPING * np.sqrt(stiffness * apparent_mass),
                    np.full(count, spring),
                    2 * DRIVE_DAMPING * np.sqrt(spring * apparent_mass),
                    motor_mass if self._elastic else np.zeros(count),
                    home,
                ]
            ),
            alike=np.array([errors.excess, errors.stribeck_rate, errors.by_load, errors.by_position]),
            joints=joints,
        )
        self._made = self._train._replace(
            coefficients=self._train.coefficients.copy(), drives=self._train.drives.copy(),
            alike=self._train.alike.copy(), joints=joints._replace(coefficients=joints.coefficients.copy()),
        )  # fmt: skip

    def settle(self, length: FloatArray, force: FloatArray) -> None:
        """At rest under drive forces (n,): springs carry them, bristles are straight."""
        self._state[:] = 0.0
        self._state[POSITION] = length + self._compliance * force

    def scale_friction(self, factor: float) -> None:
        """Let all friction be `factor` times what it was made with."""
        nominal = self._made
        self._train.coefficients[:] = factor * nominal.coefficients
        self._train.drives[:BRISTLE_DAMPING_ROW] = factor * nominal.drives[:BRISTLE_DAMPING_ROW]
        self._train.alike[BY_LOAD] = factor * nominal.alike[BY_LOAD]
        self._train.joints.coefficients[:] = factor * nominal.joints.coefficients

    def position(self, length: FloatArray) -> FloatArray:
        """Return what the encoders are on, (n,): the motor side, where drives are elastic."""
        return self._state[POSITION].copy() if self._elastic else length

    def evaluate(self, end: int, axes: FloatArray) -> None:
        """Take rates of the joints' axes per rate of a drive (m, n) at an end of the period, 0 or 1."""
        self._axes[end] = axes

    def advance(self, motion: Motion, ends: Dynamics, force: FloatArray, duration: float, steps: int) -> None:
        """Move a motion on, in place; see `train_stepping.advance_train`. The states it ends with wait for `accept`."""
        self._reached = self._state.copy()
        advance_train(motion, ends, force, self._axes, self._train, self._reached, duration, steps)

    def accept(self) -> None:
        """Take over the states at the end of a period, whose dynamics become those of the next one's start."""
        self._state = self._reached
        self._axes[0] = self._axes[1]

    def present(
        self,
        twist: FloatArray,
        length: FloatArray,
        jacobian: FloatArray,
        force: FloatArray,
        present: Present,
    ) -> None:
        """Write the drives' rates, resistances and the joints' part of these at the present instant."""
        present_forces(twist, length, jacobian, self._axes[0], force, self._train, self._state, present)
