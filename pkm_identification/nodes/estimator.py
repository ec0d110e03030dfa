# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""estimator: motion and forces of a machine in, its dynamic parameters out."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from rclpy.parameter import Parameter
from std_srvs.srv import SetBool

from pkm_identification.errors import PkmError
from pkm_identification.identification.online.online_estimator import OnlineEstimator
from pkm_identification.identification.online.pipeline import OnlinePipeline
from pkm_identification.machines.load import load_machine
from pkm_identification.msg import PlatformState
from pkm_identification.numerics.finite import finite_sample
from pkm_identification.ros.estimates.keeper import EstimateKeeper
from pkm_identification.ros.estimates.motion_axes import MotionAxes
from pkm_identification.ros.estimates.publisher import EstimatePublisher
from pkm_identification.ros.estimates.store import (
    EstimateStore,
    confine_path,
    estimate_folder,
    estimate_name,
)
from pkm_identification.ros.messages.machine_motion import MotionMessages
from pkm_identification.ros.node.diagnostics import ERROR, WARN, Finding, Task
from pkm_identification.ros.node.hand_over import Handed
from pkm_identification.ros.node.inputs import SILENCE
from pkm_identification.ros.node.main import run
from pkm_identification.ros.node.pipeline_node import PipelineNode, change_period
from pkm_identification.ros.parameters.estimator import (
    PARAMETERS,
    build_estimator_settings,
)
from pkm_identification.ros.qos import STREAM

NEVER = 1e6  # s


