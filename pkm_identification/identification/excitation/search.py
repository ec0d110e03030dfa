# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""A search for a motion that shows a set of parameters well, within all limits of a machine.

From the motion `rich`, amplitudes and phases of sums of sines are changed: down the criterion's derivatives
(`descent`) and then from changed motions again, or for a criterion without derivatives at random ((1+1) evolution, step
sizes by the fifth rule). Nothing but a better motion that keeps the limits replaces the best one: what more time finds
is never worse, and the same seed tries the same motions in the same order.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from pkm_identification.errors import SettingsError
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.progress import announce
from pkm_identification.simulation.waveforms import MultiSine

from .criteria import Criterion
from .descent import Ended, descend
from .subject import Subject

_STEP, _LARGEST_STEP, _SMALLEST_STEP = 0.15, 0.6, 1e-3
_CHANGED = 6  # amplitudes at a time
_SHRINK, _MOST_SHRINKS = 0.98, 100
_PENALTIES = (1e4, 3e2, 1e4)  # of leaving the limits, one after the other
_SMALLER = (1.0, 0.995, 0.99, 0.98, 0.965, 0.94, 0.9)
_SHAKE, _SHAKES = 0.6, 20  # before the way down begins anew
_MOST_LOADING = 0.5  # of the budget
_EVERY = 2.0  # s, between two lines of progress


@dataclass(frozen=True)
class Excitation:
    """A motion and what it is worth.

    Attributes
    ----------
    signal : MultiSine
    start, value : float
        The criterion of `rich` and of the motion: smaller is better.
    tried, kept : int
        Changes.
    gain : ndarray, shape (P,)
        Deviations after `rich` over those after the motion: equal time, white noise of a part of each drive's rms
        force.
    """

    signal: MultiSine
    start: float
    value: float
    tried: int
    kept: int
    gain: FloatArray


