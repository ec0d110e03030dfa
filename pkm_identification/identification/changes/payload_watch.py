# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Notices that a machine has taken something up or set it down, and estimates what.

The machine's own parameters are kept: a payload is up to ten more, opened when it appears and estimated together with
the machine's, which are known so well by then that they hardly move. Noticing is a likelihood ratio test on the
innovations (`change`). While the estimation band's filter settles after a jump, its equations mix before and after and
are left out; the filter itself runs on. A change of friction is the rival explanation; the payload must be the better.
A payload comes at one instant: what shows before its onset is a drift, and is none.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from pkm_identification.estimation.change_detection import (
    ChangeFit,
    ChangeTest,
    keep,
    whitened_innovation,
    write_gains,
)
from pkm_identification.estimation.filters.parameter_filter import Belief
from pkm_identification.estimation.filters.recursive import RecursiveEstimator
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.compiled import kernel
from pkm_identification.parameters.parameter_set import ParameterSet
from pkm_identification.signals.band import BandSettings

from ..equations.equation_filter import Equation
from .drift import FrictionDrift
from .onset import KEPT, OnsetSearch, is_jump
from .payload import Carrier, PayloadEstimate, PayloadEvent

LAGS = (3, 8, 25)  # equations over which a change is looked for
# Twice the log likelihood ratio that is taken for a change. Chi-square of 10 exceeds it once in 1e12 equations; ten
# minutes of simulated motions, with the friction law's imperfect bend in the residual, reach 38.
SUSPICIOUS = 80.0
ARMED_AFTER = 150  # equations of an unchanged machine: before, the parameters still move
ARMED_AGAIN = 30  # after a payload was taken up or set down: the machine itself is known
CLEAN = 12  # equations behind the settling that must show a payload
PATIENCE = 25  # such equations after which the suspicion is dropped
# Mean squared whitened innovation per output, up to which a change counts as explained.
EXPLAINED = 3.0
# Of what a load must explain over the most that a change explained which was none: where drives turn round, models
# leave as much again and again. What is larger than that was a change, if none that is known.
BEYOND, MOST_LEFT = 2.0, 5.0 * SUSPICIOUS
ADVANTAGE = 10.0  # of the payload's evidence over its rival's: twice a log likelihood ratio, very strong
CERTAIN = 5.0  # standard deviations of the mass, or of what weighs in its place (`Carrier.find_weight`)
WEIGHED_AFTER = 25  # equations of a load, a second: one whose total deviation is larger still is withdrawn
ANOTHER = 30.0  # by which a load that has changed must explain more than none at all
# Both as parts of what the change explains: of a large one no model explains the last permille, as the jolt that it
# gives the machine passes.
LEFT, MORE = 1e-3, 2.5e-4
# The same behind drives that yield: their coordinates are wrong by the load until the model they are corrected by has
# it.
ELASTIC_LEFT, ELASTIC_MORE = 0.02, 0.005


class _Believed(NamedTuple):
    """A `Belief`, with names.

    Mean and covariance are worked out where they are needed, which is rarely.
    """

    center: FloatArray
    scale: FloatArray
    moved: FloatArray
    root: FloatArray

    @classmethod
    def kept(cls, state: Belief) -> _Believed:
        """A state to be kept while the filter goes on in it."""
        center, scale, moved, root = state
        return cls(center, scale, moved.copy(), root.copy())

    def of_first(self, count: int) -> _Believed:
        """Return the same of the first so many parameters."""
        return _Believed(self.center[:count], self.scale[:count], self.moved[:count], self.root[:count])

    @property
    def mean(self) -> FloatArray:
        """SI units, shape (P,)."""
        return self.center + self.scale * self.moved

    @property
    def covariance(self) -> FloatArray:
        """SI units, shape (P, P)."""
        return (self.root @ self.root.T) * np.outer(self.scale, self.scale)


