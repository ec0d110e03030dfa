# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""What the estimator node publishes: estimates at a bounded rate, what the platform carries, its diagnostics."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np
from geometry_msgs.msg import InertiaStamped

from pkm_identification.estimation.posterior.answer import Answer
from pkm_identification.estimation.posterior.status import IDENTIFIED
from pkm_identification.identification.changes.payload import PayloadEvent
from pkm_identification.identification.online.judgement.fit_watch import StreamFit
from pkm_identification.identification.online.online_estimator import OnlineEstimator
from pkm_identification.machines.capabilities import PlatformPose, has
from pkm_identification.machines.contract import Machine
from pkm_identification.msg import ParameterEstimate as EstimateMessage
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.finite import finite

from ..messages.convert import estimate_message
from ..messages.misfit import format_misfit_text
from ..messages.payload import (
    build_payload_message,
    format_body_text,
    format_event_text,
    payload_values,
)
from ..node.diagnostics import ERROR, WARN, Finding
from ..qos import LATCHED
from ..throttle import Throttle
from .motion_axes import MotionAxes
from .quality import EstimateQuality
from .store import DROPPED

if TYPE_CHECKING:
    from ..node.pipeline_node import PipelineNode


STALE = 5.0  # s of real time without anything learned
ANSWER_PERIOD = (
    30.0  # s of the samples' time from one answer to the next: a second or two of work in a thread
)


