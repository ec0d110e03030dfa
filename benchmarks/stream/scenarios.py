# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The scenarios: processes of their own, one process, twice the rate, one core shared with others."""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import rclpy
from scipy.stats import theilslopes

from pkm_identification.cli import main as run_command
from pkm_identification.machines.contract import Machine
from pkm_identification.machines.load import load_machine
from pkm_identification.ros.parameters.declarations import list_joints
from pkm_identification.ros.processes.monitor import Monitor
from pkm_identification.ros.processes.node_process import NodeProcess, list_children, process_environment
from pkm_identification.simulation.sensors import SensorSettings
from pkm_identification.simulation.simulator import simulate

from ..results import Effort, Stream
from ..surroundings import load
from .driver import NANOSECONDS
from .listener import TOPICS, Listener

NODES = ("strut_filter", "kinematics", "estimator")
MOTION = 20.0  # s, the motion's own period
FADE = 2.0  # s, before and after it
NOISE = 0.01  # of the forces, relative
ROOT = Path(__file__).resolve().parents[2]
BUSY = "while True: pass"
# Left out of the figures: caches fill, sockets grow.
START = 1.0  # s
TAIL = 1.5  # s for the last samples to pass
MARKS = 20  # looks at memory
COURSE = 60  # intervals of the course over time
LATENCY_EDGES = np.geomspace(1e-4, 10.0, 51)  # s, ten intervals for each factor of ten
# MB per minute over the second half of a soak test; at 1 kHz a message kept for ever would be ten times that.
LARGEST_GROWTH = 0.5


@dataclass(frozen=True)
class Scenario:
    """How the nodes are run.

    `core`: all on this one, beside a busy loop; `handed_over`: not through DDS in between; `priority`: of their threads
    in real time, and of those of driver and listener, 0 for none; `beside`: busy loops that share all cores with them;
    `watched`: whether another process listens to every platform_state, which then is written as a message as well.
    """

    name: str
    rate: float = 1000.0
    together: bool = False
    handed_over: bool = True
    executor: str = "single_threaded"
    core: int | None = None
    machine: str = "uf"  # built in, or a template of `pkm init`
    priority: int = 0
    beside: int = 0
    watched: bool = True


SCENARIOS = (
    Scenario("four processes"),
    Scenario("four processes, events executor", executor="events"),
    Scenario("one process", together=True),
    Scenario("one process, all through DDS", together=True, handed_over=False),
    Scenario("one process, events executor", together=True, executor="events"),
    Scenario("four processes, 2 kHz", rate=2000.0),
    Scenario("four processes, 2 kHz, events executor", rate=2000.0, executor="events"),
    Scenario("starved: one core for all, shared with a busy loop", core=0),
    *(
        Scenario(
            f"one process, {name}{'' if watched else ', nobody else listens to platform_state'}",
            together=True,
            machine=name,
            watched=watched,
        )
        for name in ("mast", "epaas", "delta", "five-bar")
        for watched in (True, False)
    ),
)
TEMPLATES = ("delta", "five-bar")


def run_all(effort: Effort) -> list[Stream]:
    """All scenarios one after the other; or, for a soak test, the first one alone for as long as asked."""
    scenarios: tuple[Scenario, ...] = SCENARIOS
    duration = effort.stream_seconds
    if effort.soak_minutes:
        scenarios, duration = SCENARIOS[:1], 60.0 * effort.soak_minutes
    found = []
    for scenario in scenarios:
        print(f"{scenario.name}: {duration:g} s ...", file=sys.stderr, flush=True)
        found.append(run(scenario, duration))
    if effort.soak_minutes:
        _check_memory(found[0])
    return found


def _check_memory(stream: Stream) -> None:
    """Raise AssertionError if a process grew for good."""
    for name, slope in stream.memory_slope.items():
        print(f"{name}: {slope:+.3f} MB per minute", file=sys.stderr, flush=True)
    growing = [name for name, slope in stream.memory_slope.items() if slope > LARGEST_GROWTH]
    if growing:
        raise AssertionError(f"memory grows: {', '.join(growing)}")


