# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Force gains of the drives, from logs with and without a load that is known.

Forces measured too large by one factor are those of a machine heavier by that factor: no single log shows a common
gain, nor how the gains' mean differs from one. A load of known mass and place does: with the machine's parameters w
(alike in all logs), the load's basis parameters p and gains g,

    measured_k = g_k (Y_k w + Y_k p [in the logs with the load]),

which Gauss-Newton solves for w and g together. The gains' columns are predicted forces, not measured ones, whose noise
would make the gains too small.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from pkm_identification.errors import NotConverged, SettingsError, Unidentifiable
from pkm_identification.estimation.equations import Equations
from pkm_identification.estimation.estimate import ParameterEstimate
from pkm_identification.estimation.estimators import ESTIMATORS, Tuning
from pkm_identification.estimation.problem import Problem
from pkm_identification.machines.contract import Drive, Machine
from pkm_identification.machines.load import as_machine
from pkm_identification.mechanisms.rigid_bodies import parallel_axes
from pkm_identification.motion import DriveLog
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.parameter import Kind, Parameter
from pkm_identification.parameters.prior import Prior

from ..equations.force_equations import force_equations
from ..equations.standstill import StandstillLimits, find_standstill, leave_out
from ..experiment import Experiment
from ..settings import Settings

LARGEST_STEP = 1e-6  # of a gain, when it has converged
MOST_STEPS = 20
# Standard deviation of a gain beforehand: constants are wrong by tens of percent, not by ten times.
PRIOR = 0.3


@dataclass(frozen=True)
class KnownLoad:
    """A load fixed to the body that carries loads: a platform, a tool.

    Attributes
    ----------
    mass : float
        kg.
    center_of_mass : ndarray, shape (3,)
        m, in that body's frame.
    """

    mass: float
    center_of_mass: FloatArray

    @classmethod
    def parse(cls, text: str) -> KnownLoad:
        """Return a load from 'MASS,X,Y,Z' (kg, m); raises SettingsError when it is none."""
        try:
            numbers = [float(part) for part in text.split(",")]
        except ValueError:
            numbers = []
        if len(numbers) != 4 or not np.all(np.isfinite(numbers)) or numbers[0] <= 0:
            raise SettingsError(f"payload '{text}': expected MASS,X,Y,Z in kg and m, with a mass above zero")
        return cls(numbers[0], np.array(numbers[1:]))

    @property
    def basis(self) -> FloatArray:
        """What it adds to its body's ten parameters about the frame's origin, as a point mass."""
        m, c = self.mass, self.center_of_mass
        about_origin = parallel_axes(m, c)
        return np.array([m, *(m * c), *np.diag(about_origin), *about_origin[[0, 0, 1], [1, 2, 2]]])


@dataclass(frozen=True)
class ForceGains:
    """Gains of the drives.

    Attributes
    ----------
    gains : ParameterEstimate
        `force_gain_1` and so on, measured over true, with standard deviations and statuses.
    parameters : ParameterEstimate
        The machine's, estimated together with them.
    load : KnownLoad
    unloaded, loaded : tuple of str
        Logs.
    """

    gains: ParameterEstimate
    parameters: ParameterEstimate
    load: KnownLoad
    unloaded: tuple[str, ...]
    loaded: tuple[str, ...]

    def build_file_gains(self, machine: Machine) -> FloatArray:
        """Return these gains times those that the machine's file has already, (n,)."""
        known = machine.known_forces
        return np.asarray((1.0 if known is None else known.gain) * self.gains.values)