@kernel
def _look(columns, load, measured, believed, noise, scales, tests):
    """Whiten an equation's columns of what may have changed, next to its innovation, and keep it.

    Gives the largest gain of the load's windows, 0 where there are none, and -1 for an equation that is not usable.
    `scales` are standard deviations of a payload, which columns are friction's, and standard deviations of those.
    `tests` are where the tests of load and friction keep theirs, and windows of the load's, whose gains are written if
    they have any equations.
    """
    load_std, which, friction_std = scales
    of_load, of_friction, windows = tests
    size, own = load.shape
    changed = np.empty((size, own + which.size))
    # of both, of the load and of friction alone, the last column being the innovation's
    both, load_rows = np.empty((size, own + which.size + 1)), np.empty((size, own + 1))
    friction_rows = np.empty((size, which.size + 1))
    for k in range(size):
        for i in range(own):
            changed[k, i] = load[k, i] * load_std[i]
        for i in range(which.size):
            changed[k, own + i] = columns[k, which[i]] * friction_std[i]
    if not whitened_innovation(columns, changed, measured, believed, noise, both):
        return -1.0
    for k in range(size):
        for i in range(own):
            load_rows[k, i] = both[k, i]
        load_rows[k, own] = both[k, own + which.size]
        for i in range(which.size + 1):
            friction_rows[k, i] = both[k, own + i]
    ring, products, index = of_load
    keep(load_rows, ring, products, index)
    largest = 0.0
    if windows[1] > 0:
        write_gains(products, index, windows, SUSPICIOUS)
        largest = windows[5].max()
    ring, products, index = of_friction
    keep(friction_rows, ring, products, index)
    return largest