def run(scenario: Scenario, duration: float) -> Stream:
    """One scenario for `duration` s."""
    with tempfile.TemporaryDirectory(prefix="pkm_stream_") as name, contextlib.ExitStack() as stack:
        folder, where = Path(name), scenario.machine
        if where in TEMPLATES:
            where = str(folder / f"{where}.yaml")
            with contextlib.redirect_stdout(io.StringIO()):
                run_command(["init", where, "--kind", scenario.machine])
        machine = load_machine(where)
        _write_samples(machine, scenario.rate, folder / "samples.npz")
        count = round(scenario.rate * duration)
        rclpy.init(args=[])
        stack.callback(rclpy.try_shutdown)
        nodes = _start_nodes(machine, where, scenario, folder, stack)
        listener = Listener([*TOPICS][0 if scenario.watched else 1 :])
        monitor = Monitor()
        stack.callback(monitor.close)
        for core in [None] * scenario.beside if scenario.core is None else [scenario.core]:
            stack.enter_context(_busy(core))
        before = load()
        driver = _start_driver(scenario, folder, count, stack)
        begin = int(driver.stdout.readline() or 0)
        if not begin:
            raise RuntimeError("the driver did not start: see above")
        # else their own lateness, beside nodes that have it, would count as the nodes'
        stack.callback(_schedule, os.getpid(), 0)
        for pid in (driver.pid, os.getpid()):
            _schedule(pid, scenario.priority)
        marks, memory, cpu, shares = _watch(nodes, monitor, driver, begin / NANOSECONDS, duration)
        if driver.wait() != 0:
            raise RuntimeError("the driver failed: see above")
        monitor.listen(TAIL)
        listener.close()
        sent = np.load(folder / "sent.npy")
        lost = {name: int(monitor.value(name, "lost") or 0) for name in NODES}
        accepted = int(monitor.value("strut_filter", "accepted") or 0)
        delay = float(monitor.value("strut_filter", "delay (s)"))
    return _stream(
        scenario, duration, sent, begin, delay, listener, cpu, (marks, memory, shares), lost, accepted, before
    )


def _write_samples(machine: Machine, rate: float, path: Path) -> None:
    """Write a period of the built-in motion as the machine's sensors show it, and the names of its joints."""
    sensors = SensorSettings(current_noise=NOISE)
    log = simulate(machine, "rich", MOTION + 2.0 * FADE, sensors=sensors).log()
    assert log.force is not None
    instants = FADE + np.arange(round(MOTION * rate)) / rate - log.time[0]
    rows = np.rint(instants / np.median(np.diff(log.time))).astype(int)
    np.savez(path, names=list_joints(machine), coordinate=log.coordinate[rows], force=log.force[rows])


def _start_nodes(
    machine: Machine, where: str, scenario: Scenario, folder: Path, stack: contextlib.ExitStack
) -> dict[str, NodeProcess]:
    values: dict[str, object] = {"machine": where, "executor": scenario.executor}
    if scenario.rate != machine.sample_rate:
        values["sample_rate"] = scenario.rate
    if scenario.together:
        process = NodeProcess(
            "bringup", values, folder=folder, together=NODES, handed_over=scenario.handed_over
        )
        nodes = {"bringup": process}
    else:
        nodes = {name: NodeProcess(name, values, folder=folder) for name in NODES}
    for process in nodes.values():
        stack.enter_context(process)
    for process in nodes.values():
        process.wait_active()
        for thread in _list_threads(process.pid):
            if scenario.core is not None:
                os.sched_setaffinity(thread, {scenario.core})
        _schedule(process.pid, scenario.priority)
    return nodes


def _list_threads(pid: int) -> list[int]:
    return [int(one.name) for one in Path(f"/proc/{pid}/task").iterdir()]


def _schedule(pid: int, priority: int) -> None:
    """Give all threads of a process a real-time priority; 0 for none."""
    policy = os.SCHED_FIFO if priority else os.SCHED_OTHER
    for thread in _list_threads(pid):
        with contextlib.suppress(ProcessLookupError):  # it has ended meanwhile
            os.sched_setscheduler(thread, policy, os.sched_param(priority))


@contextlib.contextmanager
def _busy(core: int | None) -> Iterator[None]:
    process = subprocess.Popen([sys.executable, "-c", BUSY])
    try:
        if core is not None:
            os.sched_setaffinity(process.pid, {core})
        yield
    finally:
        process.kill()
        process.wait()


def _start_driver(
    scenario: Scenario, folder: Path, count: int, stack: contextlib.ExitStack
) -> subprocess.Popen:
    command = [
        sys.executable,
        "-m",
        "benchmarks.stream.driver",
        str(folder / "samples.npz"),
        str(scenario.rate),
    ]
    command += [str(count), str(folder / "sent.npy")]
    command += [] if scenario.core is None else [str(scenario.core)]
    driver = subprocess.Popen(command, cwd=ROOT, env=process_environment(), stdout=subprocess.PIPE, text=True)

    def end() -> None:
        if driver.poll() is None:
            driver.kill()
        driver.wait()
        driver.stdout.close()

    stack.callback(end)
    return driver


