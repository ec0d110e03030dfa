# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The third stage: platform motion in, parameter estimates out."""

from __future__ import annotations

from pkm_identification.motion import TrackedSample
from pkm_identification.signals.continuity import Continuity

from .online_estimator import OnlineEstimator
from .stage_event import StageEvent


class EstimatorStage:
    """The online estimator behind a stream that may have holes the sender knows nothing of.

    Attributes
    ----------
    estimator : OnlineEstimator
        May be exchanged for one with other settings of the same sample period.
    continuity : Continuity
    events : list of StageEvent
        Of the last step.
    """

    def __init__(self, estimator: OnlineEstimator) -> None:
        self.estimator = estimator
        self.continuity = Continuity(estimator.settings.period)
        self.events: list[StageEvent] = []

    def reset(self) -> None:
        """Forget everything: afterwards the stage is as newly made."""
        self.restart()
        self.continuity.reset()

    def restart(self) -> None:
        """Forget everything learned; the count of holes in the stream goes on."""
        self.estimator.reset()
        self.events = []

    def step(self, sample: TrackedSample) -> bool:
        """Take one sample; True when it completes an equation, so that there is a new estimate."""
        self.events = []
        segment = self.continuity.number(sample.time, sample.segment)
        if segment != sample.segment:
            sample = sample._replace(segment=segment)
        jumps = self.estimator.counts["clock_jump"]
        learned = self.estimator.step(sample)
        if self.estimator.counts["clock_jump"] > jumps:
            self.events.append(StageEvent("clock_jump", "time ran backwards: estimation started afresh"))
        return learned
