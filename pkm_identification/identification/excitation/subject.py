# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What a search for a motion needs to know of a machine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from pkm_identification.errors import SettingsError
from pkm_identification.machines.contract import Machine, Motion
from pkm_identification.machines.load import as_machine
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.parameter import Kind
from pkm_identification.parameters.parameter_set import ParameterSet
from pkm_identification.records.orientations import FORMS
from pkm_identification.simulation.trajectories import peaks
from pkm_identification.simulation.waveforms import Derivatives, FadedWaves, MultiSine

from ..regression.friction import DriveFriction
from .space import MotionSpace, build_space

_ROUNDING = 1e-9
SLOWEST, FASTEST = 0.1, 3.0  # Hz
PERIOD = 0.05  # s, of the states that are weighed
GRID = 0.005  # s, of those whose limits are tried
AS_MUCH = 2.0  # times the rates and forces of `rich`, where a machine does not state how much it can do


@dataclass(frozen=True)
class Response:
    """What displacements of a machine make of it.

    Attributes
    ----------
    columns : ndarray, shape (N, n, P)
        The regressor.
    force : ndarray, shape (N, n)
        Of the drives, N or N m.
    use : ndarray, shape (N, U)
        Of the machine's limits, within them up to 1.
    """

    columns: FloatArray
    force: FloatArray
    use: FloatArray

    @property
    def rms(self) -> FloatArray:
        """Of each drive's force, (n,)."""
        rms = np.sqrt(np.mean(self.force**2, axis=0))
        return np.where(rms > 0, rms, 1.0)

    @property
    def rows(self) -> FloatArray:
        """The regressor (N n, P) with each drive's rows over its rms force: noise is taken for a part of it."""
        return (self.columns / self.rms[:, None]).reshape(-1, self.columns.shape[-1])


