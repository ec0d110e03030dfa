# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The live road of a machine of n drives: samples in, what is known of its parameters out, one sample at a time.

Three stages, each usable alone, in a process of its own:

    FilterStage(validation, filter, streams).step(time, coordinate, force) -> list[DriveSample]
        Input validation, causal filter, rate gate. `delay`, `counts`, `channels`, `events`, `rate`, `received`.
    TrackerStage(machine).step(DriveSample) -> TrackedSample | None
        Loops closed. `counts`, `fault`, `events`, `tracker`; of a machine with a platform `tracker.platform` has the
        pose. A TrackedSample has all that goes to the next process; its `state` is one row of numbers.
    EstimatorStage(OnlineEstimator(machine, settings)).step(TrackedSample) -> bool
        Equations and recursive estimator. `events`, `continuity`, `estimator` with `estimate` (names, units, values,
        deviations, status), `judged()`, `counts`, `nis`, `state` to be saved and `resume(state)` to go on from it;
        `finish()` asks the full model whether the newest minute fits: `verdict`, `fit`. Of a stream that goes on
        another thread or process may do that (`ask_judge`, `judge`, `take_verdict`).

`OnlinePipeline` has all three in one process; nodes hold one each. Machines are those of `machines.load.load_machine`,
settings those of `build_stream_settings`. A causal run over a whole log (`signals.causal.filter_log_causally`) is
tested equal to it.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pkm_identification.estimation.change_detection import ChangeTest
from pkm_identification.estimation.estimate import ParameterEstimate
from pkm_identification.estimation.filters.uncertainty import EVERY
from pkm_identification.machines.contract import Machine
from pkm_identification.machines.load import AnyMachine, as_machine
from pkm_identification.motion import TrackedSample
from pkm_identification.numerics.arrays import FloatArray

from ..rates.kinematic_cutoff import kinematic_cutoff
from ..settings import Settings
from .estimator_stage import EstimatorStage
from .filter_stage import FilterStage, by_model
from .online_estimator import OnlineEstimator
from .tracker_stage import TrackerStage

SWING_TIME, SWING = 0.5, 0.1  # of the band's settling; of a large change: a machine at rest learns nothing


def build_stream_settings(
    machine: AnyMachine, settings: Settings | None = None, period: float | None = None
) -> Settings:
    """Return settings for a stream of a machine; the period in s is its file's unless given.

    Raises
    ------
    LogError
        If neither the machine nor the caller knows the sample period.
    SettingsError
        If a filter is impossible at that period.
    """
    one, settings = as_machine(machine), settings or Settings()
    validation = settings.validation.resolve(one, period)
    cutoff = settings.filter.cutoff or kinematic_cutoff(one, validation.period)
    return replace(
        settings,
        validation=validation,
        filter=replace(settings.filter, period=validation.period, cutoff=cutoff),
        band=replace(settings.band, period=validation.period),
    )


class OnlinePipeline:
    """Samples of n drives in, parameter estimates out, one at a time.

    Parameters
    ----------
    machine : Machine
        Of the contract, or its description.
    settings : Settings, optional
        As of `build_stream_settings`.

    Raises
    ------
    SettingsError
        If the settings name an estimator that is not recursive.
    """

    def __init__(self, machine: AnyMachine, settings: Settings | None = None) -> None:
        self.machine: Machine = as_machine(machine)
        if settings is None or not settings.validation.drives:
            settings = build_stream_settings(
                self.machine, settings, settings.period or None if settings else None
            )
        self.settings = settings
        self.filter_stage = FilterStage(settings.validation, settings.filter, by_model(self.machine))
        self.tracker_stage = TrackerStage(self.machine)
        self.estimator_stage = EstimatorStage(OnlineEstimator(self.machine, settings))
        self.tracked: TrackedSample | None = None

    @property
    def estimator(self) -> OnlineEstimator:
        """The estimator of the last stage."""
        return self.estimator_stage.estimator

    @property
    def estimate(self) -> ParameterEstimate:
        """Latest estimate, or the prior; worked out when asked for."""
        return self.estimator.estimate

    @property
    def delay(self) -> float:
        """Constant delay of the filter in s."""
        return self.filter_stage.delay

    def step(self, time: float, coordinate: FloatArray, force: FloatArray | None) -> bool:
        """Take one sample of the drives.

        Parameters
        ----------
        time : float
            The sample's stamp in s.
        coordinate, force : ndarray, shape (n,)
            m or rad, N or N m; the force may be None.

        Returns
        -------
        bool
            Whether it completes an equation, so that there is a new `estimate`.
        """
        learned = False
        for filtered in self.filter_stage.step(time, coordinate, force):
            tracked = self.tracker_stage.step(filtered)
            if tracked is not None:
                self.tracked = tracked
                learned |= self.estimator_stage.step(tracked)
        return learned

    def reset(self) -> None:
        """Forget everything: afterwards the pipeline is as newly made."""
        self.filter_stage.reset()
        self.tracker_stage.reset()
        self.estimator_stage.reset()
        self.tracked = None

    def warm_up(self) -> None:
        """Compile (or load from the cache) every kernel of the online path, then forget the samples used for it."""
        self.filter_stage.warm_up(self.machine)
        home, period, band = self.machine.home, self.settings.validation.period, self.settings.band
        needed = round(self.delay / period) * 2 + band.settling + (EVERY + 1) * band.stride
        # a machine at rest learns nothing: drives swing, further and faster than that
        turn = 2.0 * np.pi / (SWING_TIME * band.settling * period)
        swing = SWING * np.array([drive.size for drive in self.machine.drives])
        still = np.zeros(len(home))
        for k in range(needed):
            self.step(k * period, home + swing * np.sin(turn * k * period), still)
        # what only later samples lead to: a first estimate, and a look at whether something has changed
        _ = self.estimate
        ChangeTest(1, 1, (1,), 1).gains()
        self.reset()
