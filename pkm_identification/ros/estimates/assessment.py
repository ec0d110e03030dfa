# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The judge of a stream's estimate: the full model asked in a process of its own, as often as its cost allows."""

from __future__ import annotations

import time

from pkm_identification.control.paths.background_call import BackgroundCall
from pkm_identification.identification.online.judge import Judge, StreamVerdict
from pkm_identification.identification.online.online_estimator import OnlineEstimator

from .judge_process import JudgeError, JudgeProcess

SHARE = 0.05  # of a processor that judging may take
ENDED_S = 2.0  # of real time without a sample: the stream is over, and judged to its end at once
PREPARED = (
    0.3  # of the motion that a verdict needs, from which on its process starts: it loads for some seconds
)


def _is_log(estimator: OnlineEstimator) -> bool:
    """Return whether a stream that is over is judged as a log of that length: once its judge was started."""
    return estimator.unjudged and estimator.judgeable_share > PREPARED


class BackgroundJudge:
    """Has the newest minute of a stream judged: from its first quarter on, in between, and when it ends.

    Attributes
    ----------
    trouble : str
        Why the last judgement came to no verdict; empty if it did, or the stream is too short.
    """

    def __init__(self) -> None:
        self._judge: Judge | None = None  # whose process runs
        self._process: JudgeProcess | None = None
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
            new = self._take(estimator, now)
        ended = now - self._arrived > ENDED_S
        due = (
            newest != self._judged and _is_log(estimator)
            if ended
            else now >= self._next and estimator.judgeable
        )
        if self._work is None and due:
            self._ask(estimator, now)
        elif self._judge is not estimator.judge and estimator.judgeable_share > PREPARED:
            self._start(estimator.judge)
        return new

    def judging(self, estimator: OnlineEstimator) -> bool:
        """Return whether a verdict is under way, or will be asked for once the stream is over."""
        return self._work is not None or (_is_log(estimator) and estimator.newest != self._judged)

    def finish(self, estimator: OnlineEstimator) -> None:
        """Have a stream that is over judged to its end, and wait for that."""
        if self._work is not None:
            self._take(estimator, time.monotonic())
        if _is_log(estimator):
            self._ask(estimator, time.monotonic())
            self._take(estimator, time.monotonic())

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.close()
        self._judge = self._process = None

    def _start(self, judge: Judge) -> JudgeProcess:
        """Return the process of a judge; that of a former estimator ends."""
        if self._process is None or self._judge is not judge:
            self.close()
            self._judge, self._process = judge, JudgeProcess(judge)
        return self._process

    def _ask(self, estimator: OnlineEstimator, now: float) -> None:
        self._judged, self._began = estimator.newest, now
        self._work = BackgroundCall(True, self._start(estimator.judge).ask, estimator.ask_judge())

    def _take(self, estimator: OnlineEstimator, now: float) -> bool:
        work, self._work = self._work, None
        assert work is not None
        self.trouble = ""
        try:
            verdict, cost = work.answer()
        except JudgeError as error:  # what cannot be worked out now (a singular motion) may be later
            verdict, cost = None, now - self._began
            self.trouble = str(error)
        self._next = self._began + cost / SHARE
        if verdict is not None:
            estimator.take_verdict(verdict)
        return verdict is not None
