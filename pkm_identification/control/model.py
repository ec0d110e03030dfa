# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The dynamic model a controller believes: the machine file's, then what was identified, taken over smoothly."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

import numpy as np

from pkm_identification.errors import PkmError, SettingsError
from pkm_identification.machines.contract import Machine, Motion
from pkm_identification.machines.motions import compute_rest
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.parameter import Kind
from pkm_identification.parameters.parameter_set import ParameterSet

from .inverse_dynamics import InverseDynamics

# How far the machine's inertia, in any direction, may be from the machine file's: beyond, the estimate is wrong.
PLAUSIBLE = 10.0


class EstimateRefused(PkmError):
    """An estimate a controller must not use: says why."""


class EstimateReader:
    """Turns estimates of one machine into dynamic parameters in the basis.

    Parameters
    ----------
    machine : Machine
    """

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._sets: dict[tuple[str, ...], ParameterSet] = {}
        # base parameters of some machines cannot be told in double precision: nobody identifies those either
        with suppress(SettingsError):
            sets = [machine.build_parameter_set(name) for name in machine.parameter_sets]
            self._sets = {parameters.names: parameters for parameters in sets}
        self._home = compute_rest(machine, machine.home[None])
        self._nominal = self._inertia(machine.basis.nominal)
        kinds = np.array([entry.kind in (Kind.COULOMB, Kind.VISCOUS) for entry in machine.basis])
        kinds[machine.friction_rows[machine.friction_rows >= 0]] = False
        self._passive = np.flatnonzero(kinds)

    def basis(
        self,
        machine_hash: str,
        names: Sequence[str],
        values: FloatArray,
        std: FloatArray,
        shown: FloatArray,
    ) -> FloatArray:
        """Return what the data show as estimated, all else nominal.

        Parameters
        ----------
        machine_hash : str
            Of the machine description the estimate was made with.
        names : sequence of str
            Of the estimated parameters; they tell the parameter set.
        values, std : ndarray, shape (P,)
            In SI units.
        shown : ndarray of bool, shape (P,)
            Which of them the data show, alone or in a combination: the values of a combination belong together.

        Returns
        -------
        ndarray, shape (B,)
            Of the basis; friction that would drive a drive or a joint is the nearest that does not: below zero it is
            zero.

        Raises
        ------
        EstimateRefused
            If it is another machine's, of no known parameter set, not finite, or no possible machine.
        """
        machine = self._machine
        if machine_hash != machine.hash:
            raise EstimateRefused(
                f"estimate: is of the machine description {machine_hash or 'without a hash'}, not of {machine.hash} "
                f"('{machine.name}')"
            )
        parameters = self._sets.get(tuple(names))
        if parameters is None:
            raise EstimateRefused(
                f"estimate: no parameter set has the parameters {', '.join(names)[:80]} ..."
            )
        values, std = np.asarray(values, dtype=float), np.asarray(std, dtype=float)
        shown = np.asarray(shown, dtype=bool)
        if not values.shape == std.shape == shown.shape == parameters.nominal.shape:
            raise EstimateRefused(
                f"estimate: {len(names)} names, but {values.size} values, {std.size} standard deviations and "
                f"{shown.size} status"
            )
        if not (np.isfinite(values).all() and np.isfinite(std).all()):
            raise EstimateRefused("estimate: holds a number that is not finite")
        basis = parameters.mapping @ np.where(shown, values, parameters.nominal) + parameters.known
        for i, friction in enumerate(machine.friction):
            rows = machine.friction_rows[machine.friction_rows[:, i] >= 0, i]
            basis[rows] = friction.law.possible(basis[rows, None])[:, 0]
        basis[self._passive] = np.maximum(basis[self._passive], 0.0)
        share = np.sort(np.linalg.eigvals(np.linalg.solve(self._nominal, self._inertia(basis))).real)
        if not 1.0 / PLAUSIBLE <= share[0] <= share[-1] <= PLAUSIBLE:
            raise EstimateRefused(
                f"estimate: the machine's inertia at home would be {share[0]:.3g} to {share[-1]:.3g} times that of its "
                f"description; {1 / PLAUSIBLE:g} to {PLAUSIBLE:g} are possible"
            )
        return basis

    def _inertia(self, values: FloatArray) -> FloatArray:
        """Return the mass matrix (n, n) at home."""
        mass: FloatArray = self._machine.compute_mass_and_bias(self._home, values)[0][0]
        return mass


class BelievedModel:
    """Basis parameters that go over from one estimate to the next without a bump.

    Parameters
    ----------
    machine : Machine
    blend : float
        s, time constant of the transition; 0: at once.
    period : float
        s between calls of `step`.

    Attributes
    ----------
    present, target : ndarray, shape (B,)
        What is believed now, and where it goes.
    accepted : int
        Estimates taken; 0: nominal.
    """

    def __init__(self, machine: Machine, blend: float, period: float) -> None:
        self._machine, self._dynamics = machine, InverseDynamics(machine)
        self._share = 1.0 if blend <= 0 else 1.0 - float(np.exp(-period / blend))
        self.reset()

    def reset(self) -> None:
        """Back to the machine file's."""
        self.target = np.array(self._machine.basis.nominal)
        self.present = self.target.copy()
        self.accepted = 0
        self._moving = False

    def accept(self, basis: FloatArray) -> None:
        """Go over to other parameters (B,)."""
        self.target = basis
        self.accepted += 1
        self._moving = True

    def step(self, periods: int = 1) -> None:
        """One sample later."""
        if not self._moving:
            return
        for _ in range(min(periods, 50)):
            self.present += self._share * (self.target - self.present)
        if np.abs(self.target - self.present).max() <= 1e-12 * np.abs(self.target).max():
            self.present = self.target.copy()
            self._moving = False

    def jump(self, motion: Motion, basis: FloatArray) -> FloatArray:
        """Return the changes (n,) of the drives' forces in a motion (one row) from the model gone to now to another."""
        with_old, with_new = (self._dynamics.compute(motion, values) for values in (self.target, basis))
        return np.abs(with_new - with_old)[0]
