# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Equations of a machine in a rich motion, with payload and friction that change as told; the motion is made once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from pkm_identification.identification.equations.equation_filter import Equation
from pkm_identification.identification.equations.reversal import reversal_pulses
from pkm_identification.identification.online.online_estimator import (
    OnlineEstimator,
)
from pkm_identification.identification.settings import Settings
from pkm_identification.machines.load import as_machine
from pkm_identification.mechanisms.hexapod.dynamics import basis_columns, basis_parameters
from pkm_identification.mechanisms.hexapod.dynamics.regressor import regressor
from pkm_identification.mechanisms.hexapod.kinematics.inverse import strut_motion_from_platform
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.mechanisms.hexapod.parameters.sets import list_hexapod_parameters
from pkm_identification.signals.band import BandSettings
from pkm_identification.signals.butterworth import causal
from pkm_identification.simulation.payload import Payload, load_platform
from pkm_identification.simulation.perturbation import perturb_machine
from pkm_identification.simulation.trajectories import trajectory

PERIOD = 1e-3
LOAD = slice(0, 10)  # the platform's parameters in the basis
NOISE = np.array([1.5, 1.4, 1.4, 4.6, 1.1, 2.3])  # N at 1 kHz: one per cent of the forces
QUIET = np.zeros(6)


@dataclass(frozen=True)
class Scene:
    """A motion of the uf machine: what the machine is told of itself, what it is, and the motion's basis columns."""

    nominal: Machine
    truth: Machine
    time: np.ndarray
    basis: np.ndarray  # (N, 6, 64) at 1 kHz
    filtered: np.ndarray  # (K, 6, 64) behind the band
    pulses: np.ndarray  # (K, 6, 6): each strut's reversals, nuisance columns, behind the band
    chosen: slice

    def force(self, change: Callable[[np.ndarray], np.ndarray] | None = None) -> np.ndarray:
        """Forces (N, 6) without noise; `change` gives what is added to the basis parameters over time, (N, 64)."""
        force = self.basis @ basis_parameters(self.truth)
        if change is not None:
            force = force + np.einsum("nkp,np->nk", self.basis, change(self.time))
        return force

    def equations(self, force: np.ndarray, seed: int, noise: float = 1.0) -> list[Equation]:
        """Equations of these forces with noise, as the online estimator builds them."""
        force = force + noise * NOISE * np.random.default_rng(seed).standard_normal(force.shape)
        measured = causal(BandSettings(PERIOD).sections, force)[self.chosen]
        parameters = list_hexapod_parameters(self.nominal)
        columns, known = self.filtered @ parameters.mapping, self.filtered @ parameters.known
        columns = np.concatenate([columns, self.pulses], axis=2)
        load = np.ascontiguousarray(self.filtered[:, :, LOAD])
        rows = zip(self.time[self.chosen], columns, load, measured - known, strict=True)
        return [Equation(float(t), a, b, y, QUIET) for t, a, b, y in rows]


@cache
def scene(seconds: float = 40.0, name: str = "rich", seed: int = 1) -> Scene:
    """A motion of a machine that is up to 15 % off its file; made once."""
    nominal = Machine.load("uf")
    truth = perturb_machine(nominal, seed)
    time = np.arange(round(seconds / PERIOD)) * PERIOD
    motion = trajectory(name, nominal, seconds).motion(time)
    basis = regressor(nominal, motion, np.eye(basis_columns(nominal)))
    _, rate, second = strut_motion_from_platform(nominal, motion)
    pulses = reversal_pulses(as_machine(nominal), rate, second)[:, :, None] * np.eye(6)
    band = BandSettings(PERIOD)
    chosen = slice(band.settling, len(time), band.stride)
    behind = (np.ascontiguousarray(causal(band.sections, made)[chosen]) for made in (basis, pulses))
    return Scene(nominal, truth, time, basis, *behind, chosen)


def estimator(made: Scene, **settings) -> OnlineEstimator:
    """An online estimator for that machine."""
    return OnlineEstimator(made.nominal, Settings.of(cutoff=150.0, **settings).resolve(made.nominal, PERIOD))


def carrying(*payloads: Payload) -> Callable[[np.ndarray], np.ndarray]:
    """Change of the basis while payloads are on the platform, for `Scene.force`."""

    def change(time: np.ndarray) -> np.ndarray:
        total = np.zeros((len(time), 64))
        for payload in payloads:
            present = (time >= payload.taken_at) & (time < payload.set_down_at)
            total[present, LOAD] += load_parameters(payload)
        return total

    return change


def load_parameters(payload: Payload) -> np.ndarray:
    """Its ten parameters in the basis, by way of a platform that is only this payload."""
    machine = Machine.load("uf")
    without = replace(machine.platform, mass=1e-9, center_of_mass=np.zeros(3), inertia=np.zeros((3, 3)))
    return basis_parameters(replace(machine, platform=load_platform(without, payload)))[LOAD]