class EstimatorNode(PipelineNode):
    """`platform_state` -> `parameter_estimate`, latched for whoever comes later."""

    NAME = "estimator"
    TASK = "estimate"
    PATIENT = True
    PARAMETERS = PARAMETERS
    _unreleased: EstimateStore | None = None
    _built = False

    def build(self) -> None:
        self.machine = load_machine(self.parameter["machine"])
        values = self.parameter.all()
        settings = build_estimator_settings(self.machine, values)
        store = EstimateStore(self.machine, settings, self._path(values), self.hardware_id())
        with self.compiling():
            pipeline = OnlinePipeline(self.machine, settings)
            pipeline.warm_up()
        self.stage = pipeline.estimator_stage
        self.states = MotionMessages(self.machine, pipeline.tracker_stage.tracker)
        self.axes = MotionAxes(self.machine, self.states)
        given, resume = values["initial_estimate"], values["resume"]
        self._unreleased = store
        if resume or values["autosave_period"] or values["save_at_shutdown"]:
            store.claim()
        self.keeper = EstimateKeeper(store.start_value(given, resume, self.estimator.parameters))
        if store.trouble:
            self.get_logger().error(f"{store.trouble}; starts from {self.keeper.source}")
        self.store = store
        self.enabled = values["enabled"]
        self.output = EstimatePublisher(
            self, self.machine, self.axes, self.estimator.parameters.scale, values
        )
        self._delay = 0.0
        self._begin()
        self._built = True

    @property
    def estimator(self) -> OnlineEstimator:
        """The stage's estimator."""
        return self.stage.estimator

    def start(self) -> None:
        self._force_missing = False
        self.inputs.listen_to_stream(
            self.hand_over, PlatformState, "platform_state", self.take, STREAM, silence=SILENCE
        )
        self._publishing = self.every(1.0 / self.parameter["publish_rate"], self.publish_last)
        self._saving = self.every(self.parameter["autosave_period"] or NEVER, self.autosave)
        self.serve_trigger("~/reset", self.reset)
        self.serve_trigger("~/save", self.save)
        self.serve(SetBool, "~/enable", self.enable)

    def release(self) -> None:
        """Keep what was learned, if asked."""
        store, self._unreleased = self._unreleased, None
        if store is None:
            return
        if self._built:
            if self.parameter["save_at_shutdown"]:
                self.output.judge.finish(self.estimator)  # what is kept says whether the model fits all of it
                self._save_new(store)
            self.output.judge.close()
        self._built = False
        store.release()

    def accept(self, values: Mapping[str, Any]) -> None:
        """Live parameters: refused when there is no such low-pass or no such file name."""
        build_estimator_settings(self.machine, values)
        self._path(values)

    def apply_changes(self, names: set[str]) -> None:
        """Take over live parameters; what was learned stays."""
        values = self.parameter.all()
        if names & {"band_cutoff", "band_order", "gate"}:
            estimator = OnlineEstimator(self.machine, build_estimator_settings(self.machine, values))
            estimator.counts = self.estimator.counts
            self.keeper.hand_over(estimator)
            self.stage.estimator = estimator
        self.store.rename(self._path(values))
        self.enabled = values["enabled"]
        self.output.set_rate(values["publish_rate"])
        if self._active:
            change_period(self._publishing, 1.0 / values["publish_rate"])
            change_period(self._saving, values["autosave_period"] or NEVER)
        self.get_logger().info(f"{', '.join(sorted(names))} changed")

    def take(self, message: bytes | PlatformState | Handed) -> None:
        """One sample of the machine's motion."""
        if not self.enabled:
            return
        try:
            sample, self._delay = self.states.read(message)
        except ValueError as error:
            self.report(WARN, "bad_pose", f"platform_state: {error}")
            return
        self._force_missing = sample.force is None
        if not finite_sample(*sample[1:5], sample.state):
            self.report(WARN, "not_finite", "platform_state holds a number that is not finite")
            return
        gated = self.estimator.counts["gated"]
        learned = self.stage.step(sample)
        if learned:
            self.output.quality.note_motion(self.axes.compute_paces(sample))
        if self.stage.events:
            self._begin()
            self.output.replace_discarded(self.estimator)
            self.report_events(self.stage.events)
        elif learned and self.output.due(sample.time):
            self.publish_latest()
        elif learned or self.estimator.counts["gated"] > gated:
            self._look_after()
        self.output.announce(self.estimator)

    def publish_latest(self) -> None:
        """Publish the estimate when it is new."""
        self._look_after()
        self.output.publish(self.estimator)

    def publish_last(self) -> None:
        """Publish what nothing newer has followed for a period: the last estimate before the stream ends."""
        if self.output.lull(self.estimator):
            self.publish_latest()

    def reset(self) -> str:
        """As newly started: back to the initial estimate, or to the machine file's values without one."""
        self.stage.restart()
        self._begin()
        self.output.replace_discarded(self.estimator)
        self.store.saved = 0  # what was learned is worth nothing any more
        self.get_logger().info("reset")
        return "reset"

    def save(self) -> str:
        """Write the estimate; complete or not at all."""
        return f"saved to {self.store.save(self.estimator, self._delay)}"

    def autosave(self) -> None:
        """Write the estimate if there is anything new."""
        if self.parameter["autosave_period"]:
            self._save_new(self.store)

    def enable(self, request: SetBool.Request, response: SetBool.Response) -> SetBool.Response:
        """Switch estimation on or off; what was learned stays."""
        result = self.set_parameters([Parameter("enabled", value=request.data)])[0]
        response.success = result.successful
        response.message = result.reason or ("enabled" if self.enabled else "disabled")
        return response

    def hardware(self) -> str:
        return self.machine.name

    def _path(self, values: Mapping[str, Any]) -> Path:
        """Return where the estimate is kept."""
        name = estimate_name(values["save_name"], self.hardware_id())
        return confine_path(estimate_folder(values["save_folder"]), name)

    def findings(self) -> Iterable[Finding]:
        if not self.enabled:
            yield WARN, "disabled by ~/enable"
        elif self._force_missing:
            yield WARN, "no strut forces: waiting"
        yield from self.output.findings(self.estimator)

    def summary(self) -> str:
        return self.output.summary(self.estimator)

    def further_tasks(self) -> Iterable[Task]:
        yield Task(
            "model fit",
            lambda: self.output.fit_findings(self.estimator),
            lambda: self.output.fit_values(self.estimator),
            lambda: self.output.fit_summary(self.estimator),
        )
        yield Task("storage", self._storage_findings, self._storage_values, self._storage_summary)

    def _storage_findings(self) -> Iterable[Finding]:
        if self.store.trouble:
            yield ERROR, self.store.trouble

    def _storage_values(self) -> Mapping[str, object]:
        return {"saved": self.store.saved, "started_from": self.keeper.source}

    def _storage_summary(self) -> str:
        saved = f"{self.store.saved} equations saved" if self.store.saved else "nothing saved"
        return f"{saved}; started from {self.keeper.source}"

    def values(self) -> Mapping[str, object]:
        self._look_after()
        return {
            **self.output.values(self.estimator),
            "breaks": self.stage.continuity.breaks,
        }

    def _begin(self) -> None:
        self.output.begin()
        self.keeper.begin(self.estimator)

    def _look_after(self) -> None:
        trouble = self.keeper.look_after(self.estimator)
        if trouble:
            self.report(ERROR, "not_finite_output", trouble)

    def _save_new(self, store: EstimateStore) -> None:
        try:
            store.save_new(self.estimator, self._delay)
        except (PkmError, OSError) as error:
            self.report(ERROR, "not_saved", str(error))


def main(args: list[str] | None = None) -> int:
    """Run the node."""
    return run(EstimatorNode, args)


if __name__ == "__main__":
    sys.exit(main())
