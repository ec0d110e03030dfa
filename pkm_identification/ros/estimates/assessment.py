# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The judge of a stream's estimate: the full model asked in a thread, as often as its cost allows."""

from __future__ import annotations

import time
from collections.abc import Callable

from pkm_identification.control.paths.background_call import BackgroundCall
from pkm_identification.identification.online.live_verdict import StreamVerdict
from pkm_identification.identification.online.online_estimator import OnlineEstimator

SHARE = 0.05  # of a processor that judging may take
ENDED_S = 2.0  # of real time without a sample: the stream is over, and judged to its end at once


class BackgroundJudge:
    """Has the newest minute of a stream judged: from its first quarter on, when the stream ends, and in between.

    Attributes
    ----------
    trouble : str
        Why the last judgement came to no verdict; empty if it did, or the stream is too short.
    """

    def __init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        """Forget everything: estimation starts afresh. What is under way is for nobody."""
        self._work: BackgroundCall[tuple[StreamVerdict | None, float]] | None = None
        self.trouble = ""
        self._next = self._began = 0.0  # real time before which nothing is asked
        self._judged = 0.0  # stamp of the newest sample when that was asked last
        self._newest, self._arrived = 0.0, time.monotonic()

    def look(self, estimator: OnlineEstimator) -> bool:
        """Hand over what was worked out, and begin anew when it is time; return whether there is a new verdict."""
        now, newest = time.monotonic(), estimator.newest
        if newest != self._newest:
            self._newest, self._arrived = newest, now
        new = False
        if self._work is not None and self._work.done:
            work, self._work = self._work, None
            new = self._take(work, estimator, now)
        ended = now - self._arrived > ENDED_S
        due = newest != self._judged if ended else now >= self._next
        if self._work is None and due and estimator.judgeable:
            self._judged, self._began = newest, now
            self._work = BackgroundCall(True, _measure_cost, estimator.begin_judging())
        return new

    def _take(
        self, work: BackgroundCall[tuple[StreamVerdict | None, float]], estimator: OnlineEstimator, now: float
    ) -> bool:
        self.trouble = ""
        try:
            verdict, cost = work.answer()
        except Exception as error:  # what cannot be worked out now (a singular motion) may be later
            verdict, cost = None, now - self._began
            self.trouble = f"{type(error).__name__}: {error}"
        self._next = self._began + cost / SHARE
        if verdict is not None:
            estimator.take_verdict(verdict)
        return verdict is not None


def _measure_cost(judge: Callable[[], StreamVerdict | None]) -> tuple[StreamVerdict | None, float]:
    """Return the verdict and the processor's time in s that it took."""
    before = time.thread_time()
    verdict = judge()
    return verdict, time.thread_time() - before
