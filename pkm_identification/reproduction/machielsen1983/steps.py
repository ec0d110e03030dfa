# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Steps of a setpoint in V of machines with the thesis' servos, and what it reads off them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pkm_identification.errors import NotConverged
from pkm_identification.mechanisms.actuators import Hydraulic, HydraulicReduced
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.signals.step_metrics import step_metrics
from pkm_identification.simulation.actuated.subject import Subject

PERIOD = 2e-4  # s, between samples


@dataclass(frozen=True)
class VoltStep:
    """A step of one servo's setpoint, the others held.

    Attributes
    ----------
    time, share : ndarray, shape (N,)
        s after the step, voltage of its sensor as a part of the step.
    read : tuple of float
        First peak and period in ms, overshoot in %, NaN for what there is not, as the thesis prints them.
    aside : ndarray, shape (n,)
        Largest way of each other drive, in % of this one's.
    delay : float
        s, by which the sensor's voltage is late.
    """

    time: FloatArray
    share: FloatArray
    read: tuple[float, float, float]
    aside: FloatArray
    delay: float


def servo_of(subject: Subject, drive: int) -> Hydraulic | HydraulicReduced:
    """Return the servo of a drive."""
    servo = subject.actuators[drive]
    assert isinstance(servo, Hydraulic | HydraulicReduced)
    return servo


def step_volts(subject: Subject, drive: int, volts: float, duration: float) -> VoltStep:
    """Let the setpoint of a drive jump by `volts` from rest at home.

    Raises
    ------
    NotConverged
        If the answer has no peak.
    """
    servo = servo_of(subject, drive)
    assert servo.loop is not None
    gain, late = servo.loop.sensor_gain, servo.loop.sensor_delay
    wanted = subject.home + volts / gain * np.eye(len(subject.home))[drive]
    run = subject.run(lambda _: wanted, duration, PERIOD)
    moved = run.drive - run.drive[0]
    share = moved[:, drive] * gain / volts
    metrics = step_metrics(run.time, share)
    if metrics.first_peak is None:
        raise NotConverged(f"the answer of drive {drive + 1} to {volts:g} V has no peak")
    period = np.nan if metrics.period is None else 1e3 * metrics.period
    ways = np.abs(moved).max(axis=0)
    aside = np.delete(100.0 * ways / ways[drive], drive)
    # the sensor shows the same, later
    read = (1e3 * (metrics.first_peak + late), period, 100.0 * metrics.overshoot)
    return VoltStep(run.time + late, share, read, aside, late)
