"""strut_filter: joint states of any driver in, guarded and filtered strut motion out."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Mapping
from typing import Any

from sensor_msgs.msg import JointState

from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.msg import StrutStates
from pkm_identification.ros.messages.convert import STRUT_STATES, finite, strut_states
from pkm_identification.ros.messages.joint_state import BadJointState, JointStateReader
from pkm_identification.ros.messages.wire import StreamWriter
from pkm_identification.ros.node.base import PipelineNode
from pkm_identification.ros.node.diagnostics import ERROR, WARN, Finding
from pkm_identification.ros.node.main import run
from pkm_identification.ros.node.publishers import publisher_names
from pkm_identification.ros.parameters.strut_filter import (
    PARAMETERS,
    sample_period,
    stream_settings,
)
from pkm_identification.ros.qos import STREAM, STRUT_STATES_SUBSCRIPTION
from pkm_identification.signals.causal import CausalStrutFilter
from pkm_identification.signals.guard import RATE_ERROR, RATE_WARNING, StreamGuard
from pkm_identification.signals.rate import RateWatch

TOPIC = "strut_states"
SILENCE = 1.0  # s without input that is worth a warning
SEGMENTS = 2**32  # numbers a message has room for
# Rejections that mean a wrong set-up.
ERRORS = ("out_of_limits",)


class StrutFilterNode(PipelineNode):
    """`strut_states` -> guard -> causal filter -> `strut_states/filtered`."""

    NAME = "strut_filter"
    PARAMETERS = PARAMETERS

    def build(self) -> None:
        self.machine = Machine.load(self.parameter["machine"])
        self.period = sample_period(self.machine, self.parameter["sample_rate"])
        self.reader = JointStateReader(self.parameter["joint_names"])
        self._make_stages(self.parameter.all())
        self.rate = RateWatch(1.0 / self.period)
        with self.compiling():
            self._warm_up()
        self.writer = StreamWriter(STRUT_STATES)
        self.output = self.publisher(StrutStates, f"{TOPIC}/filtered", STREAM)
        self.passed = 0
        self._segment_base: int | None = None
        self._restart()

    def accept(self, values: Mapping[str, Any]) -> None:
        """Live parameters: refused when no filter or guard can be made of them."""
        CausalStrutFilter(stream_settings(self.machine, self.period, values).filter)

    def changed(self, names: set[str]) -> None:
        """New filters, primed again by a new segment."""
        self._restart()
        self._make_stages(self.parameter.all())
        self.get_logger().info(f"{', '.join(sorted(names))} changed; delay {self.filter.delay:.4g} s")

    def start(self) -> None:
        self._restart()
        self._arrival = time.monotonic()
        self.listen(JointState, TOPIC, self.take, STRUT_STATES_SUBSCRIPTION)
        self.serve_trigger("~/reset", self.reset)

    def take(self, message: JointState) -> None:
        """One joint state: at most a few filtered samples go out."""
        self._arrival = time.monotonic()
        try:
            reading = self.reader.read(message)
        except BadJointState as problem:
            self.report(ERROR, problem.reason, str(problem))
            return
        samples = self.guard.step(reading.time, reading.length, reading.force)
        rejection = self.guard.last_rejection
        if rejection is not None:
            reason, text = rejection
            self.report(ERROR if reason in ERRORS else WARN, reason, text)
            return
        self._has_force = reading.force is not None
        if samples[-1].segment != self._segment:
            self._begin_segment(samples[-1].segment, reading.time)
        self.rate.update(reading.time, len(samples))
        for sample in samples:
            filtered = self.filter.step(sample)
            if filtered is None:
                continue
            if self.rate.deviation > RATE_ERROR:
                # derivatives would be wrong by as much
                self.report(ERROR, "wrong_rate", "the sample rate is too far off: nothing is passed on")
                continue
            if not finite(filtered.length, filtered.rate, filtered.acceleration, filtered.force):
                self.report(ERROR, "not_finite_output", "the filter gave a number that is not finite")
                self._restart()
                return
            segment = (self._segment_base + filtered.segment) % SEGMENTS
            self.output.publish(strut_states(self.writer, filtered, segment, self.filter.delay))
            self.passed += 1

    def reset(self) -> str:
        """As if newly started; the numbers of segments go on, so that nodes behind notice."""
        self.reader.reset()
        self._restart()
        self.get_logger().info("reset")
        return "reset"

    def hardware(self) -> str:
        return self.machine.name

    def findings(self) -> Iterable[Finding]:
        if time.monotonic() - self._arrival > SILENCE:
            yield WARN, f"no samples on '{TOPIC}'"
            return
        if self.rate.deviation > RATE_WARNING:
            level = ERROR if self.rate.deviation > RATE_ERROR else WARN
            yield level, f"samples come at {self.rate.rate:.1f} Hz, expected {self.rate.nominal:g} Hz"
        if not self._has_force and self._segment >= 0:
            yield WARN, "no efforts: pose and motion only, parameters are not estimated"
        names = publisher_names(self, TOPIC)
        if len(names) > 1:
            yield WARN, f"{len(names)} publishers on '{TOPIC}': {', '.join(names)}"

    def values(self) -> Mapping[str, object]:
        shown = ("accepted", "filled", "start", "gap")
        counts = {name: self.guard.counts[name] for name in shown}
        return {
            "rate": self.rate.rate,
            "delay": self.filter.delay,
            "segment": self._segment,
            "passed": self.passed,
            **counts,
        }

    def _make_stages(self, values: Mapping[str, Any]) -> None:
        settings = stream_settings(self.machine, self.period, values)
        self.guard = StreamGuard(settings.guard)
        self.filter = CausalStrutFilter(settings.filter)

    def _restart(self) -> None:
        if self._segment_base is not None:
            self._segment_base += self.guard.segment + 1
        self.guard.reset()
        self.filter.reset()
        self.rate.reset()
        self._segment = -1
        self._has_force = False
        self._clock_jumps = 0

    def _begin_segment(self, segment: int, time: float) -> None:
        if self._segment_base is None:
            # a node that was restarted must not go on with numbers used before: its first stamp in ms is new
            self._segment_base = int(1e3 * time)
        clock_jumps = self.guard.counts["clock_jump"]
        if clock_jumps > self._clock_jumps:
            self.report(WARN, "clock_jump", f"stamps jumped back to {time:.6f} s: started afresh")
        self._clock_jumps = clock_jumps
        self._segment = segment
        self.rate.restart()

    def _warm_up(self) -> None:
        """Run both stages once, so that nothing is compiled while samples wait."""
        guard, strut_filter = StreamGuard(self.guard.settings), CausalStrutFilter(self.filter.settings)
        length = self.machine.length_limits.mean().repeat(6)
        k = 0
        while True:
            for sample in guard.step(k * self.period, length, length):
                if strut_filter.step(sample) is not None:
                    return
            k += 1


def main(args: list[str] | None = None) -> int:
    """Run the node."""
    return run(StrutFilterNode, args)


if __name__ == "__main__":
    sys.exit(main())
