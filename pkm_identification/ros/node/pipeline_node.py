# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What all nodes share: life cycle with autostart, parameters, entities that come and go, health, main."""

from __future__ import annotations

import contextlib
import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from typing import Any, ClassVar

from rclpy.lifecycle import LifecycleNode, LifecycleState, TransitionCallbackReturn
from rclpy.qos import QoSProfile
from rclpy.subscription import Subscription
from rclpy.task import Future
from rclpy.timer import Timer
from std_srvs.srv import Trigger

from pkm_identification.errors import PkmError, one_line
from pkm_identification.identification.online.stage_event import StageEvent

from ..clock import STEADY
from ..parameters.declarations import COMMON, ParameterError, ParameterSpec
from ..parameters.table import ParameterTable
from ..qos import open_to_overrides, refusing_bad_overrides
from .diagnostics import ERROR, WARN, Diagnostics, Finding, Task
from .hand_over import HandOver, StreamOutput
from .inputs import OBEYED, Inputs
from .thread_priority import ThreadPriority
from .topic_publishers import find_rivals, is_heard, namesakes

LINGER = 0.3  # s


class PipelineNode(LifecycleNode):
    """A life cycle node of this package.

    Subclasses set `NAME`, `TASK` and `PARAMETERS` and write `build` (configure: validate and make the stages; raise
    PkmError to refuse), `start` (activate: `inputs.listen`, `serve`, `every`) and, where needed, `stop` (deactivate),
    `release` (cleanup), `accept` and `changed` (live parameters), `findings` and `values` (diagnostics). What is
    made there is destroyed on deactivation.
    """

    NAME: ClassVar[str]
    TASK: ClassVar[str] = "work"  # in the diagnostics, besides the input
    PARAMETERS: ClassVar[tuple[ParameterSpec, ...]] = ()
    PATIENT: ClassVar[bool] = (
        False  # whether messages may wait some ms for the next ones: no drive waits for the node
    )
    # Context in which a signal ends a process that compiles; `run` gives its own.
    ending_at_once: Callable[[], AbstractContextManager[None]] = staticmethod(contextlib.nullcontext)
    # Of the threads of a process that has this node alone; `run` gives it.
    thread_priority: ThreadPriority | None = None
    # Streams of this process: `run_together` gives all its nodes the same.
    hand_over: HandOver

    def __init__(self, **options: Any) -> None:
        super().__init__(self.NAME, **options)
        self.hand_over = HandOver()
        self.failure: str | None = None
        self.finished = Future()  # has a result when a job with an end is over
        self._configured = False
        self._active = False
        self._finishing = False
        self._configuring = 0.0  # s
        self._namesakes = 0
        self._rivals: list[str] = []
        self._destroyers: list[Callable[[], object]] = []
        self._lifecycle_publishers: list[Any] = []
        self.inputs = Inputs(self, self.until_deactivated, self.report)
        self.health: Diagnostics | None = None
        self.parameter = ParameterTable(
            self, (*COMMON, *self.PARAMETERS), lambda: self._configured, self.accept, self.apply_changes
        )
        for warning in self.parameter.unknown():
            self.get_logger().warning(warning)

    # What subclasses write

    def build(self) -> None:
        """Make the stages from the parameters; raise PkmError when they cannot be."""

    def start(self) -> None:
        """Create subscriptions, services and timers."""

    def stop(self) -> None:
        """End what `start` began, beyond the entities; may be called again."""

    def release(self) -> None:
        """Close what `build` opened; may be called again."""

    def accept(self, values: Mapping[str, Any]) -> None:
        """Judge a change of live parameters, given all values as they would be; raise PkmError to refuse it."""

    def apply_changes(self, names: set[str]) -> None:
        """Take over the live parameters of these names, which have changed."""

    def hardware(self) -> str:
        """Name of what the node works with, of which a namespace has one."""
        return ""

    def summary(self) -> str:
        """Return what the diagnostics say when nothing is wrong."""
        return "no samples" if self.silent else "ok"

    def input_summary(self) -> str:
        """Return what they say of the input then, while the node is active."""
        return self.inputs.summary() or "listens to no topic"

    def further_tasks(self) -> Iterable[Task]:
        """Tasks with a status of their own."""
        return ()

    def findings(self) -> Iterable[Finding]:
        """Standing conditions (level, text), asked once a second."""
        return ()

    def values(self) -> Mapping[str, object]:
        """Return numbers to show in the diagnostics."""
        return {}

    # What subclasses use

    @contextlib.contextmanager
    def compiling(self) -> Iterator[None]:
        """Context in which `build` makes stages, whose first start ever compiles for a minute: it says so then."""
        # here, because some nodes need no compiler
        from pkm_identification.numerics.compiled import CompilationWatch

        def announce() -> None:
            self.get_logger().info(
                "compiling kernels: a minute or more, once on this computer (`pkm warm-up` does it ahead)"
            )

        with self.ending_at_once(), CompilationWatch(announce):
            yield

    def publisher(self, message_type: type, topic: str, qos: QoSProfile) -> Any:
        """A publisher that is silent while the node is inactive and destroyed on cleanup."""
        with refusing_bad_overrides():
            publisher = self.create_lifecycle_publisher(message_type, topic, **open_to_overrides(qos))
        self._lifecycle_publishers.append(publisher)
        return publisher

    def stream_output(
        self, message_type: type, topic: str, qos: QoSProfile, message: Callable[[Any, float], bytes]
    ) -> StreamOutput:
        """Return a stream of samples, to nodes of this process as objects; `message` makes bytes of (sample, delay)."""
        takers = self.hand_over.takers(self.resolve_topic_name(topic))
        return StreamOutput(self.publisher(message_type, topic, qos), takers, message)

    @property
    def commanding(self) -> tuple[Any, ...]:
        """The publishers of commands of which a topic bears one alone; none of a node that commands nothing."""
        return ()

    @property
    def streams(self) -> list[tuple[Subscription, Callable[[], int]]]:
        """What is listened to, each with what takes all that has come; see `StreamExecutor`."""
        return self.inputs.streams

    @property
    def taken(self) -> int:
        """Messages taken from all topics listened to since activation."""
        return self.inputs.taken

    @property
    def silent(self) -> bool:
        """Whether an input that should flow does not."""
        return self.inputs.silent

    def serve(self, service_type: type, name: str, callback: Callable[[Any, Any], Any]) -> None:
        """Offer a service until deactivation."""
        service = self.create_service(service_type, name, callback)
        self._destroyers.append(lambda: self.destroy_service(service))

    def serve_trigger(self, name: str, action: Callable[[], str]) -> None:
        """Offer a Trigger service: `action` gives the answer's text or raises PkmError with the reason."""

        def answer(_: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
            try:
                response.message = action()
                response.success = True
            except (PkmError, OSError) as error:
                response.message = one_line(str(error))
                self.get_logger().error(f"{name.removeprefix('~/')}: {response.message}")
            return response

        self.serve(Trigger, name, answer)

    def every(self, period: float, callback: Callable[[], None]) -> Timer:
        """Call back each `period` s of real time until deactivation."""
        timer = self.create_timer(period, callback, clock=STEADY)
        self._destroyers.append(lambda: self.destroy_timer(timer))
        return timer

    def unheard(self, topics: Iterable[str]) -> list[str]:
        """Return those of the topics (TOPIC, or NODE:TOPIC) that are not listened to; empty names are passed over."""
        return [topic for topic in topics if topic and not is_heard(self, topic)]

    def until_deactivated(self, destroy: Callable[[], object]) -> None:
        """Have something called on deactivation."""
        self._destroyers.append(destroy)

    def finish(self, code: int = 0) -> None:
        """End the process soon: what was sent last to best effort subscribers is still on its way."""
        if not self._finishing:
            self._finishing = True
            self.every(LINGER, lambda: self.finished.done() or self.finished.set_result(code))

    def report(self, level: bytes, reason: str, text: str) -> None:
        """Count, show and log an event; see `Diagnostics.note`."""
        if self.health is not None:
            self.health.note(level, reason, text)

    def report_events(self, events: Iterable[StageEvent], levels: Mapping[str, bytes] | None = None) -> None:
        """The same for a stage's events, of the level given for their reason, else warnings."""
        for reason, text in events:
            self.report((levels or {}).get(reason, WARN), reason, text)

    # Life cycle

    def on_configure(self, state: LifecycleState) -> TransitionCallbackReturn:
        begin = time.monotonic()
        if not self._attempt(self.build):
            self._release_all()
            return TransitionCallbackReturn.FAILURE
        self._configuring = time.monotonic() - begin
        self.health = Diagnostics(self, self.hardware_id(), [*self._tasks()])
        self._configured = True
        return super().on_configure(state)

    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        result = super().on_activate(state)
        if not self._attempt(self.start):
            self._destroy_entities()
            super().on_deactivate(state)
            return TransitionCallbackReturn.FAILURE
        self._active = True
        self.get_logger().info(f"active; configured in {self._configuring:.1f} s")
        return result

    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        self._destroy_entities()
        self.get_logger().info("inactive")
        return super().on_deactivate(state)

    def on_cleanup(self, state: LifecycleState) -> TransitionCallbackReturn:
        self._release_all()
        return super().on_cleanup(state)

    def on_shutdown(self, state: LifecycleState) -> TransitionCallbackReturn:
        self._destroy_entities()
        self._release_all()
        return super().on_shutdown(state)

    def on_error(self, state: LifecycleState) -> TransitionCallbackReturn:
        self._destroy_entities()
        self._release_all()
        return TransitionCallbackReturn.SUCCESS

    def bring_up(self) -> None:
        """Configure and activate.

        Raises
        ------
        PkmError
            With the reason when configuration is refused.
        """
        success = TransitionCallbackReturn.SUCCESS
        if self.trigger_configure() != success or self.trigger_activate() != success:
            raise ParameterError(self.failure or "cannot be activated; see the log")

    def close(self) -> None:
        """Finish files and let go of everything; for the end of the process, whatever state it is in."""
        try:
            self.stop()
            self.release()
        finally:
            # A context that a signal has shut down lets its entities go in any order.
            with contextlib.suppress(Exception):
                self.destroy_node()

    def _attempt(self, action: Callable[[], None]) -> bool:
        """Do a transition's work; keep and log the reason when it fails."""
        self.failure = None
        try:
            action()
            return True
        except (PkmError, OSError) as error:
            self.failure = one_line(str(error))
        except Exception as error:
            if not self.context.ok():
                return False
            self.get_logger().error(traceback.format_exc())
            self.failure = repr(error)
        # At start the reason goes to stderr as the one line that ends the process.
        if not self.parameter["autostart"]:
            self.get_logger().error(self.failure)
        return False

    def _destroy_entities(self) -> None:
        self._active = False
        self.stop()
        while self._destroyers:
            self._destroyers.pop()()

    def _release_all(self) -> None:
        self._configured = False
        while self._lifecycle_publishers:
            self.destroy_lifecycle_publisher(self._lifecycle_publishers.pop())
        if self.health is not None:
            self.health.destroy()
            self.health = None
        self.release()

    def hardware_id(self) -> str:
        """Return which machine: stated, or what the namespace has of that name."""
        machine_id: str = self.parameter["machine_id"]
        return machine_id or f"{self.get_namespace().strip('/')}/{self.hardware()}".strip("/")

    def _tasks(self) -> Iterable[Task]:
        yield Task(self.TASK, self._own_findings, self.values, self._own_summary)
        yield from self.further_tasks()
        yield Task("input", self._input_findings, self.inputs.values, self._input_summary)

    def _own_findings(self) -> Iterable[Finding]:
        if self._active:
            yield from self.findings()

    def _own_summary(self) -> str:
        return self.summary() if self._active else "inactive"

    def _input_findings(self) -> Iterable[Finding]:
        if self.get_parameter("use_sim_time").value and self.get_clock().now().nanoseconds == 0:
            yield WARN, "use_sim_time is set but nobody publishes /clock"
        others = namesakes(self)
        if others:
            text = (
                f"{others + 1} nodes are called {self.get_fully_qualified_name()}: end the others, or start each in "
                "a different namespace"
            )
            if others != self._namesakes:
                self.get_logger().warning(text)
            yield WARN, text
        self._namesakes = others
        yield from self._find_rivals()
        yield from self.inputs.findings()

    def _find_rivals(self) -> Iterable[Finding]:
        """Other nodes that command the same drives; logged when they come."""
        rivals = find_rivals(self, self.commanding)
        if rivals:
            text = f"{len(rivals)} nodes command the same drives: {', '.join(rivals)}: {OBEYED}"
            if rivals != self._rivals:
                self.get_logger().error(text)
            yield ERROR, text
        self._rivals = rivals

    def _input_summary(self) -> str:
        return self.input_summary() if self._active else "inactive"


def change_period(timer: Timer, period: float) -> None:
    """Let a timer run at another period (s) from now on."""
    timer.timer_period_ns = round(1e9 * period)
    timer.reset()  # else the old period ends first