@dataclass(frozen=True)
class Subject:
    """A machine, what is to be known of it, and how long it may move.

    Where a machine file states no rates or forces, twice those of `rich` are taken to be allowed.

    Attributes
    ----------
    machine : Machine
        Of the contract.
    parameters : ParameterSet
    space : MotionSpace
    path : Trajectory or DriveMotion
        The motion `rich` with its fade, and with all tones that may be used.
    names : tuple of str, length P
    kinds : tuple of Kind, length P
    scale : ndarray, shape (P,)
        What a large error of each parameter is, in its unit; where the set states none, what would make all the forces
        of `rich` by itself.
    start : MultiSine
        The signal of `path`.
    waves : FadedWaves
        Of these tones, every PERIOD.
    """

    machine: Machine
    parameters: ParameterSet
    space: MotionSpace
    path: Any
    names: tuple[str, ...]
    kinds: tuple[Kind, ...]
    scale: FloatArray
    start: MultiSine
    waves: FadedWaves
    _fine_waves: FadedWaves = field(repr=False)
    _most: tuple[FloatArray, FloatArray] = field(repr=False)

    @classmethod
    def of(cls, machine: Any, parameters: ParameterSet, duration: float) -> Subject:
        """Return the subject of a machine, of a set and of motions of a duration in s.

        Raises
        ------
        SettingsError
            If the duration is too short, or the machine has no room for a motion.
        """
        machine = as_machine(machine)
        space = build_space(machine, duration)
        path = replace(space.path, name="excite", signal=with_all_tones(space.path.signal, duration))
        waves, fine = (path.waves(np.arange(0.0, duration, step)) for step in (PERIOD, GRID))
        nothing = np.full(len(machine.drives), np.inf)
        kinds = tuple(entry.kind for entry in parameters.entries)
        subject = cls(
            machine, parameters, space, path, parameters.names, kinds, parameters.scale, path.signal, waves,
            fine, (nothing, nothing),
        )  # fmt: skip
        finely = space.move(fine.evaluate(path.signal))
        if finely is None:
            raise SettingsError(f"machine '{machine.name}' cannot follow the motion 'rich'")
        rate, force = space.rate_limit, space.force_limit
        most = (
            AS_MUCH * furthest(finely.rate) if rate is None else np.full_like(nothing, rate),
            AS_MUCH * furthest(subject.compute_forces(finely))
            if force is None
            else np.full_like(nothing, force),
        )
        subject = replace(subject, _most=most)
        if np.isfinite(parameters.scale).all():
            return subject
        response = subject.response(waves.evaluate(path.signal))
        assert response is not None
        size = np.sqrt(np.mean(response.rows**2, axis=0))
        by_data = 1.0 / np.where(size > 0, size, 1.0)
        return replace(subject, scale=np.where(np.isfinite(parameters.scale), parameters.scale, by_data))

    @property
    def axes(self) -> tuple[tuple[str, str, float], ...]:
        """What can be displaced, with its unit and the furthest that is worth trying."""
        return self.space.axes

    def row_scale(self, responses: Sequence[Response]) -> FloatArray | None:
        """What rows of forces and of torques are divided by, (n,): their rms in some motions; None of one kind."""
        if len({one.unit for one in self.machine.drives}) == 1:
            return None
        rms = np.sqrt(np.mean(np.concatenate([one.force for one in responses]) ** 2, axis=0))
        return np.where(rms > 0, rms, 1.0)

    def compute_forces(self, motion: Motion) -> FloatArray:
        """Return the file's forces (N, n) of a motion, friction and all."""
        nominal = np.asarray(self.machine.basis.nominal, dtype=float)
        friction = np.zeros((len(motion), len(self.machine.drives), 1))
        DriveFriction.of(self.machine, nominal[:, None]).add(motion.rate, friction)
        return self.machine.compute_forces(motion, nominal) + friction[:, :, 0]

    def of_motion(self, motion: Motion) -> Response:
        """Return the response of a motion."""
        mapping = self.parameters.mapping
        columns = self.machine.compute_regressor(motion, mapping)
        DriveFriction.of(self.machine, mapping).add(motion.rate, columns)
        force = self.compute_forces(motion)
        travel, joints = self.space.compute_use(motion)
        rate, most = self._most
        use = (travel, np.abs(motion.rate) / rate, np.abs(force) / most, joints)
        return Response(columns, force, np.concatenate(use, axis=1))

    def along(self, path: Any, size: float = 1.0) -> Response | None:
        """Return the response of a path with amplitudes times `size`, every PERIOD; None out of reach."""
        smaller = path if size == 1.0 else replace(path, signal=path.signal.scale(size))
        motion = self.space.move_along(smaller, np.arange(0.0, path.duration, PERIOD))
        return None if motion is None else self.of_motion(motion)

    def anywhere(self, displacement: Derivatives) -> Response | None:
        """Return the response of displacements at any instants; None where the machine cannot be, or is singular."""
        response = self.response(displacement)
        return response if response is not None and np.isfinite(response.columns).all() else None

    def response(self, displacement: Derivatives) -> Response | None:
        """Return that of displacements and their derivatives, one by sample; None where the machine cannot be."""
        motion = self.space.move(displacement)
        return None if motion is None else self.of_motion(motion)

    def columns(self, signal: MultiSine) -> FloatArray | None:
        """Return weighted rows (R, P) of the regressor every PERIOD; None out of the limits."""
        displacement = self.waves.evaluate(signal)
        if not self.space.fits(displacement):
            return None
        response = self.response(displacement)
        return None if response is None else response.rows

    def allowed(self, signal: MultiSine) -> bool:
        """Return whether the limits are kept at GRID, and between."""
        displacement = self._fine_waves.evaluate(signal)
        if not self.space.fits(displacement, between=True):
            return False
        if self.space.rate_limit is not None and self.space.force_limit is not None:
            return True
        motion = self.space.move(displacement)
        if motion is None:
            return False
        rate, force = self._most
        if self.space.rate_limit is None and np.any(furthest(motion.rate) > rate * (1 + _ROUNDING)):
            return False
        return self.space.force_limit is not None or bool(
            np.all(furthest(self.compute_forces(motion)) <= force * (1 + _ROUNDING))
        )

    def write(self, path: str | Path, signal: MultiSine, time: FloatArray, form: str = FORMS[0]) -> None:
        """Write a motion at times (N,) as a table of what moves; raises LogError if it cannot be."""
        self.space.write(path, signal, time, form)


def furthest(values: FloatArray) -> FloatArray:
    """Return largest sizes (n,) of evenly sampled signals (N, n), between the samples too."""
    return np.maximum(*(np.abs(part) for part in peaks(values)))


def with_all_tones(signal: MultiSine, duration: float) -> MultiSine:
    """Return the same motion with amplitudes, mostly zero, for all tones of the band that repeat with the duration."""
    frequency = np.arange(np.ceil(SLOWEST * duration), np.floor(FASTEST * duration) + 1) / duration
    none = np.zeros((len(signal.sine), len(frequency)))
    return signal + MultiSine(frequency, none, none) if len(frequency) else signal
