# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""An estimation problem from samples: the equations of all logs, and how to weigh them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pkm_identification.estimation.equations import Equations, GrowingEquations
from pkm_identification.estimation.problem import Problem
from pkm_identification.machines.capabilities import EnergyModel, require
from pkm_identification.machines.contract import Machine
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.parallel_maps import map_overlapped
from pkm_identification.parameters.parameter_set import ParameterSet
from pkm_identification.parameters.prior import Prior
from pkm_identification.parameters.relations import LinearRelations
from pkm_identification.signals.band import BandSettings

from .equations.energy_equations import energy_equations
from .equations.force_equations import force_equations
from .equations.reversal import with_reversals
from .equations.rounding import measure_rounding, narrow_reversals
from .equations.standstill import StandstillLimits, find_standstill, leave_out
from .model_errors.estimated.linearisation import Linearisation
from .regression.equations import learn_noise
from .regression.scales import with_data_scales, with_machine_scales
from .samples import Samples
from .settings import Settings


@dataclass(frozen=True)
class _Maker:
    """What makes equations of samples; the rest as of `build_problem`."""

    machine: Machine
    parameters: ParameterSet
    band: BandSettings
    causal: bool
    corrected: bool
    noise: FloatArray | None
    limits: StandstillLimits | None

    def force(self, samples: Samples) -> tuple[list[Equations], NDArray[np.bool_], int]:
        """Return equations of one log or segment and of its twins that are its own, used rows, and how many rest."""
        equations = [
            force_equations(
                self.machine, self.parameters, samples, self.band, self.causal,
                noise=self.noise, corrected=self.causal and self.corrected, motion=motion,
            )
            for motion in (None, *samples.instruments)
        ]  # fmt: skip
        moved = samples.motion
        still = find_standstill(
            self.limits, moved.coordinate, moved.rate, samples.segment, self.band, self.causal
        )
        if self.causal:
            equations = [part.since_clock_jump() for part in equations]
            still = still[len(still) - len(equations[0]) :]
        own = slice(None) if self.causal else samples.own(equations[0].time)
        still = still[own]
        moving = ~still.all(axis=1)
        made = [leave_out(part[own], still) for part in equations]
        return made, ~still[moving], int(np.count_nonzero(~moving))

    def energy(self, samples: Samples) -> tuple[list[Equations], NDArray[np.bool_], int]:
        """Return the same of the energy model, whose static friction does no work."""
        machine = self.machine
        if self.noise is not None and not self.causal:
            machine = machine.with_rate_noise(self.noise)
        machine = require(machine, EnergyModel, "the energy model")
        if samples.force is None:
            raise ValueError("samples without forces make no equations")
        equations = [
            energy_equations(
                machine, self.parameters, motion, samples.time, samples.force, samples.segment, self.band,
                self.causal,
            )
            for motion in (samples.motion, *samples.instruments)
        ]  # fmt: skip
        if self.causal:
            equations = [part.since_clock_jump() for part in equations]
        own = slice(None) if self.causal else samples.own(equations[0].time)
        made = [part[own] for part in equations]
        return made, np.ones(made[0].measured.shape, dtype=bool), 0


def build_problem(
    machine: Machine,
    settings: Settings,
    logs: Iterable[Iterable[Samples]],
    point: Linearisation | None = None,
    corrected: bool = True,
    noise: FloatArray | None = None,
    flicker: FloatArray | None = None,
    parameters: ParameterSet | None = None,
) -> Problem:
    """Return the equations of all logs as one problem.

    Parameters
    ----------
    machine : Machine
    settings : Settings
        Resolved.
    logs : iterable of iterables of Samples
        Of each log one after the other, each taken once and let go; with twins where the estimator needs them.
    point : Linearisation, optional
        Where effects that are estimated as well are linearised; machine and samples are then those without them, and
        every log's in one piece.
    corrected : bool
        Whether a causal run takes off what the kinematic low-pass makes of the friction transition, as the online
        estimator.
    noise : ndarray, shape (n,), optional
        Standard deviation of the drives' rates, m/s or rad/s (`rates.rate_noise`).
    flicker : ndarray, shape (n,), optional
        Range in which coordinates of drives that stand still vary; else that of the encoders in the machine's file.
    parameters : ParameterSet, optional
        The unknowns; else those of the settings.
    """
    estimator, band = settings.estimator, settings.band
    if parameters is None:
        parameters = estimator.parameter_set(machine) if point is None else point.parameters
    if settings.causal:
        parameters = with_machine_scales(parameters, machine)
    of_forces = estimator.model == "force"
    if of_forces:
        parameters = with_reversals(parameters, machine)
    # a causal run is to find what the online estimator would, which knows of no relations
    relations = None
    if machine.has_identical_limbs and not settings.causal:
        relations = estimator.relations(parameters)
    maker = _Maker(
        machine, parameters, band, settings.causal, corrected, noise,
        StandstillLimits.of(machine, parameters, flicker) if of_forces else None,
    )  # fmt: skip
    make = maker.force if of_forces else maker.energy
    whole_logs: list[Samples] = []
    gathered: list[GrowingEquations] = []
    numbers: list[tuple[int, int]] = []
    masks: list[NDArray[np.bool_]] = []
    taken = failed = wrong_rate = resting = 0
    for number, segments in enumerate(logs):
        for samples, (equations, used, at_rest) in map_overlapped(make, segments):
            gathered = gathered or [GrowingEquations() for _ in equations]
            for whole, part in zip(gathered, equations, strict=True):
                whole.append(part)
            numbers.append((number, len(equations[0])))
            masks.append(used)
            taken += len(samples.time[samples.own(samples.time)])
            failed, wrong_rate = failed + samples.failed, wrong_rate + samples.wrong_rate
            resting += at_rest
            if point is not None:
                whole_logs.append(samples)
    every, *instruments = (one.taken() for one in gathered)
    used = np.concatenate(masks)
    parameters = with_data_scales(parameters, every)
    prior = Prior.of(parameters)
    if point is not None and point.late_drives:
        rounding = measure_rounding(machine, whole_logs, settings.filter)
        prior = narrow_reversals(prior, parameters, machine, point.values, point.late_drives, rounding)
    assumed, fixed = relations, None if point is None else point.relations(len(parameters))
    if fixed is not None:
        relations = fixed if relations is None else LinearRelations.concatenate([relations, fixed])
    physical = None
    if estimator.consistent:
        physical = machine.build_physical(parameters)
    problem = Problem(
        parameters=parameters,
        prior=prior,
        equations=every,
        typical_force=float(np.mean(machine.force_size)),
        redundancy=band.redundancy,
        instruments=(instruments[0], instruments[1]) if estimator.registered.instruments else None,
        model=estimator.model,
        relations=relations,
        assumed=assumed,
        physical=physical,
        log=np.repeat(*np.transpose(numbers)),
        samples=taken,
        failed=failed,
        wrong_rate=wrong_rate,
        resting=resting,
        used=None if used.all() else used,
    )
    if point is not None:
        seen = machine if noise is None else machine.with_rate_noise(noise)
        problem = point.with_columns(problem, seen, whole_logs, band, flicker)
    if not of_forces:
        return problem
    return replace(problem, noise=learn_noise(problem.equations, used, prior, band.redundancy))
