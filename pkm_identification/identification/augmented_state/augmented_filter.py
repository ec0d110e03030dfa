# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""The joint filter: pose, twist and parameters of a machine from strut lengths and forces, nothing differentiated.

Measured forces drive the machine's own equations of motion (`state_model`), whose noise is the forces'; strut lengths
correct state and parameters at once. There is no low-pass, no difference quotient and no delay.
"""

from __future__ import annotations

import numpy as np

from pkm_identification.errors import NotConverged
from pkm_identification.motion import STRUTS, PlatformMotion
from pkm_identification.numerics.arrays import FloatArray

from .filtering import (
    FILTERED,
    FRESH,
    GIVEN,
    GOOD,
    NO_POSE,
    run_filter,
    spread_state,
)
from .model import JointModel, JointNoise, JointSamples
from .prediction import STATE
from .records import (
    Estimate,
    Filtered,
    FilterOptions,
    FilterRecord,
    ForceTally,
    Kept,
    NoiseLevels,
    Path,
    Point,
    State,
    Tallies,
    Unknowns,
    rows,
)
from .results import (
    Centre,
    JointResult,
    JointSettings,
    SmoothedStates,
)
from .smoother import smooth

WINDOW, OVERLAP = (
    4000,
    300,
)  # samples smoothed at a time, and looked ahead: far longer than a state is remembered


class JointFilter:
    """State and parameters of one machine in one square-root UKF.

    Parameters
    ----------
    model : JointModel
    noise : JointNoise
    settings : JointSettings, optional
    """

    def __init__(self, model: JointModel, noise: JointNoise, settings: JointSettings | None = None) -> None:
        self.model = model
        self.noise = noise
        self.settings = settings or JointSettings()
        self.reset()

    def reset(self) -> None:
        """Return to the prior, at home and at rest."""
        machine, count = self.model.machine, self.model.unknowns
        self._values = np.zeros(count)
        self._root = np.eye(count + STATE)
        self._position = machine.home_position.copy()
        self._rotation = np.array(machine.home_rotation, order="C")
        self._twist = np.zeros(6)
        self._start = FRESH

    def start_at(
        self, position: FloatArray, rotation: FloatArray, twist: FloatArray, std: FloatArray
    ) -> None:
        """Begin the next log with a state and its standard deviations (12,) instead of forward kinematics."""
        self._position[:], self._rotation[:], self._twist[:] = position, rotation, twist
        spread_state(self._root, np.asarray(std, dtype=float))
        self._start = GIVEN

    @property
    def mean(self) -> FloatArray:
        """Parameters in SI units, shape (P,)."""
        prior = self.model.prior
        return prior.mean + prior.std * self._values[: len(prior.mean)]

    @property
    def covariance(self) -> FloatArray:
        """Covariance of the parameters in SI units, shape (P, P)."""
        std = self.model.prior.std
        root = self._root[: len(std), : len(std)] * std[:, None]
        return root @ root.T

    @property
    def state(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Position (3,), rotation (3, 3) and twist (6,) after the last sample."""
        return self._position.copy(), self._rotation.copy(), self._twist.copy()

    def run(self, samples: JointSamples, centre: Centre | None = None) -> JointResult:
        """Filter a log from its first sample to its last, going on with the parameters known so far.

        Parameters
        ----------
        samples : JointSamples
        centre : Centre, optional
            The model is made linear around it, instead of around the estimate as it grows.

        Raises
        ------
        NotConverged
            If the pose cannot be found at a segment's start, or the parameters left what a machine can have.
        """
        pass_ = _Pass(self, samples, centre)
        pass_.go(0, len(samples), self._start)
        self._start = FRESH
        return pass_.result()

    def smoothed(self, samples: JointSamples, centre: Centre | None = None) -> SmoothedStates:
        """Filter a log forward and go back over it: states by all samples, before and after (known parameters only).

        Raises
        ------
        NotConverged
            As `run`.
        ValueError
            If the model has unknowns.
        """
        if self.model.unknowns:
            raise ValueError("states are smoothed with known parameters; fix them first (`JointModel.fixed`)")
        pass_ = _Pass(self, samples, centre, keep=WINDOW + OVERLAP + 1)
        for begin in range(0, len(samples), WINDOW):
            end = min(begin + WINDOW, len(samples))
            pass_.smooth_window(begin, end, FILTERED if begin else self._start)
        self._start = FRESH
        return pass_.smoothed()


def _states(count: int) -> State:
    return State(np.empty((count, 3)), np.empty((count, 3, 3)), np.empty((count, 6)))


def _kept_rows(kept: Kept, part: slice) -> Kept:
    return Kept(
        kept.fresh[part], rows(kept.prior, part), kept.prior_root[part], kept.columns[part], kept.root[part]
    )


