# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Good platform and strut samples of one guarded log: filtered, with a pose found for each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pkm_identification.machines.contract import Motion
from pkm_identification.mechanisms.hexapod.kinematics.forward import OK, platform_motion
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import PlatformMotion, StrutMotion, joined
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.signals.causal import FilterSettings, filter_log_causally
from pkm_identification.signals.guard import GuardedLog
from pkm_identification.signals.zero_phase import filter_log

from .equations.twin_motions import twin_motions
from .rates.rounding_watch import rounded_after
from .regression.samples import Samples as DriveSamples


@dataclass(frozen=True)
class Place:
    """Where samples stand in a longer log.

    Attributes
    ----------
    row : int
        Of the longer log, which the first sample is from; runs of good poses are numbered by the row they begin with.
    run : int or None
        The run of the first sample, if it began before.
    pose : tuple of position (3,) and rotation (3, 3), or None
        That of the first sample, as far as it is known.
    begin, end : float
        As in `Samples`.
    """

    row: int = 0
    run: int | None = None
    pose: tuple[FloatArray, FloatArray] | None = None
    begin: float = -np.inf
    end: float = np.inf


@dataclass(frozen=True)
class Samples:
    """Samples of one log.

    Attributes
    ----------
    platform : PlatformMotion
    struts : StrutMotion
        Its segments are runs of good poses.
    failed : int
        Samples without a good pose, which are left out.
    twins : tuple of PlatformMotion
        Twins of the motion, where asked for.
    wrong_rate : int
        Samples a causal run left out because of their rate.
    begin, end : float
        Stamps in s from and before which they are these samples' own; what is beyond is there for the filters, and
        other samples have it, too.
    rounded_after : float
        Stamp in s of the sample by which a causal run finds lengths rounded; what follows has rates with noise.
    low_pass : FilterSettings or None
        What the samples of a causal run have passed.
    """

    platform: PlatformMotion
    struts: StrutMotion
    failed: int
    twins: tuple[PlatformMotion, ...] = ()
    wrong_rate: int = 0
    begin: float = -np.inf
    end: float = np.inf
    rounded_after: float = -np.inf
    low_pass: FilterSettings | None = None

    def own(self, time: FloatArray) -> slice:
        """Which of these stamps are its own; nothing is left out of samples that share none with others."""
        if np.isinf(self.begin) and np.isinf(self.end):
            return slice(None)
        first, last = np.searchsorted(time, [self.begin, self.end])
        return slice(int(first), int(last))

    @property
    def of_drives(self) -> DriveSamples:
        """The same behind the machine contract; raises ValueError where there are no forces."""
        struts, platform = self.struts, self.platform
        if struts.force is None:
            raise ValueError("samples without forces make no equations")
        count = len(struts)
        state = (platform.position, platform.rotation, platform.twist, platform.acceleration)
        status = np.zeros(count, dtype=np.uint8)
        motion = Motion(struts.length, struts.rate, struts.acceleration, state, status, np.zeros(count))
        return DriveSamples(struts.time, motion, struts.force, struts.segment, np.arange(count), self.failed)

    @classmethod
    def joined(cls, stretches: Sequence[Samples]) -> Samples:
        """Successive stretches of one log behind the zero-phase filter as one, of what is their own; no twins."""
        if len(stretches) == 1:
            return stretches[0]
        own = [one.own(one.struts.time) for one in stretches]
        return cls(
            joined([one.platform[rows] for one, rows in zip(stretches, own, strict=True)]),
            joined([one.struts[rows] for one, rows in zip(stretches, own, strict=True)]),
            sum(one.failed for one in stretches),
        )


def samples_of(
    log: GuardedLog,
    machine: Machine,
    settings: FilterSettings,
    *,
    causal: bool = False,
    twins: bool = False,
    place: Place | None = None,
) -> Samples:
    """Samples of one log with a good pose.

    Parameters
    ----------
    log : GuardedLog
    machine : Machine
    settings : FilterSettings
        Of the kinematic low-pass.
    causal : bool
        Filter as online; else zero-phase.
    twins : bool
        Add the twins of the motion (`twins`).
    place : Place, optional
        Where these samples stand in a longer log.
    """
    place = place or Place()
    struts, wrong_rate = (
        filter_log_causally(log, settings)
        if causal
        else (filter_log(log, settings.cutoff, settings.order), 0)
    )
    platform, poses = platform_motion(machine, struts, place.pose)
    others = []
    if twins:
        pair = twin_motions(log, struts, settings.cutoff, settings.order)
        others = [platform_motion(machine, twin)[0] for twin in pair]
    good = poses.status == OK
    struts = replace(struts, segment=_runs(struts.segment, good, place))
    own = Samples(platform, struts, 0, begin=place.begin, end=place.end).own(struts.time)
    failed = int(np.count_nonzero(~good[own]))
    if not good.all():
        struts = struts[good]
        platform = platform[good]
        others = [motion[good] for motion in others]
    after = rounded_after(machine, struts, settings) if causal else -np.inf
    passed = settings if causal else None
    return Samples(platform, struts, failed, tuple(others), wrong_rate, place.begin, place.end, after, passed)


def _runs(segment: NDArray[np.int64], good: NDArray[np.bool_], place: Place) -> NDArray[np.int64]:
    """The run that each row (N,) with a good pose belongs to: a missing pose ends one just as a gap does."""
    begins = np.ones(len(segment), dtype=bool)
    begins[1:] = (np.diff(segment) != 0) | ~good[:-1]
    number = np.maximum.accumulate(np.where(begins, np.arange(len(segment)), 0)) + place.row
    if place.run is not None and len(good) and good[0]:
        number[number == place.row] = place.run
    return number
