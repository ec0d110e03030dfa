# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The second stage: the motion of all of a machine by that of its drives, and what is wrong with it."""

from __future__ import annotations

import numpy as np

from pkm_identification.machines.contract import DEGRADED, FAILED, OTHER_MODE, Machine
from pkm_identification.motion import DriveSample, TrackedSample
from pkm_identification.numerics.finite import finite_sample

from .filter_stage import NOT_FINITE_OUTPUT
from .stage_event import StageEvent

NOT_CONVERGED, ANOTHER_MODE, NEAR_SINGULAR = "not_converged", "another_mode", "near_singular"
STATUS_NAMES = ("ok", "degraded", "failed")
_FAULTS = {DEGRADED: NEAR_SINGULAR, FAILED: NOT_CONVERGED, OTHER_MODE: ANOTHER_MODE}


class TrackerStage:
    """Forward kinematics, one sample at a time.

    Parameters
    ----------
    machine : Machine

    Attributes
    ----------
    tracker : Tracker
        Of a machine with a platform its `platform` has the pose, with what `PlatformSample` says of it.
    counts : dict of str to int
        Samples by their status; those of another assembly mode have failed.
    fault : str or None
        What is wrong with the latest motion: `NOT_CONVERGED`, `ANOTHER_MODE` or `NEAR_SINGULAR`.
    events : list of StageEvent
        Of the last step: a fault is one when it begins.
    """

    def __init__(self, machine: Machine) -> None:
        self.tracker = machine.create_tracker(np.zeros((len(machine.basis), 0)))
        self.reset()

    def reset(self) -> None:
        """Forget everything: afterwards the stage is as newly made."""
        self.tracker.reset()
        self.counts = dict.fromkeys(STATUS_NAMES, 0)
        self.fault: str | None = None
        self.events: list[StageEvent] = []

    def restart(self) -> None:
        """Start from home again; the counts go on."""
        self.tracker.reset()

    def step(self, sample: DriveSample) -> TrackedSample | None:
        """Return the motion of one filtered sample; None when a number of it is not finite."""
        time, coordinate, rate, acceleration, force, segment = sample
        tracker = self.tracker
        status = tracker.step(coordinate, rate, acceleration)
        self.counts[STATUS_NAMES[min(status, FAILED)]] += 1
        fault = _FAULTS.get(status)
        self.events = []
        if fault is not None and fault != self.fault:
            self.events.append(StageEvent(fault, tracker.message))
        self.fault = fault
        if not finite_sample(coordinate, rate, acceleration, force, tracker.row):
            tracker.reset()
            text = "forward kinematics gave a number that is not finite"
            self.events.append(StageEvent(NOT_FINITE_OUTPUT, text))
            return None
        return TrackedSample(
            time, coordinate, rate, acceleration, force, segment, tracker.row, status, tracker.residual
        )
