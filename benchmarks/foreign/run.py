# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""A machine in motion, computed without the package's simulator: what each fault is put into.

The drives follow a reference through second-order loops that are pushed at random, integrated by SciPy's DOP853; their
forces are those of the bodies' inverse dynamics at that motion and of friction, and whatever a fault adds. States of a
fault's own (bristles, masses on springs, heat) are integrated by SciPy, too.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.integrate import solve_ivp
from scipy.interpolate import make_interp_spline

from pkm_identification.machines.capabilities import BodiesFile, HexapodFile, NamedOutputs, PlatformPose, has
from pkm_identification.machines.contract import Machine, Motion
from pkm_identification.mechanisms.friction import friction_force
from pkm_identification.mechanisms.hexapod.kinematics.inverse import strut_lengths
from pkm_identification.motion import DriveLog
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.simulation.physics.load import build_physics

BANDWIDTH = 2.0 * np.pi * 15.0  # rad/s, of the drives' loops
DAMPING = 0.7
PUSHED = 0.01  # of the reference's rms acceleration, at random
NOISE = 0.01  # of the rms force
KNOTS = 20  # samples from one knot of the reference to the next: 20 ms
COUNTS = 2e-6  # of a drive's size, where its file states no resolution


@dataclass(frozen=True)
class Run:
    """What a machine does, and what its sensors make of it.

    Attributes
    ----------
    machine : Machine
        The truth.
    time : ndarray, shape (N,)
    motion : Motion
    added : ndarray, shape (N, n)
        Forces of the drives beside those of bodies and friction, N or N m.
    random : Generator
        Of everything that a fault draws.
    """

    machine: Machine
    time: FloatArray
    motion: Motion
    added: FloatArray
    random: np.random.Generator

    @property
    def period(self) -> float:
        return float(self.time[1] - self.time[0])

    @cached_property
    def rigid(self) -> FloatArray:
        """Forces (N, n) of the bodies."""
        return self.machine.compute_forces(self.motion, self.machine.basis.nominal)

    @cached_property
    def friction(self) -> FloatArray:
        """Friction (N, n) of the drives by the machine's law."""
        rate, laws = self.motion.rate, self.machine.friction
        return np.stack([friction_force(rate[:, k : k + 1], law)[:, 0] for k, law in enumerate(laws)], axis=1)

    @property
    def force(self) -> FloatArray:
        """Forces (N, n) of the drives."""
        return self.rigid + self.friction + self.added

    @cached_property
    def size(self) -> FloatArray:
        """Rms force (n,) of each drive, at least a tenth of the largest."""
        rms = np.sqrt(np.mean((self.rigid + self.friction) ** 2, axis=0))
        return np.maximum(rms, 0.1 * rms.max())

    def with_force(self, force: FloatArray) -> Run:
        """Return the run with more force (N, n) of the drives."""
        return replace(self, added=self.added + force)

    def with_machine(self, machine: Machine) -> Run:
        """Return the same motion of the drives of another machine."""
        own = self.motion
        moved = machine.compute_motion(own.coordinate, own.rate, own.acceleration)
        return replace(self, machine=machine, motion=moved)

    @cached_property
    def levers(self) -> FloatArray:
        """Rates (N, w, n) of the platform's twist, or of the outputs, per rate of each drive."""
        machine, own = self.machine, self.motion
        if has(machine, PlatformPose):
            rates = [
                machine.compute_drive_rates(own, np.broadcast_to(row, (len(own), 6)).copy())
                for row in np.eye(6)
            ]
            return np.linalg.inv(np.stack(rates, axis=2))
        still, columns = np.zeros_like(own.rate), []
        for row in np.eye(own.rate.shape[1]):
            unit = machine.compute_motion(own.coordinate, still + row, still)
            columns.append(self._find_end(unit)[1])
        return np.stack(columns, axis=2)

    @cached_property
    def places(self) -> tuple[FloatArray, FloatArray]:
        """Translations (N, w) of the platform, outputs or the end from where they begin, and their accelerations."""
        machine, own = self.machine, self.motion
        if has(machine, PlatformPose):
            position = machine.compute_pose(own)[0]
            acceleration = machine.compute_twist(own)[1][:, :3]
        else:
            position, _, acceleration = self._find_end(own)
        return position - position[0], acceleration

    def _find_end(self, motion: Motion) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return outputs, or places of the end of a machine without, and their derivatives, (N, w) each."""
        machine = self.machine
        if has(machine, NamedOutputs):
            return machine.compute_outputs(motion)
        if not has(machine, BodiesFile):
            return motion.coordinate, motion.rate, motion.acceleration
        position, rate = machine.compute_end(motion)
        return position, rate, np.gradient(rate, self.period, axis=0)

    def push(self, force: FloatArray) -> FloatArray:
        """Return what drives do (N, n) against forces (N, w) on the platform, or along the outputs."""
        levers = self.levers[:, : force.shape[1]]
        return -np.einsum("kwn,kw->kn", levers, force)

    def measure(self) -> DriveLog:
        """Return the log of the drives: whole counts, noise of the forces."""
        drives, own = self.machine.drives, self.motion
        count = np.array([drive.resolution or COUNTS * drive.size for drive in drives])
        noise = NOISE * self.size * self.random.standard_normal(self.force.shape)
        return DriveLog(self.time, np.round(own.coordinate / count) * count, self.force + noise)


def build_run(machine: Machine, file: Machine, duration: float, seed: int) -> Run:
    """Return a machine that follows `rich`, made for its file, as well as its drives' loops can."""
    planned = build_physics(file).build_motion("rich", duration, seed)
    period = 1.0 / (machine.sample_rate or 1000.0)
    time = np.arange(round(duration / period), dtype=float) * period
    if has(file, HexapodFile):
        moved = planned.motion(time)
        reference = strut_lengths(file.description, moved.position, moved.rotation)
    else:
        reference = planned.drives(time)[0]
    random = np.random.default_rng([seed, 57])
    coordinate, rate, acceleration = follow(time, reference, random)
    motion = machine.compute_motion(coordinate, rate, acceleration)
    if not np.isfinite(motion.residual).all() or motion.status.max() > 1:
        raise RuntimeError(f"{machine.name}: the motion leaves the workspace")
    return Run(machine, time, motion, np.zeros_like(coordinate), random)


