# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""The two-filter form: a state filter that takes the parameters as known, a parameter UKF that reads its innovations.

Wan and Nelson's dual estimation (in Haykin, ed., Kalman Filtering and Neural Networks, 2001; Wan and van der Merwe
2000): the parameter filter's output is the state filter's one-step prediction of the lengths, its measurement noise the
innovation's covariance. How the prediction depends on the parameters includes what they did to the state estimate
before, the total (recurrent) derivative

    D- = A D + B ,   innovation = L - h(x-; w0) = H D- (w - w0) + noise ,   D = (1 - K H) D- ,

A, B, H the derivatives of the step by state and parameters and of the lengths, K the state filter's gain. With w0 kept
in the state filter, this is Friedland's separation of a constant bias (IEEE Trans. AC-14, 1969) and equals the joint
filter of the linear model. Leaving out A D (`recurrent` False: one step's effect of parameters alone) is cheaper in the
literature's use and much worse here, because a millisecond shows next to nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pkm_identification.errors import NotConverged
from pkm_identification.mechanisms.hexapod.dynamics.records import unpacked
from pkm_identification.mechanisms.hexapod.kinematics.jacobian import fill_jacobian
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.compiled import kernel
from pkm_identification.numerics.linear_systems import lower_cholesky, whiten
from pkm_identification.numerics.rotation import rotation_between
from pkm_identification.numerics.rows import copy_matrix

from .correction import UPDATED, close_prediction, use_lengths
from .filtering import FRESH, MAX_GATED_RUN, begin, row_norms
from .model import JointModel, JointNoise, JointSamples
from .prediction import (
    PARAMETER_SPREAD,
    READINGS,
    STATE,
    advance_and_read,
    move,
    predict,
)
from .records import (
    Estimate,
    FilterOptions,
    ForceTally,
    NoiseLevels,
    Path,
    Point,
    Prediction,
    State,
    Unknowns,
    one_state,
    point_at,
    state_at,
    step_result,
    step_scratch,
)
from .results import Centre, JointSettings
from .triangular import carlson_update


@kernel
def _propagate_sensitivity(model, sensors, unknowns, force, guess, point, sensitivity, recurrent):
    """Replace D (12, P) by A D + B at a point, or by B alone; False without an acceleration."""
    mapping = unknowns.mapping
    count = mapping.shape[1]
    pushed = force + point.force
    phi = unknowns.known.copy()
    for j in range(count):
        for k in range(phi.size):
            phi[k] += mapping[k, j] * point.values[j]
    sides = State(np.empty((2, 3)), np.empty((2, 3, 3)), np.empty((2, 6)))
    scratch, result = step_scratch(), step_result()
    readings, step, turned = np.empty(READINGS), np.zeros(STATE), np.empty(3)
    for j in range(count):
        for k in range(STATE):
            step[k] = sensitivity[k, j] if recurrent else 0.0
        for side in range(2):
            sign = PARAMETER_SPREAD if side == 0 else -PARAMETER_SPREAD
            moved = state_at(sides, side)
            move(point.state, step, sign, moved)
            tilted = phi + sign * mapping[:, j]
            if not advance_and_read(model, sensors, tilted, pushed, guess, moved, readings, scratch, result):
                return False
        rotation_between(sides.rotation[0], sides.rotation[1], turned)
        for k in range(3):
            sensitivity[k, j] = (sides.position[0, k] - sides.position[1, k]) / (2.0 * PARAMETER_SPREAD)
            sensitivity[3 + k, j] = turned[k] / (2.0 * PARAMETER_SPREAD)
        for k in range(6):
            sensitivity[6 + k, j] = (sides.twist[0, k] - sides.twist[1, k]) / (2.0 * PARAMETER_SPREAD)
    return True


@kernel
def _innovation(jac, residual, noise, root, sensitivity, columns, innovation, covariance):
    """Innovation (6,), its covariance and H D; D is updated by the state filter's gain."""
    count = sensitivity.shape[1]
    seen = jac @ np.ascontiguousarray(root[:6, :])
    copy_matrix(seen @ np.ascontiguousarray(seen.T), covariance)
    for k in range(6):
        covariance[k, k] += noise * noise
        innovation[k] = residual[k]
        for j in range(count):
            columns[k, j] = 0.0
            for i in range(6):
                columns[k, j] += jac[k, i] * sensitivity[i, j]
    gain = root @ np.ascontiguousarray(seen.T) @ np.linalg.inv(covariance)
    for i in range(STATE):
        for j in range(count):
            for k in range(6):
                sensitivity[i, j] -= gain[i, k] * columns[k, j]


@kernel
def update_parameters(columns, innovation, noise, mean, spread):
    """Update mean (P,) and lower triangular root (P, P) by outputs linear in them; sigma points would do the same."""
    size, count = columns.shape
    factor, rows, change = np.zeros((size, size)), np.zeros((size, count)), np.zeros(count)
    lower_cholesky(noise, factor)
    for k in range(size):
        for i in range(count):
            for j in range(i, count):
                rows[k, i] += columns[k, j] * spread[j, i]
    whiten(factor, rows, innovation)
    carlson_update(spread, count, rows, innovation, change)
    for j in range(count):
        mean[j] += change[j]


class SplitUnknowns(NamedTuple):
    """Unknowns of both filters.

    `parameters` are the parameter filter's; `at_centre` the state filter's: none, with the basis at the centre;
    `recurrent` whether the parameters' effect on the state estimate before counts.
    """

    parameters: Unknowns
    at_centre: Unknowns
    recurrent: bool


class Gaussian(NamedTuple):
    """Mean (P,) and lower triangular root (P, P) of the covariance of the parameters: written in place."""

    mean: FloatArray
    root: FloatArray


class Derivatives(NamedTuple):
    """Derivatives of the log-likelihood at the centre that the samples of each stride add."""

    gradient: FloatArray  # (K, P)
    information: FloatArray  # (K, P, P), lower triangle


class TwoFilterRecord(NamedTuple):
    """What both filters write down of a log: force noise seen, the parameters' path, derivatives at the centre."""

    force_tally: ForceTally
    path: Path
    derivatives: Derivatives


@kernel
def _run(machine, split, noise, options, samples, centre, state_estimate, parameters, record):
    """Both filters over a log: (sample reached, refused samples); both estimates go on in place, `record` is written.

    `machine`, noise, options, samples, centre and the state's estimate as in `records`.
    """
    model, sensors, home = machine.model, machine.sensors, machine.home
    unknowns, at_centre, recurrent = split.parameters, split.at_centre, split.recurrent
    force_tally, path, derivatives = record.force_tally, record.path, record.derivatives
    mean, spread = parameters.mean, parameters.root
    geometry = unpacked(model.packed)
    length, force, segment = samples.length, samples.force, samples.segment
    root, state = state_estimate.root, state_estimate.state
    count = unknowns.mapping.shape[1]
    factor, rows_at = np.zeros((6, 6)), np.empty((6, count))
    prediction = Prediction(np.empty((STATE, 37)), np.empty((READINGS, 37)), np.empty(READINGS))
    sensitivity, columns, innovation = np.zeros((STATE, count)), np.empty((6, count)), np.empty(6)
    covariance, jac, expected = np.empty((6, 6)), np.empty((6, 6)), np.empty(6)
    guess, pushed = np.zeros(6), np.zeros((STATE, 6))
    refused = run = 0
    for n in range(length.shape[0]):
        if n % path.stride == 0:
            path.mean[n // path.stride] = mean
            row_norms(spread, 0, path.std[n // path.stride])
        if n == 0 or segment[n] != segment[n - 1] or run >= MAX_GATED_RUN:
            run = 0
            if not begin(model, home, length[n], options.start_std, state_estimate):
                return n, refused
            sensitivity[:, :] = 0.0
            guess[:] = 0.0
        else:
            point = point_at(centre, n - 1)
            if not _propagate_sensitivity(
                model, sensors, unknowns, force[n - 1 : n + 1], guess, point, sensitivity, recurrent
            ):
                return n, refused
            state_point = Point(state_estimate.values, point.state, point.force)
            if not predict(
                machine, at_centre, noise.force, force[n - 1 : n + 1], guess, state_estimate, options.centred,
                state_point, prediction):  # fmt: skip
                return n, refused
            close_prediction(prediction.wide, root, 0)
        if not samples.measured[n]:
            continue
        fill_jacobian(geometry.base, geometry.platform, state.position, state.rotation, jac, expected)
        before_gain = sensitivity.copy()
        _innovation(
            jac, length[n] - expected, noise.length, root, sensitivity, columns, innovation, covariance
        )
        _, status = use_lengths(
            model, length[n], noise.length, options.gate, state_estimate, pushed, force_tally
        )
        if status != UPDATED:
            copy_matrix(before_gain, sensitivity)
            refused += 1
            run += 1
            continue
        run = 0
        lower_cholesky(covariance, factor)
        copy_matrix(columns, rows_at)
        whitened = innovation.copy()
        whiten(factor, rows_at, whitened)
        block = n // path.stride
        for k in range(6):
            for j in range(count):
                derivatives.gradient[block, j] += rows_at[k, j] * whitened[k]
                for i in range(j + 1):
                    derivatives.information[block, j, i] += rows_at[k, j] * rows_at[k, i]
        # the state filter's innovation is that at the centre's parameters
        for k in range(6):
            for j in range(count):
                innovation[k] += columns[k, j] * (centre.values[j] - mean[j])
        update_parameters(columns, innovation, covariance, mean, spread)
    return length.shape[0], refused


@dataclass(frozen=True)
class TwoFilterResult:
    """What the two filters make of a log.

    Attributes
    ----------
    mean, covariance : ndarray, shapes (P,) and (P, P)
        Parameters after the last sample, SI units.
    gated : int
        Samples refused.
    history_time, history_mean, history_std : ndarray, shapes (K,), (K, P), (K, P)
    scores : ndarray, shape (K, P)
        Gradient of the log-likelihood at the mean that the samples of each stride add, per standard deviation of the
        prior.
    information : ndarray, shape (K, P, P)
        What they add to its curvature.
    segment : ndarray of int64, shape (K,)
        That of each stride's first sample.
    """

    mean: FloatArray
    covariance: FloatArray
    gated: int
    history_time: FloatArray
    history_mean: FloatArray
    history_std: FloatArray
    scores: FloatArray
    information: FloatArray
    segment: NDArray[np.int64]


class TwoFilters:
    """State filter and parameter filter side by side, around known states and parameters.

    Parameters
    ----------
    model : JointModel
        Without additional sensors: their biases belong to the joint form.
    noise : JointNoise
    settings : JointSettings, optional
    recurrent : bool
        Whether the parameters' effect on the state estimate before counts.
    """

    def __init__(
        self,
        model: JointModel,
        noise: JointNoise,
        settings: JointSettings | None = None,
        recurrent: bool = True,
    ) -> None:
        if model.unknowns != len(model.prior.mean):
            raise ValueError("the two-filter form has no additional sensors; use JointModel.lengths_only")
        self.model, self.noise, self.settings = model, noise, settings or JointSettings()
        self.recurrent = recurrent

    def run(self, samples: JointSamples, centre: Centre) -> TwoFilterResult:
        """Estimate the parameters from the prior, with the state filter at the centre's parameters.

        Raises
        ------
        NotConverged
            As `JointFilter.run`.
        """
        model, machine, prior = self.model, self.model.machine, self.model.prior
        count = model.unknowns
        at = (centre.mean - prior.mean) / prior.std
        mean, spread = np.zeros(count), np.eye(count)
        stride = self.settings.stride
        entries = -(-len(samples) // stride)
        path = Path(stride, np.zeros((entries, count)), np.zeros((entries, count)))
        derivatives = Derivatives(np.zeros((entries, count)), np.zeros((entries, count, count)))
        motion, noise, settings = centre.motion, self.noise, self.settings
        known = model.known + model.mapping @ at
        reached, refused = _run(
            model.filtered_machine,
            SplitUnknowns(
                Unknowns(model.known, model.mapping, model.offset),
                Unknowns(known, np.zeros((len(known), 0)), np.zeros((READINGS, 0))),
                self.recurrent,
            ),
            NoiseLevels(noise.length, noise.force, noise.readings),
            FilterOptions(settings.start_std, FRESH, settings.gate, True, False),
            samples.arrays(),
            Point(at, State(motion.position, motion.rotation, motion.twist), centre.force_noise),
            Estimate(np.zeros(0), np.zeros((STATE, STATE)), one_state()),
            Gaussian(mean, spread),
            TwoFilterRecord(ForceTally(np.zeros(6), np.zeros(6)), path, derivatives),
        )
        if reached < len(samples):
            raise NotConverged(
                f"machine '{machine.name}': the dual estimate left what a machine can have at "
                f"{samples.time[reached]:.3f} s: the start is too far off, or the model is another machine's"
            )
        root = prior.std[:, None] * spread
        information = derivatives.information
        information += np.tril(information, -1).transpose(0, 2, 1)
        return TwoFilterResult(
            mean=prior.mean + prior.std * mean,
            covariance=root @ root.T,
            gated=int(refused),
            history_time=samples.time[::stride],
            history_mean=prior.mean + prior.std * path.mean,
            history_std=prior.std * path.std,
            scores=derivatives.gradient - information @ (mean - at),
            information=information,
            segment=samples.segment[::stride],
        )