class _Pass:
    """Arrays of one run over a log."""

    def __init__(
        self, filter_: JointFilter, samples: JointSamples, centre: Centre | None, keep: int = 0
    ) -> None:
        self._filter, self._samples = filter_, samples
        count, unknowns, stride = len(samples), filter_.model.unknowns, filter_.settings.stride
        entries = -(-count // stride)
        self._filtered = Filtered(
            _states(count), np.empty((count, 6)), np.empty((count, STATE)), np.empty(count)
        )
        self._path = Path(stride, np.empty((entries, unknowns)), np.empty((entries, unknowns)))
        self._tallies = Tallies(
            ForceTally(np.zeros(STRUTS), np.zeros(STRUTS)),
            np.zeros(1, dtype=np.int64),
            np.zeros(1, dtype=np.int64),
            np.zeros(1),
            np.zeros(1, dtype=np.int64),
        )
        self._noise = np.zeros((2, count if keep else 0, STRUTS))
        self._kept = Kept(
            np.empty(keep, dtype=np.bool_),
            _states(keep),
            np.empty((keep, STATE, STATE)),
            np.empty((keep, STATE, 18)),
            np.empty((keep, STATE, STATE)),
        )
        self._keep = keep > 0
        self._centred = centre is not None
        values, prior = np.zeros(unknowns), filter_.model.prior
        if centre is None:
            state, noise = State(np.zeros((1, 3)), np.zeros((1, 3, 3)), np.zeros((1, 6))), np.zeros((1, 6))
        else:
            if unknowns:
                values[: len(prior.mean)] = (centre.mean - prior.mean) / prior.std
            motion, noise = centre.motion, centre.force_noise
            state = State(motion.position, motion.rotation, motion.twist)
        self._centre = Point(values, state, noise)

    def go(self, begin: int, end: int, start: int, kept_from: int = 0) -> None:
        """Filter the samples from `begin` up to `end`."""
        f, s = self._filter, self._samples
        model, machine, part = f.model, f.model.machine, slice(begin, end)
        centre = self._centre
        if self._centred:
            centre = Point(centre.values, rows(centre.state, part), centre.force[part])
        settings, out = f.settings, self._filtered
        status, place = run_filter(
            model.filtered_machine,
            Unknowns(model.known, model.mapping, model.offset),
            NoiseLevels(f.noise.length, f.noise.force, f.noise.readings),
            FilterOptions(settings.start_std, start, settings.gate, self._centred, self._keep),
            rows(s.arrays(), part),
            centre,
            Estimate(f._values, f._root, State(f._position, f._rotation, f._twist)),
            FilterRecord(
                Filtered(rows(out.state, part), out.acceleration[part], out.std[part], out.nis[part]),
                self._path,
                self._tallies,
                _kept_rows(self._kept, slice(kept_from, None)),
            ),
        )
        if status != GOOD:
            at = f"at {s.time[begin + place]:.3f} s"
            if status == NO_POSE:
                raise NotConverged(f"machine '{machine.name}': no pose for the lengths {at}")
            raise NotConverged(
                f"machine '{machine.name}': the joint estimate left what a machine can have {at}: "
                "the start is too far off, or the model is another machine's"
            )

    def smooth_window(self, begin: int, end: int, start: int) -> None:
        """Filter a window and look ahead, go back over both, and leave the filter standing at the window's end."""
        f = self._filter
        # what continues begins with the last sample of the window before, whose filtered state is known
        first = begin - 1 if start == FILTERED else begin
        ahead = min(end + OVERLAP, len(self._samples))
        self.go(first, end, start)
        estimate = (f._root, f._position, f._rotation, f._twist)
        stands = [array.copy() for array in estimate]
        if ahead > end:
            self.go(end - 1, ahead, FILTERED, kept_from=end - 1 - first)
        window = slice(begin, ahead)
        smooth(
            _kept_rows(self._kept, slice(begin - first, ahead - first)),
            f.noise.force,
            rows(self._filtered.state, window),
            self._filtered.std[window],
            self._noise[0, window],
            self._noise[1, window],
        )
        for array, value in zip(estimate, stands, strict=True):
            array[:] = value

    def result(self) -> JointResult:
        f, time = self._filter, self._samples.time
        out, tallies, path = self._filtered, self._tallies, self._path
        prior, width, unknowns = f.model.prior, len(f.model.prior.mean), f.model.unknowns
        bias = f.model.machine.sensors.bias[: unknowns - width]
        return JointResult(
            motion=PlatformMotion(time, *out.state, out.acceleration),
            std=out.std,
            mean=f.mean,
            covariance=f.covariance,
            bias=bias * f._values[width:],
            bias_std=bias * np.linalg.norm(f._root[width:unknowns], axis=1),
            history_time=time[:: f.settings.stride],
            history_mean=prior.mean + prior.std * path.mean[:, :width],
            history_std=prior.std * path.std[:, :width],
            nis=out.nis,
            reading_nis=float(tallies.reading_nis[0] / tallies.readings[0])
            if tallies.readings[0]
            else float("nan"),
            force_ratio=tallies.force.seen / np.maximum(tallies.force.expected, 1e-300),
            gated=int(tallies.refused[0]),
            restarts=int(tallies.restarted[0]),
        )

    def smoothed(self) -> SmoothedStates:
        f = self._filter
        out = self._filtered
        noise, variance = self._noise
        shown = np.sum(np.maximum(f.noise.force**2 - variance, 0.0), axis=0)
        return SmoothedStates(
            motion=PlatformMotion(self._samples.time, *out.state, out.acceleration),
            std=out.std,
            force_noise=noise,
            force_ratio=np.sum(noise**2, axis=0) / np.maximum(shown, 1e-300),
            nis=out.nis,
        )
