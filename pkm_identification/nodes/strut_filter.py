# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""strut_filter: joint states of any driver in, validated and filtered motion of the drives out."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

from sensor_msgs.msg import JointState

from pkm_identification.identification.online.filter_stage import (
    NOT_FINITE_OUTPUT,
    WRONG_RATE,
    FilterStage,
    by_model,
)
from pkm_identification.machines.load import load_machine
from pkm_identification.msg import StrutStates
from pkm_identification.ros.messages.convert import create_strut_stream, strut_states
from pkm_identification.ros.messages.joint_state import BadJointState, JointStateReader
from pkm_identification.ros.messages.wire import StreamWriter
from pkm_identification.ros.node.diagnostics import ERROR, WARN, Finding
from pkm_identification.ros.node.inputs import SILENCE
from pkm_identification.ros.node.main import run
from pkm_identification.ros.node.missing_samples import MissingSamples
from pkm_identification.ros.node.pipeline_node import PipelineNode
from pkm_identification.ros.parameters.declarations import (
    list_joints,
    read_joint_names,
    read_period,
    read_reports,
)
from pkm_identification.ros.parameters.strut_filter import PARAMETERS, filter_settings
from pkm_identification.ros.qos import STREAM, STRUT_STATES_SUBSCRIPTION
from pkm_identification.signals.causal import CausalFilter, FilterSettings
from pkm_identification.signals.input_validation import ValidationSettings
from pkm_identification.signals.rate import MOST_FILLED

TOPIC = "strut_states"
DUPLICATE = "duplicate"
RATE_WARNING = 0.02  # of the stated rate: identified friction is off by as much
# Events that mean a wrong set-up or a defect.
LEVELS = dict.fromkeys(
    ("out_of_limits", "length_step", "length_stuck", "force_clipped", WRONG_RATE, NOT_FINITE_OUTPUT), ERROR
)


class StrutFilterNode(PipelineNode):
    """`strut_states` -> input validation -> causal filter -> `strut_states/filtered`."""

    NAME = "strut_filter"
    TASK = "stream"
    PATIENT = True
    PARAMETERS = PARAMETERS

    def build(self) -> None:
        self.machine = load_machine(self.parameter["machine"])
        self.period = read_period(self.machine, self.parameter["sample_rate"])
        joints = list_joints(self.machine)
        reports = read_reports(self.machine, self.parameter.all())
        self.reader = JointStateReader(
            read_joint_names(joints, self.parameter["joint_names"]), True, *reports
        )
        self.stage = FilterStage(*self._settings(self.parameter.all()), by_model(self.machine))
        with self.compiling():
            self.stage.warm_up(self.machine)
        message = partial(strut_states, StreamWriter(create_strut_stream(joints)))
        self.output = self.stream_output(StrutStates, f"{TOPIC}/filtered", STREAM, message)
        self.passed = 0

    def accept(self, values: Mapping[str, Any]) -> None:
        """Live parameters: refused when no filter or input validation can be made of them."""
        CausalFilter(filter_settings(self.machine, self.period, values).filter)

    def apply_changes(self, names: set[str]) -> None:
        """New filters, primed again by a new segment."""
        self.stage.exchange(*self._settings(self.parameter.all()))
        self.get_logger().info(f"{', '.join(sorted(names))} changed; delay {self.stage.delay:.4g} s")

    def start(self) -> None:
        self.stage.restart()
        self.missing = MissingSamples(self.period)
        self.inputs.listen(
            JointState,
            TOPIC,
            self.take,
            STRUT_STATES_SUBSCRIPTION,
            raw=True,
            silence=SILENCE,
            patience=SILENCE,
            samples=self.missing,
        )
        self.serve_trigger("~/reset", self.reset)

    def take(self, message: bytes | JointState) -> bool:
        """One joint state: at most a few filtered samples go out; False where it is none of the drives'."""
        try:
            reading = self.reader.read(message)
        except BadJointState as problem:
            self.report(ERROR, problem.reason, str(problem))
            self.missing.arrived()
            return False
        for sample in self.stage.step(reading.time, reading.coordinate, reading.force):
            self.output.send(sample, self.stage.delay)
            self.passed += 1
        self.report_events(self.stage.events, LEVELS)
        rejection = self.stage.validation.last_rejection
        if rejection is None:
            self.missing.came(reading.time)
        elif rejection[0] != DUPLICATE:
            self.missing.arrived()
        return True

    def reset(self) -> str:
        """As if newly started; the numbers of segments go on, so that nodes behind notice."""
        self.reader.reset()
        self.stage.restart()
        self.get_logger().info("reset")
        return "reset"

    def hardware(self) -> str:
        return self.machine.name

    def findings(self) -> Iterable[Finding]:
        if self.silent:
            return
        rate, filled = self.stage.received, self.stage.rate.filled
        # samples that are missing are told by `inputs`, unless they are so many that nothing can be learned
        lossy = self.missing.rate_is_right and self.stage.rate.deviation <= RATE_WARNING
        if (rate.deviation > RATE_WARNING and not lossy) or self.stage.rate.wrong:
            level = ERROR if self.stage.rate.wrong or rate.wrong else WARN
            made_up = f", {100.0 * filled:.0f} % of the stream is made up" if filled > MOST_FILLED else ""
            yield level, f"samples come at {rate.rate:.1f} Hz, expected {rate.nominal:g} Hz{made_up}"
        if not self.stage.has_force and self.stage.validation.segment >= 0:
            yield WARN, "no efforts: pose and motion only, parameters are not estimated"
        for finding in self.stage.channels:
            yield ERROR, finding.text

    def values(self) -> Mapping[str, object]:
        shown = ("accepted", "filled", "start", "gap")
        counts = {name: self.stage.counts[name] for name in shown}
        return {
            "rate (Hz)": self.stage.received.rate,
            "filled_share": self.stage.rate.filled,
            "delay (s)": self.stage.delay,
            "segment": self.stage.validation.segment,
            "passed": self.passed,
            **counts,
        }

    def _settings(self, values: Mapping[str, Any]) -> tuple[ValidationSettings, FilterSettings]:
        settings = filter_settings(self.machine, self.period, values)
        return settings.validation, settings.filter


def main(args: list[str] | None = None) -> int:
    """Run the node."""
    return run(StrutFilterNode, args)


if __name__ == "__main__":
    sys.exit(main())
