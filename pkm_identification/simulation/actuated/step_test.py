# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The answer of a machine at home to a step along a drive or an axis, and how it changes with the drives' numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pkm_identification.mechanisms.actuators.quantity import Quantity
from pkm_identification.mechanisms.actuators.registry import varied
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.signals.step_metrics import StepMetrics, step_metrics

from .lines import check_delays
from .subject import BenchRun, Subject

DURATION = 0.3  # s
LEAD = 2e-3  # s, at rest before the step


@dataclass(frozen=True)
class StepAnswer:
    """A step and its answer.

    Attributes
    ----------
    time : ndarray, shape (N,)
        s after the step.
    answer : ndarray, shape (N,)
        Along the axis, m or rad, of the true coordinates.
    shown : ndarray, shape (N,)
        The same of what encoders are on.
    force : ndarray, shape (N, n)
        Of the drives on the mechanism.
    metrics : StepMetrics
    run : BenchRun
        All that was sampled, from before the step.
    wanted : ndarray, shape (M, n)
        Wanted coordinates at its samples.
    """

    time: FloatArray
    answer: FloatArray
    shown: FloatArray
    force: FloatArray
    metrics: StepMetrics
    run: BenchRun
    wanted: FloatArray


@dataclass(frozen=True)
class Sensitivity:
    """How an answer changes with one number of all actuators, for -p, 0 and +p.

    Attributes
    ----------
    quantity : Quantity
        Of the first actuator that has it.
    answers : tuple of three StepMetrics
    """

    quantity: Quantity
    answers: tuple[StepMetrics, StepMetrics, StepMetrics]

    @property
    def effect(self) -> float:
        """Largest change from -p to +p: of the overshoot, or of a time as a fraction of its middle value."""
        low, middle, high = self.answers
        changes = [abs(high.overshoot - low.overshoot)]
        for metric in ("first_peak", "period", "settling"):
            values = [getattr(answer, metric) for answer in (low, middle, high)]
            if None not in values and values[1] > 0:
                changes.append(abs(values[2] - values[0]) / values[1])
        return max(changes)

    def slope(self, metric: str, percent: float) -> float | None:
        """Change of a metric per percent."""
        low, high = getattr(self.answers[0], metric), getattr(self.answers[2], metric)
        return None if low is None or high is None else (high - low) / (2 * percent)


def step_answer(subject: Subject, axis: str, size: float, duration: float = DURATION) -> StepAnswer:
    """Let wanted coordinates jump along an axis at home.

    Raises
    ------
    SettingsError
        If the step, or what it overshoots to, reaches an end stop.
    """
    along = subject.direction(axis)
    change = size * along
    subject.check_reach(change, "--size", f"a step of {size:g} along '{axis}'")
    check_delays(subject.actuators, duration)
    home = subject.home

    def wanted(time: float) -> FloatArray:
        return home + change * (time >= LEAD - 1e-9)

    run = subject.run(wanted, duration + LEAD)
    begin = int(np.searchsorted(run.time, LEAD - 1e-9))
    back = along / (along @ along)
    answer, shown = ((part - part[begin]) @ back for part in (run.drive, run.shown))
    extremes = run.drive[np.array([np.argmin(answer), np.argmax(answer)])]
    for reached in extremes:
        subject.check_reach(reached - home, "--size", f"the response to a step of {size:g} along '{axis}'")
    time = run.time[begin:] - run.time[begin]
    metrics = step_metrics(time, answer[begin:], size)
    return StepAnswer(
        time,
        answer[begin:],
        shown[begin:],
        run.force[begin:],
        metrics,
        run,
        np.array([wanted(float(instant)) for instant in run.time]),
    )


def step_sensitivities(
    subject: Subject, axis: str, size: float, percent: float, duration: float = DURATION
) -> tuple[Sensitivity, ...]:
    """Vary every number of the actuators that is neither zero nor infinite, largest change of the answer first."""
    middle = step_answer(subject, axis, size, duration).metrics
    names = list(dict.fromkeys(q.name for actuator in subject.actuators for q in actuator.parameters))
    sensitivities = []
    for name in names:
        quantity = next(q for a in subject.actuators for q in a.parameters if q.name == name)
        if quantity.value == 0 or not np.isfinite(quantity.value):
            continue
        ends = []
        for factor in (1 - percent / 100, 1 + percent / 100):
            changed = tuple(
                next((varied(a, q, factor) for q in a.parameters if q.name == name), a)
                for a in subject.actuators
            )
            ends.append(step_answer(subject.with_actuators(changed), axis, size, duration).metrics)
        sensitivities.append(Sensitivity(quantity, (ends[0], middle, ends[1])))
    return tuple(sorted(sensitivities, key=lambda entry: -entry.effect))
