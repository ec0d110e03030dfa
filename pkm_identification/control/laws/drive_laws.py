# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Laws from a machine's model to its drives that are compared with each other, all with the same wanted dynamics.

With e the drives' error, a = w^2 e + 2 D w e' the acceleration that is asked for, M(q) the mass that the drives feel,
g(q) their forces at rest and q_0 home:

    position        F = diag(M(q_0)) a + g(q_0)
    gravity         F = diag(M(q_0)) a + g(q)
    scheduling      F = diag(M(q)) a + g(q)               effective-mass gain scheduling (Machielsen 1983, 8.2)
    decoupling      F = M(q_0) a + g(q)
    computed torque F = M(q) (a + q_d'') + c(q, q') + g(q)

To each comes the drives' friction: of the wanted rate, and viscous friction of the rate w e as well.

Drives with valves take places, not forces. There the place given to a drive's own loop is changed: by what its loop
needs for the force of the model, F = g(q_d) or the whole inverse dynamics of the wanted motion; or so that its error
counts by the root of the effective mass, as the oil's frequency falls with that root.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from pkm_identification.machines.contract import Machine
from pkm_identification.mechanisms.actuators.base import Actuator
from pkm_identification.mechanisms.friction import friction_force
from pkm_identification.mechanisms.multibody import dynamics, kinematics
from pkm_identification.mechanisms.multibody.mechanism import Mechanism
from pkm_identification.numerics.arrays import FloatArray

from ..follower import Setpoint
from ..inverse_dynamics import InverseDynamics
from ..pid import ControlSettings

FAST = 0.1  # m/s or rad/s, beyond every transition of friction
DAMPING = 1.0  # ratio that every law asks for: no overshoot of its own
FORCE_LAWS = ("position", "gravity", "scheduling", "decoupling", "computed torque")
PLACE_LAWS = ("position", "gravity", "scheduling", "force feed-forward")


class Wanted(NamedTuple):
    """Places, rates and accelerations (n,) of the drives."""

    place: FloatArray
    rate: FloatArray
    acceleration: FloatArray


class DriveModel:
    """What a law believes of a machine: mass and forces of its drives by where they are.

    Parameters
    ----------
    mechanism : Mechanism
    actuators : sequence of Actuator
    """

    def __init__(self, mechanism: Mechanism, actuators: Sequence[Actuator]) -> None:
        self._mechanism, self._near = mechanism, mechanism.home[None]
        self.actuators = tuple(actuators)
        self._behind = np.diag([one.inertia_behind for one in actuators])
        home = kinematics.read(mechanism, "drives", mechanism.home)[0]
        self.home_mass, self.home_force = self.mass(home), self.force(home)

    def mass(self, position: FloatArray) -> FloatArray:
        """Return the mass (n, n) that the drives feel, what turns with their motors included."""
        at = kinematics.close_drives(self._mechanism, position[None], self._near).required(
            position[None], "drives"
        )
        self._near = at
        return np.asarray(dynamics.mass_matrix(self._mechanism, at)[0], dtype=float) + self._behind

    def force(
        self, position: FloatArray, rate: FloatArray | None = None, second: FloatArray | None = None
    ) -> FloatArray:
        """Return forces (n,) that a motion needs, friction apart; at rest unless rates are given."""
        still = np.zeros_like(position)
        rate, second = still if rate is None else rate, still if second is None else second
        motion = kinematics.motion_of_drives(self._mechanism, position[None], rate[None], second[None])
        own = np.asarray(dynamics.forces(self._mechanism, motion, friction=False)[0], dtype=float)
        return own + self._behind @ second

    def friction(self, rate: FloatArray) -> FloatArray:
        """Return the drives' friction (n,) on the mechanism and inside them at rates (n,)."""
        inside = [one.friction(float(v)) for one, v in zip(self.actuators, rate, strict=True)]
        return friction_force(rate, self._mechanism.description.friction) + inside


class ForceLaw:
    """A law of drives that take forces.

    Parameters
    ----------
    name : str
        One of FORCE_LAWS.
    model : DriveModel
    bandwidth : float
        w in rad/s.
    """

    def __init__(self, name: str, model: DriveModel, bandwidth: float) -> None:
        self._name, self._model, self._w = name, model, bandwidth
        # slope of friction where it is not bent
        fast = np.full(len(model.home_force), FAST)
        self._viscous = (model.friction(2.0 * fast) - model.friction(fast)) / FAST

    def ask(self, shown: FloatArray, rate: FloatArray, wanted: Wanted) -> FloatArray:
        """Return the acceleration (n,) that errors of places and rates ask for."""
        return self._w**2 * (wanted.place - shown) + 2.0 * DAMPING * self._w * (wanted.rate - rate)

    def force(self, shown: FloatArray, rate: FloatArray, wanted: Wanted) -> FloatArray:
        """Return forces (n,) for shown places and rates (n,)."""
        rubbing = self._model.friction(wanted.rate) + self._viscous * self._w * (wanted.place - shown)
        return self._force_without_friction(shown, rate, wanted) + rubbing

    def _force_without_friction(self, shown: FloatArray, rate: FloatArray, wanted: Wanted) -> FloatArray:
        model, name = self._model, self._name
        asked = self.ask(shown, rate, wanted)
        if name == "computed torque":
            return model.force(shown, rate, asked + wanted.acceleration)
        if name == "position":
            return np.diag(model.home_mass) * asked + model.home_force
        if name == "decoupling":
            return np.asarray(model.home_mass @ asked) + model.force(shown)
        mass = model.home_mass if name == "gravity" else model.mass(shown)
        return np.diag(mass) * asked + model.force(shown)


class PositionLaw:
    """A law of drives with valves: places for their own loops.

    Parameters
    ----------
    name : str
        One of PLACE_LAWS.
    model : DriveModel
    """

    def __init__(self, name: str, model: DriveModel) -> None:
        self._name, self._model = name, model
        self._start = self._hold(model.home_force)

    def _hold(self, force: FloatArray) -> FloatArray:
        """Places (n,) from where the loops would give these forces at rest."""
        shifts = []
        for one, load in zip(self._model.actuators, force, strict=True):
            state, command = one.equilibrium(float(load), 0.0)
            slope = one.measure(state, 1.0) - one.measure(state, 0.0)
            shifts.append((command - one.measure(state, 0.0)) / slope if slope else 0.0)
        return np.array(shifts)

    def place(self, shown: FloatArray, wanted: Wanted) -> FloatArray:
        """Return places (n,) to give to the drives."""
        model = self._model
        if self._name == "gravity":
            return wanted.place + self._hold(model.force(wanted.place)) - self._start
        if self._name == "force feed-forward":
            return wanted.place + self._hold(model.force(*wanted)) - self._start
        if self._name == "scheduling":
            share = np.sqrt(np.diag(model.home_mass) / np.diag(model.mass(shown)))
            return shown + share * (wanted.place - shown)
        return wanted.place


class DriveTorque:
    """Forces that make every drive's error obey e'' + 2 D w0 e' + w0^2 e = 0, if the model is right.

    Feed-forward is the inverse dynamics of the wanted motion. The feedback asks for accelerations w0^2 e + 2 D w0 e' of
    the drives, which the inverse dynamics turns into forces (its inertia is that of the whole machine, coupling
    included), and for the viscous friction of the rate w0 e.

    The model is evaluated at the wanted motion, not at the measured one: they differ by less than a millimetre, and
    rates from encoder differences would make the friction, which changes sign within 2 mm/s, chatter.

    Parameters
    ----------
    machine : Machine
    settings : ControlSettings
        Bandwidth, damping and the delay they must stand.
    """

    def __init__(self, machine: Machine, settings: ControlSettings) -> None:
        self._dynamics = InverseDynamics(machine)
        omega = settings.omega
        self._omega = omega
        self._stiffness = omega**2
        self._damping = 2 * settings.damping * omega

    def forces(
        self, setpoint: Setpoint, error: FloatArray, error_rate: FloatArray, values: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return feed-forward and feedback, each (n,) in N or N m; NaN where the machine is singular.

        Parameters
        ----------
        setpoint : Setpoint
        error, error_rate : ndarray, shape (n,)
            Wanted less measured coordinate in m or rad, and its rate.
        values : ndarray, shape (B,)
            Of the machine's basis.
        """
        wanted = setpoint.upcoming
        asked = self._stiffness * error + self._damping * error_rate
        accelerations = np.concatenate([wanted.acceleration, wanted.acceleration + asked])
        feed_forward, whole = self._dynamics.compute_accelerated(wanted, accelerations, values)
        return feed_forward, whole - feed_forward + self._dynamics.find_viscous(values) * self._omega * error