class EstimatePublisher:
    """Publishes `parameter_estimate` and `~/payload`: each estimate once, the prior only where one is discarded.

    Parameters
    ----------
    node : PipelineNode
    machine : Machine
    axes : MotionAxes
        In which ways it moves.
    scale : ndarray, shape (P,)
        Sizes of the parameters.
    values : mapping
        Of the node's parameters `publish_rate` and `platform_frame`.

    Attributes
    ----------
    events : int
        Payloads taken up or set down since the start of the estimation.
    """

    def __init__(
        self,
        node: PipelineNode,
        machine: Machine,
        axes: MotionAxes,
        scale: FloatArray,
        values: Mapping[str, Any],
    ) -> None:
        self._node = node
        self._machine = machine
        body = machine.knowledge.bodies[machine.payload_body].name
        self._frame = values["platform_frame"] if has(machine, PlatformPose) else body
        self.estimates = node.publisher(EstimateMessage, "parameter_estimate", LATCHED)
        self.payloads = node.publisher(InertiaStamped, "~/payload", LATCHED)
        self.quality = EstimateQuality(axes.names, scale)
        self._latched = self._carried = False
        self._worker = ThreadPoolExecutor(1, "answer")
        self.set_rate(values["publish_rate"])
        self.begin()

    def begin(self) -> None:
        """Forget what was published: estimation starts afresh."""
        self._published = 0
        self._seen = 0
        self._impossible = ""
        self._learned = self._rested = (0, time.monotonic())
        self._announced: PayloadEvent | None = None
        self.quality.begin()
        self._answer: Future[Answer | None] | None = None
        self._asked = 0.0
        self.events = 0

    def set_rate(self, rate: float) -> None:
        """Most estimates per second of the samples' time, Hz."""
        self._turn = Throttle(rate)

    def due(self, time: float) -> bool:
        """Return whether an estimate from the sample of this stamp (s) is to be published at once."""
        return self._turn.due(time)

    def lull(self, estimator: OnlineEstimator) -> bool:
        """Whether nothing was learned since this was asked last: the last estimate may not have been published."""
        self._age(estimator)
        before, self._seen = self._seen, estimator.count
        return before == self._seen

    def _rests(self, estimator: OnlineEstimator) -> bool:
        """Return whether equations still come, of a machine at rest: then an estimate does not age."""
        if estimator.counts["resting"] != self._rested[0]:
            self._rested = (estimator.counts["resting"], time.monotonic())
        return estimator.resting and time.monotonic() - self._rested[1] <= STALE

    def _age(self, estimator: OnlineEstimator) -> float:
        """Real time in s since anything was learned, as far as somebody has looked."""
        if estimator.count != self._learned[0]:
            self._learned = (estimator.count, time.monotonic())
        return time.monotonic() - self._learned[1]

    def publish(self, estimator: OnlineEstimator) -> None:
        """Publish the estimate when it is new, and what is carried; never what is not finite."""
        if estimator.count in (0, self._published):
            return
        self._look_for_answer(estimator)
        estimate, impossible = estimator.judged()
        numbers = np.array([estimate.nis, estimate.time])
        if not finite(estimate.values, estimate.std, estimate.covariance, numbers):
            self._node.report(ERROR, "not_finite_output", "the estimate holds a number that is not finite")
            return
        self._published = estimate.count
        self.quality.take(estimate)
        self._impossible = impossible and f"no machine has this estimate: {impossible}"
        self.estimates.publish(estimate_message(estimate, self._machine, estimator.fit, self._impossible))
        self._latched = True
        if estimator.payload is not None:
            self._publish_payload(estimator, estimate.time)

    def _look_for_answer(self, estimator: OnlineEstimator) -> None:
        """Take the answer that was worked out, and ask for the next one when it is time."""
        pending, now = self._answer, estimator.recursive.time
        if pending is not None and pending.done():
            self._answer = None
            # what cannot be worked out now (too short a stretch, a singular motion) may be later
            found = None if pending.exception() else pending.result()
            estimator.answer = found or estimator.answer
        if self._answer is None and not 0.0 <= now - self._asked < ANSWER_PERIOD:
            self._asked = now
            self._answer = self._worker.submit(estimator.begin_answer())

    def replace_discarded(self, estimator: OnlineEstimator) -> None:
        """Publish what a new start begins with, if an estimate was published before: whoever comes later gets that.

        It has no stamp where nothing was learned.
        """
        if not self._latched:
            return
        self.estimates.publish(estimate_message(estimator.estimate, self._machine))
        if self._carried:
            self._carried = False
            self.payloads.publish(build_payload_message(None, 0.0, self._frame))

    def announce(self, estimator: OnlineEstimator) -> None:
        """Announce, once, what was taken up or set down."""
        events = estimator.payload_events
        if not events or events[-1] is self._announced:
            return
        self._announced = events[-1]
        self.events += 1
        self._node.get_logger().warning(format_event_text(events[-1]))
        self._publish_payload(estimator, events[-1].announced_at)

    def findings(self, estimator: OnlineEstimator) -> Iterable[Finding]:
        """Yield what is worth saying as long as it lasts."""
        payload = estimator.payload
        if payload is not None:
            yield WARN, f"carrying a payload since {payload.taken_at:.2f} s: {format_body_text(payload)}"
        if estimator.model_suspect:
            yield (
                ERROR,
                "measured forces do not fit the model: are the machine, the units and the signs right?",
            )
        age = self._age(estimator)
        if estimator.count and age > STALE and not self._rests(estimator):
            yield WARN, f"the estimate is stale: nothing was learned for {age:.0f} s"
        if self._impossible:
            yield ERROR, self._impossible

    def summary(self, estimator: OnlineEstimator) -> str:
        """Return how good the estimate is."""
        return self.quality.summary(None if estimator.fit is None else estimator.fit.ratio)

    def fit_summary(self, estimator: OnlineEstimator) -> str:
        """Return whether the model fits, when it does or is not judged yet."""
        fit = estimator.fit
        if fit is None:
            return "not judged yet"
        if estimator.answer is not None:
            return estimator.answer.verdict.sentence
        return f"the model fits: the residual is {fit.ratio:.2g} x the noise"

    def fit_findings(self, estimator: OnlineEstimator) -> Iterable[Finding]:
        """Lack of fit, now or in what was learned from."""
        fit, learned_from = estimator.fit, estimator.fit_watch.learned_from
        if estimator.answer is not None and not estimator.answer.verdict.good:
            yield ERROR, estimator.answer.verdict.sentence
        if fit is not None and not fit.adequate:
            yield ERROR, f"the model does not fit: {format_misfit_text(fit)}"
        elif learned_from is not None:
            cause = "no known cause" if learned_from.cause is None else learned_from.cause.name
            yield (
                WARN,
                f"the estimate learned from samples up to {learned_from.time:.1f} s that the model did not fit "
                f"({cause}): reset it",
            )

    def values(self, estimator: OnlineEstimator) -> Mapping[str, object]:
        """Return how the estimation goes, in numbers for diagnostics."""
        counts = dict(estimator.counts)
        for reason, name in DROPPED.items():
            counts[reason] = counts.pop(name)
        return {
            **counts,
            "equations": estimator.count,
            "estimate_age (s)": self._age(estimator) if estimator.count else "",
            "nis": estimator.nis,
            "nis_dof": estimator.outputs,
            **payload_values(estimator.payload, self.events),
        }

    def _publish_payload(self, estimator: OnlineEstimator, time: float) -> None:
        self._carried = estimator.payload is not None
        self.payloads.publish(build_payload_message(estimator.payload, time, self._frame))


def answer_values(answer: Answer | None) -> Mapping[str, object]:
    """Return the verdict on the newest minute and what it identified, for diagnostics."""
    if answer is None:
        return {"verdict": "not judged yet", "identified": "", "effects": ""}
    identified = [one.name for one in answer.values if one.status == IDENTIFIED]
    return {
        "verdict": answer.verdict.grade,
        "identified": ", ".join(identified),
        "effects": ", ".join(one.name for one in answer.effects),
    }


def fit_values(fit: StreamFit | None) -> Mapping[str, object]:
    """Return whether the model fits, for diagnostics."""
    if fit is None:
        return {"lack_of_fit": "not judged yet", "fit_ratio": "", "cause": ""}
    cause = fit.cause.name if fit.cause is not None else ""
    return {"lack_of_fit": not fit.adequate, "fit_ratio": f"{fit.ratio:.3g}", "cause": cause}