def follow(
    time: FloatArray, reference: FloatArray, random: np.random.Generator
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return coordinates, rates and accelerations (N, n) of loops that follow a reference (N, n)."""
    knots = np.arange(0, len(time) + KNOTS, KNOTS) * (time[1] - time[0])
    wanted = make_interp_spline(
        knots, reference[np.minimum(np.arange(len(knots)) * KNOTS, len(time) - 1)], k=5
    )
    bend = wanted.derivative(2)
    pushed = PUSHED * np.sqrt(np.mean(bend(time) ** 2, axis=0))
    push = make_interp_spline(knots, pushed * random.standard_normal((len(knots), reference.shape[1])), k=5)
    # all that the loops are driven by, as one function of time
    drive = make_interp_spline(
        knots,
        bend(knots) + push(knots) + BANDWIDTH**2 * wanted(knots)
        + 2 * DAMPING * BANDWIDTH * wanted.derivative(1)(knots),
        k=5,
    )  # fmt: skip
    n = reference.shape[1]

    def accelerate(t: float | FloatArray, x: FloatArray, v: FloatArray) -> FloatArray:
        return drive(t) - BANDWIDTH**2 * x - 2 * DAMPING * BANDWIDTH * v

    def slope(t: float, state: FloatArray) -> FloatArray:
        return np.concatenate([state[n:], accelerate(t, state[:n], state[n:])])

    begin = np.concatenate([reference[0], np.zeros(n)])
    found = solve_ivp(slope, (time[0], time[-1]), begin, "DOP853", t_eval=time, rtol=1e-8, atol=1e-11)
    x, v = found.y[:n].T, found.y[n:].T
    return x, v, accelerate(time, x, v)
