# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What is between drives and platform of a plant whose friction or stiffness no machine file can describe."""

from __future__ import annotations

import numpy as np

from pkm_identification.mechanisms.friction import padded_coefficients
from pkm_identification.mechanisms.hexapod.dynamics.joint_friction import compute_joint_rates
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import STRUTS
from pkm_identification.numerics.arrays import FloatArray

from ..actuated.stepping import Dynamics, Motion
from ..loops.closure import Closure
from .setup import TrainErrors
from .train_stepping import BRISTLE_DAMPING as BRISTLE_DAMPING_ROW
from .train_stepping import (
    BY_LOAD,
    POSITION,
    Present,
    Train,
    advance_train,
    present_forces,
)

STRUT_DAMPING = 0.05  # damping ratio of an elastic strut
BRISTLE_DAMPING = 0.5  # damping ratio of the bristles
AXES_PER_STRUT = 6  # three at each end


class DriveTrain:
    """Friction and elasticity of one plant, with their states.

    Parameters
    ----------
    machine : Machine
        The truth.
    friction : bool
        Whether it has friction along the struts and in the joints.
    errors : TrainErrors
    apparent_mass : ndarray, shape (6,)
        kg each drive feels at home: what damping ratios refer to.
    stops : ndarray, shape (4, 6)
        As of `Resistance`.
    home : ndarray, shape (6,)
        Lengths at home, m.
    """

    def __init__(
        self,
        machine: Machine,
        friction: bool,
        errors: TrainErrors,
        apparent_mass: FloatArray,
        stops: FloatArray,
        home: FloatArray,
    ) -> None:
        self._elastic = errors.compliance > 0.0
        self._compliance = errors.compliance
        joints = machine.joint_friction if friction else None
        self._machine = machine
        self._rubbing_joints = joints is not None and joints.acts
        self._axes = np.zeros((2, AXES_PER_STRUT * STRUTS if self._rubbing_joints else 0, STRUTS))
        self._state = np.zeros((3, STRUTS))
        share = 1.0 if friction else 0.0
        own = machine.friction
        coulomb = share * own.coulomb
        coefficients = share * own.coefficients
        stiffness = np.zeros(STRUTS)
        if errors.presliding > 0.0:
            stiffness = coulomb / errors.presliding
            coefficients = np.array(coefficients)
            coefficients[own.law.names.index("coulomb")] = 0.0
        spring = 1.0 / errors.compliance if self._elastic else 0.0
        self._train = Train(
            law=own.law_parameters,
            coefficients=padded_coefficients(np.ascontiguousarray(coefficients).ravel(), STRUTS),
            stops=stops,
            struts=np.array(
                [
                    coulomb,
                    coulomb * errors.asymmetry,
                    stiffness,
                    2 * BRISTLE_DAMPING * np.sqrt(stiffness * apparent_mass),
                    np.full(STRUTS, spring),
                    2 * STRUT_DAMPING * np.sqrt(spring * apparent_mass),
                    np.full(STRUTS, machine.motor_mass if self._elastic else 0.0),
                    home,
                ]
            ),
            alike=np.array(
                [
                    errors.excess,
                    errors.stribeck_rate,
                    share * errors.by_load,
                    errors.by_position,
                ]
            ),
            joints=np.zeros((4, STRUTS)) if joints is None else joints.coefficients.copy(),
            joint_law=np.array(
                [
                    1.0 if joints is None else joints.transition_rate,
                    machine.base_joint == "universal",
                    machine.hinged_platform,
                ]
            ),
        )

        self._made = Train(*(part.copy() for part in self._train))

    def settle(self, length: FloatArray, force: FloatArray) -> None:
        """At rest under drive forces (6,) in N: springs carry them, bristles are straight."""
        self._state[:] = 0.0
        self._state[POSITION] = length + self._compliance * force

    def scale_friction(self, factor: float) -> None:
        """Let all friction be `factor` times what it was made with."""
        nominal = self._made
        self._train.coefficients[:] = factor * nominal.coefficients
        self._train.struts[:BRISTLE_DAMPING_ROW] = factor * nominal.struts[:BRISTLE_DAMPING_ROW]
        self._train.alike[BY_LOAD] = factor * nominal.alike[BY_LOAD]
        self._train.joints[:] = factor * nominal.joints

    def position(self, length: FloatArray) -> FloatArray:
        """Return what the encoders are on, (6,) in m: the motor side, where struts are elastic."""
        return self._state[POSITION].copy() if self._elastic else length

    def evaluate(self, end: int, position: FloatArray, closure: Closure) -> None:
        """Follow the joints' axes to a pose.

        Parameters
        ----------
        end : int
            0 or 1, of the period.
        position : ndarray, shape (3,)
            Of the platform, m.
        closure : Closure
        """
        if self._rubbing_joints:
            rows = compute_joint_rates(self._machine, position, closure.rotation).reshape(-1, 6)
            self._axes[end] = rows @ np.linalg.inv(closure.jacobian)

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
        """Write strut rates, resistances and the joints' part of these at the present instant."""
        present_forces(twist, length, jacobian, self._axes[0], force, self._train, self._state, present)
