"""strut_filter: joint states of any driver in, guarded and filtered strut motion out."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Mapping

from sensor_msgs.msg import JointState

from pkm_identification.msg import StrutStates

from ..machine import Machine
from ..pipeline import kinematic_cutoff
from ..records.joint_state import STRUT_NAMES
from ..ros.convert import fill_strut_states, finite
from ..ros.diagnostics import ERROR, WARN, Finding
from ..ros.joint_state import BadJointState, JointStateReader, StrutReading
from ..ros.main import run
from ..ros.node_base import MACHINE, PipelineNode
from ..ros.parameters import ParameterError, ParameterSpec
from ..ros.qos import STREAM, STRUT_STATES_SUBSCRIPTION
from ..ros.rate import RateWatch
from ..signals.causal import KINDS, CausalStrutFilter, FilterSettings
from ..signals.guard import RATE_ERROR, RATE_WARNING, GuardSettings, StreamGuard

STRUT_STATES = "strut_states"
SILENCE = 1.0  # s without input that is worth a warning
# Rate deviations worth a warning and an error.
ERRORS = ("out_of_limits",)


class StrutFilterNode(PipelineNode):
    """`strut_states` -> guard -> causal filter -> `strut_states/filtered`."""

    NAME = "strut_filter"
    PARAMETERS = (
        MACHINE,
        ParameterSpec("joint_names", list(STRUT_NAMES), "joint names of struts 1 to 6 in strut_states"),
        ParameterSpec("sample_rate", 0.0, "rate of strut_states; 0: the machine's drive.sample_rate", "Hz", 0, 1e5),
        ParameterSpec("cutoff", 0.0, "low-pass cutoff of lengths and forces; 0: what the encoders allow", "Hz", 0, 5e4),
        ParameterSpec("order", 4, "order of one low-pass pass", low=1, high=12),
        ParameterSpec("kind", "fir", "linear phase, or one causal Butterworth on every channel", choices=KINDS),
        ParameterSpec("max_delay", 0.05, "longest delay the linear-phase filter may have", "s", 0.001, 1.0),
        ParameterSpec("max_gap", 0.005, "longest hole that is filled; a longer one starts a new segment", "s", 0, 1.0),
        ParameterSpec("late_tolerance", 0.5, "stamps so far behind are stragglers; more is a clock jump", "s", 0, 60),
    )  # fmt: skip

    def build(self) -> None:
        self.machine = Machine.load(self.parameter["machine"])
        rate = self.parameter["sample_rate"]
        if rate == 0.0 and self.machine.drive is None:
            raise ParameterError(
                f"parameter 'sample_rate' = 0: machine '{self.machine.name}' has no drive.sample_rate; give one"
            )
        period = 1.0 / (rate or self.machine.drive.sample_rate)
        guard = GuardSettings.of(self.machine, period, **self.parameter.values("max_gap", "late_tolerance"))
        try:
            self.reader = JointStateReader(self.parameter["joint_names"])
            chosen = self.parameter.values("cutoff", "order", "kind", "max_delay")
            chosen["cutoff"] = chosen["cutoff"] or kinematic_cutoff(self.machine, period)
            self.filter = CausalStrutFilter(FilterSettings(period, **chosen))
        except ValueError as error:
            raise ParameterError(f"parameters: {error}") from None
        self.guard = StreamGuard(guard)
        self.rate = RateWatch(1.0 / period)
        with self.compiling():
            self._warm_up(guard)
        self.message = StrutStates()
        self.output = self.publisher(StrutStates, f"{STRUT_STATES}/filtered", STREAM)
        self._segment_base = 0
        self._restart()

    def start(self) -> None:
        self._restart()
        self._arrival = time.monotonic()
        self.listen(JointState, STRUT_STATES, self.take, STRUT_STATES_SUBSCRIPTION)
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
            self._begin_segment(samples[-1].segment, reading)
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
            fill_strut_states(self.message, filtered, self.filter.delay)
            self.message.segment += self._segment_base
            self.output.publish(self.message)

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
            yield WARN, f"no samples on '{STRUT_STATES}'"
            return
        if self.rate.deviation > RATE_WARNING:
            level = ERROR if self.rate.deviation > RATE_ERROR else WARN
            yield level, f"samples come at {self.rate.rate:.1f} Hz, expected {self.rate.nominal:g} Hz"
        if not self._has_force and self._segment >= 0:
            yield WARN, "no efforts: pose and motion only, parameters are not estimated"
        publishers = self.get_publishers_info_by_topic(self.resolve_topic_name(STRUT_STATES))
        if len(publishers) > 1:
            names = ", ".join(sorted(f"{p.node_namespace.rstrip('/')}/{p.node_name}" for p in publishers))
            yield WARN, f"{len(publishers)} publishers on '{STRUT_STATES}': {names}"

    def values(self) -> Mapping[str, object]:
        shown = ("accepted", "filled", "start", "gap")
        counts = {name: self.guard.counts[name] for name in shown}
        return {"rate": self.rate.rate, "delay": self.filter.delay, "segment": self._segment, **counts}

    def _restart(self) -> None:
        self._segment_base += self.guard.segment + 1
        self.guard.reset()
        self.filter.reset()
        self.rate.reset()
        self._segment = -1
        self._has_force = False
        self._clock_jumps = 0

    def _begin_segment(self, segment: int, reading: StrutReading) -> None:
        clock_jumps = self.guard.counts["clock_jump"]
        if clock_jumps > self._clock_jumps:
            self.report(WARN, "clock_jump", f"stamps jumped back to {reading.time:.6f} s: started afresh")
        self._clock_jumps = clock_jumps
        self._segment = segment
        self.rate.restart()

    def _warm_up(self, settings: GuardSettings) -> None:
        """Run both stages once, so that nothing is compiled while samples wait."""
        guard, strut_filter = StreamGuard(settings), CausalStrutFilter(self.filter.settings)
        length = self.machine.length_limits.mean().repeat(6)
        k = 0
        while True:
            for sample in guard.step(k * settings.period, length, length):
                if strut_filter.step(sample) is not None:
                    return
            k += 1


def main(args: list[str] | None = None) -> int:
    """Run the node."""
    return run(StrutFilterNode, args)


if __name__ == "__main__":
    sys.exit(main())
