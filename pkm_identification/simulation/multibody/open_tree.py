# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""MuJoCo's view of a mechanism's open tree: mass matrix, bias, energy and places of bodies in one state."""

from __future__ import annotations

import numpy as np

from pkm_identification.errors import MachineError
from pkm_identification.mechanisms.multibody.kernels.codes import (
    AXES,
    FRAME_A,
    FRAME_B,
    POINT,
    ROW_KIND,
)
from pkm_identification.mechanisms.multibody.mechanism import Mechanism
from pkm_identification.numerics.arrays import FloatArray

from ..mujoco_library import mujoco
from .mjcf import open_tree_mjcf
from .reduction import LoopConstraints, TreeOrder, measure_gap, place_tree


class OpenTree:
    """The open tree in MuJoCo, in states of the mechanism's own tree.

    MuJoCo's velocities u = S(q) v are the tree's v in another order, with a third hinge wherever a joint has no spin.

    Parameters
    ----------
    mechanism : Mechanism
        In float64.

    Raises
    ------
    MachineError
        If MuJoCo does not take the tree: says why.
    """

    def __init__(self, mechanism: Mechanism) -> None:
        text = open_tree_mjcf(mechanism)
        self.mjcf = text.mjcf
        try:
            self.model = mujoco.MjModel.from_xml_string(text.mjcf)
        except ValueError as error:
            why = " ".join(str(error).split())
            raise MachineError(f"{mechanism.description.source}: MuJoCo does not take it: {why}") from None
        self.data = mujoco.MjData(self.model)
        coordinate, velocity = (
            np.array(order, dtype=np.int64) for order in (text.bodies.coordinate, text.bodies.velocity)
        )
        places, speeds = np.flatnonzero(coordinate >= 0), np.flatnonzero(velocity >= 0)
        spin = np.array(text.bodies.spin, dtype=np.int64).reshape(-1, 3)
        self.order = TreeOrder(places, coordinate[places], speeds, velocity[speeds], spin)
        """Where MuJoCo has the tree's coordinates and velocities."""
        self._mass = np.zeros((self.model.nv, self.model.nv))
        # MuJoCo's own memory, asked for once
        self._place, self._speed, self._bias = self.data.qpos, self.data.qvel, self.data.qfrc_bias
        names = text.bodies.body_names
        self._points, self._axes = (self._constraints(mechanism, names, kind) for kind in (POINT, AXES))

    def _constraints(self, mechanism: Mechanism, names: dict[int, str], kind: int) -> LoopConstraints:
        """Return the loops' constraints of one kind."""
        model = mechanism.model
        rows = [r for r in mechanism.row_numbers("loops") if model.row[r, ROW_KIND] == kind]
        first, second = (
            np.array([self.model.body(names[int(model.row[r, side])]).id for r in rows], dtype=np.int64)
            for side in (FRAME_A, FRAME_B)
        )
        return LoopConstraints(first, second, model.vector[rows])

    def move(self, configuration: FloatArray, velocity: FloatArray) -> None:
        """Put the tree into a state, coordinates (Q,) and velocities (V,), and let MuJoCo evaluate it."""
        place_tree(self.order, configuration, velocity, self._place, self._speed)
        mujoco.mj_fwdPosition(self.model, self.data)
        mujoco.mj_fwdVelocity(self.model, self.data)

    @property
    def mass(self) -> FloatArray:
        """Mass matrix (U, U) of the present state."""
        mujoco.mj_fullM(self.model, self.data, self._mass)
        return self._mass

    @property
    def bias(self) -> FloatArray:
        """Gravity, Coriolis and centripetal forces (U,) of the present state."""
        return self._bias

    @property
    def energy(self) -> float:
        """Kinetic plus potential energy of the bodies, J."""
        mujoco.mj_energyPos(self.model, self.data)
        mujoco.mj_energyVel(self.model, self.data)
        return float(self.data.energy.sum())

    @property
    def gap(self) -> float:
        """Largest residual of the loops' constraints, m or sine of an angle, by where MuJoCo places the bodies."""
        return float(measure_gap(self.data.xpos, self.data.xmat, self._points, self._axes))
