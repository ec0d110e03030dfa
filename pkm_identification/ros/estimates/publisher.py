# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What the estimator node publishes: estimates at a bounded rate, what the platform carries, its diagnostics."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from geometry_msgs.msg import InertiaStamped

from pkm_identification.estimation.posterior.status import IDENTIFIED
from pkm_identification.identification.changes.payload import PayloadEvent
from pkm_identification.identification.online.judge import StreamVerdict
from pkm_identification.identification.online.online_estimator import OnlineEstimator
from pkm_identification.machines.capabilities import PlatformPose, has
from pkm_identification.machines.contract import Machine
from pkm_identification.msg import ParameterEstimate as EstimateMessage
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.finite import finite

from ..messages.convert import estimate_message, format_effects_text, format_misfit_text
from ..messages.payload import (
    build_payload_message,
    format_body_text,
    format_event_text,
    payload_values,
)
from ..node.diagnostics import ERROR, WARN, Finding
from ..qos import LATCHED
from ..throttle import Throttle
from .assessment import BackgroundJudge
from .motion_axes import MotionAxes
from .quality import EstimateQuality
from .store import DROPPED

if TYPE_CHECKING:
    from ..node.pipeline_node import PipelineNode


STALE = 5.0  # s of real time without anything learned


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
        self.judge = BackgroundJudge()
        self.set_rate(values["publish_rate"])
        self.begin()

    def begin(self) -> None:
        """Forget what was published: estimation starts afresh."""
        self._published: tuple[int, StreamVerdict | None] = (0, None)
        self._seen = 0
        self._impossible = ""
        self._learned = self._rested = (0, time.monotonic())
        self._announced: PayloadEvent | None = None
        self.quality.begin()
        self.judge.begin()
        self.events = 0

    def set_rate(self, rate: float) -> None:
        """Most estimates per second of the samples' time, Hz."""
        self._turn = Throttle(rate)

    def due(self, time: float) -> bool:
        """Return whether an estimate from the sample of this stamp (s) is to be published at once."""
        return self._turn.due(time)

    def lull(self, estimator: OnlineEstimator) -> bool:
        """Whether nothing was learned since this was asked last, or a verdict has come.

        The last estimate may not have been published, or not with it.
        """
        self._age(estimator)
        if self._look_for_verdict(estimator):
            return True
        before, self._seen = self._seen, estimator.count
        return before == self._seen

    def _look_for_verdict(self, estimator: OnlineEstimator) -> bool:
        before = self.judge.trouble
        new = self.judge.look(estimator)
        if self.judge.trouble not in ("", before):
            self._node.get_logger().warning(f"the fit could not be assessed: {self.judge.trouble}")
        return new

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
        self._look_for_verdict(estimator)
        if estimator.count == 0 or self._published == (estimator.count, estimator.verdict):
            return
        estimate, impossible = estimator.assess()
        numbers = np.array([estimate.nis, estimate.time])
        if not finite(estimate.values, estimate.std, estimate.covariance, numbers):
            self._node.report(ERROR, "not_finite_output", "the estimate holds a number that is not finite")
            return
        self._published = estimate.count, estimator.verdict
        self.quality.take(estimate)
        self._impossible = impossible and f"no machine has this estimate: {impossible}"
        self.estimates.publish(estimate_message(estimate, self._machine, estimator.verdict, self._impossible))
        self._latched = True
        if estimator.payload is not None:
            self._publish_payload(estimator, estimate.time)

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
        """Return the verdict, or that there is none yet."""
        verdict = estimator.verdict
        return "not assessed yet" if verdict is None else verdict.answer.verdict.sentence

    def fit_values(self, estimator: OnlineEstimator) -> Mapping[str, object]:
        """Return the verdict on the newest minute, what it identified, and whether the next is under way."""
        values: dict[str, object] = dict.fromkeys(
            ("verdict", "note", "identified", "effects", "fit_ratio", "cause"), ""
        )
        verdict = estimator.verdict
        if verdict is not None:
            answer, fit = verdict.answer, verdict.fit
            values = {
                "verdict": answer.verdict.grade,
                "note": answer.verdict.note,
                "identified": ", ".join(one.name for one in answer.values if one.status == IDENTIFIED),
                "effects": ", ".join(one.name for one in answer.effects),
                "fit_ratio": f"{fit.ratio:.3g}",
                "cause": fit.causes[0].name if fit.causes else "",
            }
        lack = "not assessed yet" if verdict is None else not verdict.good
        return values | {"lack_of_fit": lack, "judging": self.judge.judging(estimator)}

    def fit_findings(self, estimator: OnlineEstimator) -> Iterable[Finding]:
        """Lack of fit, now or in what was learned from."""
        verdict, learned_from = estimator.verdict, estimator.learned_from
        if self.judge.trouble:
            yield WARN, f"the fit could not be assessed: {self.judge.trouble}"
        if verdict is not None and not verdict.good:
            yield ERROR, format_misfit_text(verdict)
            return
        if verdict is not None and verdict.answer.effects:
            yield WARN, format_effects_text(verdict)
        if learned_from is not None:
            cause = learned_from.fit.causes[0].name if learned_from.fit.causes else "no known cause"
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