def _watch(
    nodes: dict[str, NodeProcess], monitor: Monitor, driver: subprocess.Popen, begin: float, duration: float
) -> tuple[list[float], dict[str, list[float]], dict[str, float], dict[str, list[float]]]:
    """What the processes used.

    Memory (MB) of each at some times (s), processor time as a share of one core, and the same in % between those times.
    """
    monitor.listen(max(0.0, begin + START - time.time()))
    first, start = {name: process.cpu_time() for name, process in nodes.items()}, time.monotonic()
    marks: list[float] = []
    memory: dict[str, list[float]] = {name: [] for name in nodes}
    shares: dict[str, list[float]] = {name: [] for name in nodes}
    before, then = dict(first), start
    for mark in np.linspace(START, duration, MARKS):
        monitor.listen(max(0.0, begin + mark - time.time()))
        marks.append(float(mark))
        for name, process in nodes.items():
            memory[name].append(_resident(process.pid))
        now, used = time.monotonic(), {name: process.cpu_time() for name, process in nodes.items()}
        for name in nodes:
            shares[name].append(100.0 * (used[name] - before[name]) / max(now - then, 1e-3))
        before, then = used, now
    passed = time.monotonic() - start
    cpu = {name: (process.cpu_time() - first[name]) / passed for name, process in nodes.items()}
    return marks, memory, cpu, shares


def _resident(pid: int) -> float:
    pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6 + sum(map(_resident, list_children(pid)))


def _stream(
    scenario: Scenario, duration: float, sent: np.ndarray, begin: int, delay: float, listener: Listener,
    cpu: dict[str, float], memory: tuple[list[float], dict[str, list[float]], dict[str, list[float]]],
    lost: dict[str, int], accepted: int, before: float,
) -> Stream:  # fmt: skip
    """The figures of a run."""
    period = NANOSECONDS / scenario.rate
    latency, got, numbers = {}, {}, {}
    for topic, heard in listener.heard.items():
        stamps, arrivals = heard.arrays()
        # the newest input sample that a message was made from
        number = np.round((stamps + NANOSECONDS * delay - begin) / period).astype(int)
        inside = (number >= START * scenario.rate) & (number < len(sent))
        latency[topic] = (arrivals[inside] - sent[number[inside]]) / NANOSECONDS
        numbers[topic] = number[inside]
        got[topic] = len(np.unique(number[inside]))
    lateness = (sent - begin - period * np.arange(len(sent))) / NANOSECONDS
    marks, resident, shares = memory
    course = _course(duration, scenario.rate, numbers, latency["parameter_estimate"])
    half = len(marks) // 2
    return Stream(
        name=scenario.name,
        rate=scenario.rate,
        seconds=duration,
        sent=len(sent),
        accepted=accepted,
        missing=(
            len(sent) - round(START * scenario.rate) - got["platform_state"]
            if scenario.watched
            else len(sent) - accepted
        ),
        lost=lost,
        driver_lateness=_quantiles(lateness),
        state_latency=_quantiles(latency["platform_state"]),
        estimate_latency=_quantiles(latency["parameter_estimate"]),
        estimates=got["parameter_estimate"],
        cpu=cpu,
        memory={name: values[-1] for name, values in resident.items()},
        memory_slope={
            # the median of slopes: what a judgement of the fit takes for a moment is no growth
            name: 60.0 * float(theilslopes(values[half:], marks[half:]).slope)
            for name, values in resident.items()
        },
        load=(before, load()),
        course=course | {"marks": marks, "memory": resident, "cpu": shares, "latency": _histograms(latency)},
    )


def _course(
    duration: float, rate: float, numbers: dict[str, np.ndarray], latency: np.ndarray
) -> dict[str, list[float]]:
    """Samples missing so far and latencies in each of some intervals."""
    edges = np.round(np.linspace(START, duration, COURSE + 1) * rate).astype(int)  # numbers of samples
    missing = edges[1:] - edges[0] - np.searchsorted(np.unique(numbers["platform_state"]), edges[1:])
    place = np.digitize(numbers["parameter_estimate"], edges) - 1
    quantiles = np.array([_quantiles(latency[place == k])[:2] for k in range(COURSE)])
    return {
        "time": (edges[1:] / rate).tolist(),
        "missing": missing.tolist(),
        "median": quantiles[:, 0].tolist(),
        "p99": quantiles[:, 1].tolist(),
    }


def _histograms(latency: dict[str, np.ndarray]) -> dict[str, list[int]]:
    """How many messages of each topic were as late as each of `LATENCY_EDGES` says."""
    return {topic: np.histogram(seconds, LATENCY_EDGES)[0].tolist() for topic, seconds in latency.items()}


def _quantiles(seconds: np.ndarray) -> tuple[float, float, float]:
    """Median, 99th percentile and largest; NaN of nothing."""
    if len(seconds) == 0:
        return float("nan"), float("nan"), float("nan")
    median, late, last = np.percentile(seconds, [50.0, 99.0, 100.0])
    return float(median), float(late), float(last)
