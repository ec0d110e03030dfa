"""estimator: platform states in, the machine's dynamic parameters out."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np
from std_srvs.srv import SetBool

from pkm_identification.msg import ParameterEstimate as EstimateMessage
from pkm_identification.msg import PlatformState

from ..errors import PkmError
from ..estimation.parameter_set import NAMES
from ..estimation.recursive import FILTERS
from ..experiment import IdentifySettings
from ..identification import Identification
from ..machine import Machine
from ..pipeline import OnlinePipeline, PipelineSettings
from ..report.estimate_json import write_estimate_json
from ..ros.convert import estimate_message, finite, platform_sample
from ..ros.diagnostics import ERROR, WARN, Finding
from ..ros.main import run
from ..ros.node_base import MACHINE, PipelineNode
from ..ros.parameters import ParameterError, ParameterSpec
from ..ros.qos import LATCHED, STREAM


class EstimatorNode(PipelineNode):
    """`platform_state` -> `parameter_estimate`, latched for whoever comes later."""

    NAME = "estimator"
    PARAMETERS = (
        MACHINE,
        ParameterSpec("sample_rate", 0.0, "rate of platform_state; 0: the machine's drive.sample_rate", "Hz", 0, 1e5),
        ParameterSpec("parameters", "identifiable", "parameter set", choices=NAMES),
        ParameterSpec("estimator", "ukf", "recursive estimator", choices=tuple(FILTERS)),
        ParameterSpec("band_cutoff", 10.0, "low-pass over both sides of the model equation", "Hz", 0.01, 5e4),
        ParameterSpec("band_order", 8, "order of that low-pass", low=1, high=12),
        ParameterSpec("publish_rate", 10.0, "most estimates published", "Hz", 0.01, 1e3),
        ParameterSpec("enabled", True, "estimate from the start; see the service ~/enable"),
        ParameterSpec("save_folder", "~/.ros/pkm_identification", "folder ~/save writes into"),
        ParameterSpec("save_name", "estimate.json", "file in that folder ~/save writes"),
    )  # fmt: skip

    def build(self) -> None:
        self.machine = Machine.load(self.parameter["machine"])
        rate = self.parameter["sample_rate"]
        chosen = self.parameter.values("parameters", "estimator", "band_cutoff", "band_order")
        self.settings = IdentifySettings(causal=True, **chosen)
        try:
            settings = PipelineSettings.of(self.machine, 1.0 / rate if rate else None, **chosen)
        except ValueError as error:
            raise ParameterError(f"parameters: {error}") from None
        self.save_path = confined(self.parameter["save_folder"], self.parameter["save_name"])
        with self.compiling():
            pipeline = OnlinePipeline(self.machine, settings)
            pipeline.warm_up()
        self.estimator = pipeline.estimator
        self.enabled = self.parameter["enabled"]
        self.output = self.publisher(EstimateMessage, "parameter_estimate", LATCHED)
        self._published = 0
        self._delay = 0.0

    def start(self) -> None:
        self._force_missing = False
        self.listen(PlatformState, "platform_state", self.take, STREAM)
        self.every(1.0 / self.parameter["publish_rate"], self.publish_latest)
        self.serve_trigger("~/reset", self.reset)
        self.serve_trigger("~/save", self.save)
        self.serve(SetBool, "~/enable", self.enable)

    def take(self, message: PlatformState) -> None:
        """One platform state."""
        if not self.enabled:
            return
        self._force_missing = not message.force_valid
        self._delay = message.delay
        try:
            sample = platform_sample(message)
        except ValueError as error:
            self.report(WARN, "bad_pose", f"platform_state: {error}")
            return
        if not finite(sample.position, sample.twist, sample.acceleration, sample.force):
            self.report(WARN, "not_finite", "platform_state holds a number that is not finite")
            return
        jumps = self.estimator.counts["clock_jump"]
        self.estimator.step(sample)
        if self.estimator.counts["clock_jump"] > jumps:
            self._published = 0
            self.report(WARN, "clock_jump", "time ran backwards: estimation started afresh")

    def publish_latest(self) -> None:
        """Publish the estimate when there is a new one; never the prior, never what is not finite."""
        estimate = self.estimator.estimate
        if estimate.count == self._published or not estimate.count:
            return
        if not finite(
            estimate.values, estimate.std, estimate.covariance, np.array([estimate.nis, estimate.time])
        ):
            self.report(
                ERROR, "not_finite_output", "the estimate holds a number that is not finite: started afresh"
            )
            self.estimator.reset()
            return
        self._published = estimate.count
        self.output.publish(estimate_message(estimate, self.machine))

    def reset(self) -> str:
        """Back to the nominal parameters."""
        self.estimator.reset()
        self._published = 0
        self.get_logger().info("reset")
        return "reset"

    def save(self) -> str:
        """Write the estimate; complete or not at all."""
        estimate = self.estimator.estimate
        if not estimate.count:
            raise PkmError("nothing is learned yet: there is no estimate to save")
        counts = self.estimator.counts
        result = Identification(
            machine=self.machine,
            settings=self.settings,
            estimate=estimate,
            samples=counts["used"],
            dropped={reason: counts[reason] for reason in ("skipped_status", "no_force", "gated")},
            history=self.estimator.recursive.history,
            residual_rms=np.empty(0),
            converged=True,
            warnings=(),
            delay=self._delay,
        )
        self.save_path.parent.mkdir(parents=True, exist_ok=True)
        write_estimate_json(self.save_path, result)
        return f"saved to {self.save_path}"

    def enable(self, request: SetBool.Request, response: SetBool.Response) -> SetBool.Response:
        """Switch estimation on or off; what was learned stays."""
        self.enabled = request.data
        response.success = True
        response.message = "enabled" if self.enabled else "disabled"
        self.get_logger().info(response.message)
        return response

    def hardware(self) -> str:
        return self.machine.name

    def findings(self) -> Iterable[Finding]:
        if not self.enabled:
            yield WARN, "disabled by ~/enable"
        elif self._force_missing:
            yield WARN, "no strut forces: waiting"
        if self.estimator.model_suspect:
            yield (
                ERROR,
                "measured forces do not fit the model: are the machine, the units and the signs right?",
            )

    def values(self) -> Mapping[str, object]:
        estimate = self.estimator.estimate
        return {
            **self.estimator.counts,
            "equations": estimate.count,
            "nis": estimate.nis,
            "nis_dof": estimate.nis_dof,
        }


def confined(folder: str, name: str) -> Path:
    """Path of a file directly in a folder.

    Raises
    ------
    ParameterError
        If the name leads anywhere else.
    """
    if not name or name in (".", "..") or Path(name).name != name:
        raise ParameterError(f"parameter 'save_name' = {name!r}: must be a plain file name, without folders")
    return Path(folder).expanduser().resolve() / name


def main(args: list[str] | None = None) -> int:
    """Run the node."""
    return run(EstimatorNode, args)


if __name__ == "__main__":
    sys.exit(main())