def calibrate_gains(
    loaded: Sequence[DriveLog],
    unloaded: Sequence[DriveLog],
    load: KnownLoad,
    machine: Machine,
    settings: Settings | None = None,
) -> ForceGains:
    """Gains from logs with and without a known load.

    Parameters
    ----------
    loaded, unloaded : sequence of DriveLog
        At least one each, of the same rate.
    load : KnownLoad
    machine : Machine
        A file that knows gains already makes the result one relative to them.
    settings : Settings, optional
        Parameter set and filters; the estimator is least squares.

    Raises
    ------
    LogError
        If the logs hold no forces, run at a wrong rate, or are too short for the filters.
    Unidentifiable
        If nothing is left of the logs behind the filters.
    NotConverged
        If the iteration does not come to rest.
    """
    machine = as_machine(machine)
    count = len(machine.drives)
    settings = settings or Settings()
    settings = replace(settings, estimator=replace(settings.estimator, name="ls"), hold_out=0.0)
    experiment = Experiment.of([*unloaded, *loaded], machine, settings)
    problem = experiment.problem()
    equations = _add_load_columns(experiment, problem, load, len(unloaded))
    if len(equations) == 0:
        raise Unidentifiable(
            f"{experiment.sources[0]}: too short to calibrate with: no sample remains after filtering"
        )
    columns = np.zeros((problem.parameters.mapping.shape[0], count))
    own = problem.parameters
    # behind the machine's own parameters, in front of the nuisance ones
    index = len(own) - own.nuisance
    entries = (*own.entries[:index], *map(_name_gain, range(count), machine.drives), *own.entries[index:])
    parameters = replace(
        own,
        entries=entries,
        mapping=np.hstack([own.mapping[:, :index], columns, own.mapping[:, index:]]),
        prior_mean=_insert_columns(own.prior_mean, index, np.ones(count)),
        prior_std=_insert_columns(own.prior_std, index, np.full(count, PRIOR)),
    )
    whole = replace(
        problem,
        parameters=parameters,
        prior=Prior.of(parameters),
        relations=None,
        assumed=None,
        physical=None,
    )
    gains = np.ones(count)
    values = ESTIMATORS["ls"].fit(replace(problem, equations=equations, relations=None), Tuning()).mean
    for _ in range(MOST_STEPS):
        linear = replace(whole, equations=_linearise(equations, values, gains, index))
        fit = ESTIMATORS["ls"].fit(linear, Tuning())
        latest = fit.mean[index : index + count]
        step = float(np.abs(latest - gains).max())
        gains = np.clip(latest, 0.05, 20.0)
        values = np.delete(fit.mean, np.arange(index, index + count))
        if step < LARGEST_STEP:
            break
    else:
        raise NotConverged(f"force gains: still moving by {step:.2g} after {MOST_STEPS} steps")
    estimate = fit.estimate(linear)
    return ForceGains(
        gains=_select_parameters(estimate, slice(index, index + count)),
        parameters=_select_parameters(estimate, slice(0, index)),
        load=load,
        unloaded=experiment.sources[: len(unloaded)],
        loaded=experiment.sources[len(unloaded) :],
    )


def _name_gain(number: int, drive: Drive) -> Parameter:
    name = f"force_gain_{drive.label}"
    return Parameter(name, "", Kind.GAIN, drive.title, 1.0, PRIOR, symbol="force_gain", limb=number)


def _insert_columns(values: FloatArray | None, index: int, new: FloatArray) -> FloatArray | None:
    return None if values is None else np.insert(values, index, new)


def _add_load_columns(experiment: Experiment, problem: Problem, load: KnownLoad, unloaded: int) -> Equations:
    """Return the equations, of which those of the loaded logs know what the load adds."""
    parts = []
    for number, log in enumerate(experiment.logs):
        parameters = problem.parameters
        if number >= unloaded:
            carrier = experiment.machine.rows_of_bodies[experiment.machine.payload_body]
            parameters = replace(parameters, known=parameters.known + carrier @ load.basis)
        samples = experiment.samples(log)
        machine, band, motion = experiment.machine, experiment.settings.band, samples.motion
        part = force_equations(machine, parameters, samples, band, noise=experiment.smooth_rate_noise)
        limits = StandstillLimits.of(machine, parameters, experiment.flicker)
        still = find_standstill(limits, motion.coordinate, motion.rate, samples.segment, band)
        parts.append(leave_out(part, still))
    return Equations.concatenate(parts)


def _linearise(equations: Equations, values: FloatArray, gains: FloatArray, index: int) -> Equations:
    """Equations of all unknowns about the present ones: force = g (Y w + known), known = force - measured."""
    known = equations.force - equations.measured
    model = equations.regressor @ values + known
    own = model[:, :, None] * np.eye(model.shape[1])
    regressor = np.concatenate(
        [
            gains[:, None] * equations.regressor[:, :, :index],
            own,
            gains[:, None] * equations.regressor[:, :, index:],
        ],
        axis=2,
    )
    return replace(equations, regressor=regressor, measured=equations.force + gains * (model - known))


def _select_parameters(estimate: ParameterEstimate, chosen: slice) -> ParameterEstimate:
    """Some of the parameters of an estimate; combinations, which may reach across, are left out."""
    return replace(
        estimate,
        names=estimate.names[chosen],
        units=estimate.units[chosen],
        status=estimate.status[chosen],
        values=estimate.values[chosen],
        std=estimate.std[chosen],
        nominal=estimate.nominal[chosen],
        covariance=estimate.covariance[chosen, chosen],
        combinations=(),
    )