class PayloadWatch:
    """Stands between the equations and the machine's estimator.

    Parameters
    ----------
    machine : RecursiveEstimator
        Of the machine's own parameters. While something is carried it follows the estimator of both.
    carrier : Carrier
        What loads are fixed to.
    band : BandSettings
    make : callable
        Makes an estimator like the machine's of other parameters.
    drift : FrictionDrift, optional
        Opens the friction parameters when they have changed.
    clean : int
        Equations behind the settling that must show a payload.
    elastic : bool
        Whether lengths are behind drives that yield under the load.

    Attributes
    ----------
    carrying : bool
        Whether something is known to be carried.
    events : deque of PayloadEvent
        The last few.
    suspicions : int
        How often something seemed to have changed.
    """

    def __init__(
        self,
        machine: RecursiveEstimator,
        carrier: Carrier,
        band: BandSettings,
        make: Callable[[ParameterSet], RecursiveEstimator],
        drift: FrictionDrift | None = None,
        clean: int = CLEAN,
        elastic: bool = False,
    ) -> None:
        self.machine = machine
        self.loaded = make(carrier.extend(machine.parameters))
        self.drift = drift
        self._clean = clean
        self._left, self._more = (ELASTIC_LEFT, ELASTIC_MORE) if elastic else (LEFT, MORE)
        self._carrier, self._prior = carrier, carrier.prior
        self._onset = OnsetSearch(band)
        friction = np.empty(0, dtype=np.int64) if drift is None else drift.which
        self._scales = self._prior.std, friction, np.empty(0) if drift is None else drift.std
        self._test = ChangeTest(len(carrier.felt), machine.outputs, LAGS, KEPT)
        self._rival = ChangeTest(0, machine.outputs, (1,), 1) if drift is None else drift.test
        self.events: deque[PayloadEvent] = deque(maxlen=8)
        self.reset()

    def reset(self) -> None:
        """Nothing is carried and nothing is suspected."""
        self.carrying = False
        self.events.clear()
        self.suspicions = 0
        self._taken_at = (float("nan"), float("nan"))
        self._left_at = self.machine.filter.count
        self._dropped = 0.0  # the most that a suspicion explained which was dropped
        self._calm(ARMED_AFTER)

    def _calm(self, armed_after: int) -> None:
        """Begin to watch anew."""
        self._armed_after = armed_after
        self._held: list[Equation] = []
        self._suspected_at: float | None = None
        self._lag = 0
        self._before: deque[_Believed] = deque(maxlen=LAGS[-1] + 2)
        self._test.clear()
        if self.drift is not None:
            self.drift.clear()

    @property
    def active(self) -> RecursiveEstimator:
        """The estimator that takes the equations at present."""
        return self.loaded if self.carrying else self.machine

    @property
    def suspecting(self) -> bool:
        """Whether something has changed and it is not clear yet what."""
        return self._suspected_at is not None

    @property
    def payload(self) -> PayloadEstimate | None:
        """What is carried, as known by now."""
        if not self.carrying:
            return None
        own, loaded = len(self.machine.prior.mean), self.loaded
        mean, covariance = loaded.widen()
        return self._carrier.estimate(mean[own:], covariance[own:, own:], self._taken_at, self._count_carried)

    @property
    def _count_carried(self) -> int:
        """Equations of the load."""
        return self.loaded.filter.count - self._count_before

    def rest(self) -> None:
        """The machine stands still: what has seemed to change is given up, with the equations held back for it.

        They are of the last moments before, when static friction takes over; a load is put on while the machine rests,
        and both together are explained by none. The watch stays armed: how the machine moves on tells of the load.
        """
        if self.suspecting:
            self._calm(0)

    def step(self, equation: Equation) -> bool:
        """Take one equation; False when it was rejected, or is held back until a suspicion is cleared."""
        if self.machine.filter.count != self._left_at:
            # somebody else has set the machine's estimator to another state
            self.reset()
        accepted = self._step(equation)
        if self.carrying and not self._weighed and self._count_carried >= WEIGHED_AFTER:
            self._withdraw_unless_weighed(equation.time)
        self._left_at = self.machine.filter.count
        return accepted

    def _step(self, equation: Equation) -> bool:
        active = self.active
        state = active.believed
        suspecting = self.suspecting
        asked = self._test.count >= self._armed_after and not suspecting
        gain = self._look(equation, active, state, asked)
        usable = gain >= 0.0
        if suspecting:
            self._held.append(equation)
            clean = len(self._held) - self._onset.settle
            if usable and clean >= self._clean:
                self._assess(clean)
            if self.suspecting and clean >= PATIENCE:
                self._drop_suspicion()
            return False
        if usable and asked:
            if gain > SUSPICIOUS:
                self.suspicions += 1
                self._suspected_at = equation.time
                self._lag = LAGS[int(np.argmax(self._test.last_gains))]
                self._held = [equation]
                return False
            if self.drift is not None and self.drift.due() and self.drift.detected(self._test):
                self.drift.open(self.active)
                self._before.clear()
        self._before.append(_Believed.kept(state))
        return self._feed(equation)

    def _columns(self, equation: Equation) -> FloatArray:
        return equation.both if self.carrying else equation.regressor

    def _feed(self, equation: Equation) -> bool:
        accepted = self.active.step(
            equation.time, self._columns(equation), equation.measured, equation.transition, equation.late
        )
        if accepted and self.carrying:
            own = len(self.machine.prior.mean)
            loaded = self.loaded.filter
            self.machine.take_over(self.loaded, loaded.mean[:own], loaded.covariance[:own, :own])
        return accepted

    def _look(
        self,
        equation: Equation,
        active: RecursiveEstimator,
        state: Belief,
        asked: bool,
    ) -> float:
        """Show the equation to the tests, and ask for the largest gain; negative when it is not usable."""
        windows = self._test.windows(self._test.count + 1 if asked else 0)
        tests = self._test.find_next_index, self._rival.find_next_index, windows
        gain: float = _look(
            self._columns(equation), equation.load, equation.measured, state, active.effective_noise,
            self._scales, tests,
        )  # fmt: skip
        if gain >= 0.0:
            self._test.kept(equation.time)
            self._rival.kept(equation.time)
        return gain

    def _assess(self, clean: int) -> None:
        """Announce a payload if it explains what the clean equations show, and better than friction does."""
        fit = self._test.fit(clean)
        tolerated = max(EXPLAINED * self.machine.outputs, self._left * fit.gain / clean)
        if fit.left > tolerated or fit.gain < max(SUSPICIOUS, BEYOND * self._dropped):
            return
        if self.drift is not None and fit.evidence < self.drift.fit(clean).evidence + ADVANTAGE:
            return
        back = min(len(self._before), self._lag + 1)
        believed = self._before[-back] if back else _Believed.kept(self.active.believed)
        mean, covariance = believed.mean, believed.covariance
        own = len(self.machine.prior.mean)
        change = self._prior.std * fit.change
        weight = self._carrier.find_weight(fit.std)
        carried = change[weight] + (mean[own + weight] if self.carrying else 0.0)
        held = self._held[self._onset.settle :]
        if self.carrying and self._bare(believed.of_first(own), held, fit):
            kind = "set_down"
        elif carried > CERTAIN * fit.std[weight] * self._prior.std[weight]:
            kind = "changed" if self.carrying else "picked_up"
        else:
            return
        when = self._onset.find(self._test, fit, self._suspected_at or 0.0)
        if not is_jump(self._test, fit, when[0]):
            return
        before = self.active
        if kind == "set_down":
            self.machine.take_over(before, mean[:own], covariance[:own, :own])
            self.carrying = False
        else:
            self._open(before, mean[:own], covariance[:own, :own])
            self._taken_at = when
        for one in held:
            self._feed(one)
        self.events.append(PayloadEvent(kind, *when, held[-1].time, self.payload))
        self._calm(ARMED_AGAIN)

    def _bare(self, machine: _Believed, held: list[Equation], fit: ChangeFit) -> bool:
        """Return whether the machine alone explains the held equations, nearly as well as any load."""
        rows = np.empty((self.machine.outputs, 1))
        nothing = np.empty((self.machine.outputs, 0))
        squares = 0.0
        for one in held:
            whitened_innovation(
                one.regressor, nothing, one.measured, tuple(machine), self.active.effective_noise, rows
            )
            squares += float(rows[:, 0] @ rows[:, 0])
        return squares < fit.left * len(held) + max(ANOTHER, self._more * fit.gain)

    def _open(self, before: RecursiveEstimator, mean: FloatArray, covariance: FloatArray) -> None:
        """Let the estimator of both begin: the machine as known, the payload not at all."""
        own = len(mean)
        size = own + len(self._prior.mean)
        joint = np.zeros((size, size))
        joint[:own, :own] = covariance
        joint[own:, own:] = np.diag(self._prior.std**2)
        self._count_before, self._weighed = before.filter.count, False
        if before is not self.loaded:
            # nothing stays of what was carried before: neither process noise nor its adaptation
            self.loaded.reset()
        self.loaded.uncertainty.continue_from(self.machine.uncertainty)
        self.loaded.take_over(before, np.concatenate([mean, self._prior.mean]), joint)
        self.carrying = True

    def _is_weighed(self) -> bool:
        """Return whether the total deviation of what weighs is below a fifth of it: noise, correlation and misfit."""
        own = len(self.machine.prior.mean)
        mean, covariance = self.loaded.widen()
        std = np.sqrt(np.diag(covariance)[own:])
        weight = self._carrier.find_weight(std / self._prior.std)
        return bool(mean[own + weight] > CERTAIN * std[weight])

    def _withdraw_unless_weighed(self, time: float) -> None:
        """Take back what was announced if it is not known well enough: the machine's own values went on next to it."""
        self._weighed = True
        if self._is_weighed():
            return
        self.carrying = False
        self.events.append(PayloadEvent("withdrawn", *self._taken_at, time, None))
        self._calm(ARMED_AFTER)

    def _drop_suspicion(self) -> None:
        """It was no payload: the machine's parameters must explain it, by their own means."""
        held = self._held
        clean = len(held) - self._onset.settle
        gain = self._test.fit(clean).gain
        self._dropped = max(self._dropped, min(gain, MOST_LEFT))
        # a single wrong equation has moved nothing
        armed_after = ARMED_AFTER if gain > SUSPICIOUS else ARMED_AGAIN
        if self.drift is not None:
            self.drift.open_if_explained(self.active, self._test, clean)
        for one in held:
            self._feed(one)
        self._calm(armed_after)