def search(
    subject: Subject,
    criterion: Criterion,
    budget: float,
    seed: int = 0,
    say: Callable[[str], None] = lambda text: None,
    stopped: Callable[[], bool] = lambda: False,
    most: int | None = None,
    started: float | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> Excitation:
    """Search a motion for as long as the budget lasts.

    Parameters
    ----------
    subject : Subject
    criterion : Criterion
    budget : float
        s, from when loading began, so that the whole takes no longer; kernels that are compiled the first time take
        more than half of it, and half of it is searched in any case.
    seed : int
        Of the changes.
    say : callable
        Takes lines of progress.
    stopped : callable
        Whether to end with the best so far.
    most : int, optional
        Changes to try at most.
    started : float, optional
        When loading began, by the clock: how long it took is said. Now, if it is not given.
    clock : callable
        Time in s.

    Raises
    ------
    SettingsError
        If the budget is nothing, or the machine has no room for a motion.
    """
    if not budget > 0:
        raise SettingsError(f"budget {budget:g} s: must be more than 0")
    run = _Run(
        subject, criterion, budget, seed, say=say, stopped=stopped, most=most, clock=clock, started=started
    )
    if started is not None:
        say(
            f"loaded in {run.ready - started:.1f} s; {run.end - run.ready:.1f} s of {budget:g} s remain for the search"
        )
    if criterion.smooth:
        run.steps()
    else:
        run.changes()
    gain = criterion.deviations(run.reference) / criterion.deviations(run.columns)
    return Excitation(run.best, run.start, run.value, run.tried, run.kept, gain)


class _Run:
    """One search: the best motion so far, and the clock."""

    def __init__(
        self,
        subject: Subject,
        criterion: Criterion,
        budget: float,
        seed: int,
        *,
        say: Callable[[str], None],
        stopped: Callable[[], bool],
        most: int | None,
        clock: Callable[[], float],
        started: float | None,
    ) -> None:
        self._subject, self._criterion = subject, criterion
        self._say, self._stopped, self._most, self._clock = say, stopped, most, clock
        self._rng = np.random.default_rng(seed)
        self.reference, self.best, self.columns = _choose_start(subject)
        criterion.protect(self.reference)
        self.start, self.value = criterion(self.reference), criterion(self.columns)
        self.tried = self.kept = 0
        self.ready = self._last_report = clock()
        loading = 0.0 if started is None else self.ready - started
        self.end = self.ready + budget - min(loading, _MOST_LOADING * budget)

    def ended(self) -> bool:
        """Return whether the budget is used up, or somebody says so; progress is reported on the way."""
        now = self._clock()
        announce("searching", now - self.ready, self.end - self.ready)
        if now - self._last_report > _EVERY:
            self._last_report = now
            self._say(
                f"{self.tried} motions tried, {self.kept} better ones; "
                f"criterion {self.start:.4g} -> {self.value:.4g}"
            )
        return now >= self.end or self.tried == self._most or self._stopped()

    def offer(self, signal: MultiSine) -> bool:
        """Take a motion if it is better and keeps the limits."""
        self.tried += 1
        columns = self._subject.columns(signal)
        if columns is None:
            return False
        value = self._criterion(columns)
        if not value < self.value or not self._subject.allowed(signal):
            return False
        self.best, self.columns, self.value = signal, columns, value
        self.kept += 1
        return True

    def steps(self) -> None:
        """Down the criterion's derivatives, again and again from changed motions."""
        start = self.best
        with suppress(Ended):
            while not self.ended():
                for weight in _PENALTIES:
                    start = descend(
                        self._subject, self._criterion, weight, start, self._offer_inside, self.ended
                    )
                start = self.best
                for _ in range(_SHAKES):
                    start = _vary_amplitudes(start, _SHAKE, self._rng)

    def _offer_inside(self, signal: MultiSine) -> None:
        """Offer a motion that may be too large, made smaller until it is none."""
        for factor in _SMALLER:
            if self.ended():
                raise Ended
            if self.offer(signal.scale(factor)):
                return

    def changes(self) -> None:
        """At random: (1+1) evolution."""
        step = _STEP
        while not self.ended():
            if self.offer(_vary_amplitudes(self.best, step, self._rng)):
                step = min(1.5 * step, _LARGEST_STEP)
            # 1.5 up for each success, so many down that a fifth of successes leaves the step as it is
            step = max(step * 1.5**-0.25, _SMALLEST_STEP)


def _choose_start(subject: Subject) -> tuple[FloatArray, MultiSine, FloatArray]:
    """Columns of `rich`; a motion within the limits between samples too, `rich` or a smaller one, and its columns."""
    signal = subject.start
    reference = subject.columns(signal)
    columns = reference
    for _ in range(_MOST_SHRINKS):
        if columns is not None:
            reference = columns if reference is None else reference
            if subject.allowed(signal):
                return reference, signal, columns
        signal = signal.scale(_SHRINK)
        columns = subject.columns(signal)
    raise SettingsError(
        "no motion around home, however small, stays within the limits: the machine's, and joint angles where stated"
    )


def _vary_amplitudes(signal: MultiSine, step: float, rng: np.random.Generator) -> MultiSine:
    """Some amplitudes changed by a part of what their axis moves; slow tones more than fast ones."""
    sine, cosine = signal.sine.copy(), signal.cosine.copy()
    axis = rng.integers(0, len(sine), _CHANGED)
    tone = rng.integers(0, len(signal.frequency), _CHANGED)
    reach = np.sqrt(np.mean(sine**2 + cosine**2, axis=1))[axis]
    reach = reach * np.minimum(1.0, 1.0 / signal.frequency[tone] ** 2)
    change = step * reach * rng.normal(size=(2, _CHANGED))
    np.add.at(sine, (axis, tone), change[0])
    np.add.at(cosine, (axis, tone), change[1])
    factor = np.exp(0.1 * step * rng.normal())
    return MultiSine(signal.frequency, factor * sine, factor * cosine)
