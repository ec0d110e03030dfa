# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The demonstration: a simulated machine, the real nodes on real topics, and the log identified again offline."""

from __future__ import annotations

import contextlib
import os
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import rclpy

from pkm_identification.errors import PkmError
from pkm_identification.identification.full_model.true_values import compute_true_values
from pkm_identification.identification.identify import identify, validate
from pkm_identification.identification.result import Identification
from pkm_identification.identification.settings import FULL, Settings
from pkm_identification.machines.load import as_machine, load_machine
from pkm_identification.motion import DriveLog
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.records.log import read_log
from pkm_identification.simulation.perturbation import perturb_machine
from pkm_identification.simulation.sensors import SensorSettings
from pkm_identification.simulation.simulator import simulate

from .demo_settings import OWN_DOMAIN, DemoSettings
from .draining import StreamTroubles, drain, underway
from .monitor import Monitor
from .node_process import NodeProcess
from .watch_process import watching

PIPELINE = ("strut_filter", "kinematics", "estimator")
SHOWN = 5  # values in a line
CURRENT_NOISE = 0.005  # of the rms current
SENSORS = SensorSettings(current_noise=CURRENT_NOISE)
PROGRESS = 2.0  # s between lines
STUCK = 60.0  # s without a new sample; a busy computer may take any time as long as samples come


@dataclass(frozen=True)
class DemoResult:
    """What came out.

    Attributes
    ----------
    live : ndarray, shape (P,)
        Values of the last estimate on the topic.
    live_count, samples : int
        Equations behind it, and strut samples the filter node accepted.
    log : DriveLog
        The recorded bag's.
    replayed : ndarray, shape (P,)
        Values of the recorded bag, identified offline with the same causal stages and judged by the full model.
    offline : Identification
        The bag identified offline with zero-phase filters, validated on another motion.
    truth : dict of str to float
        Values of the simulated machine, by name.
    agreement : float
        Largest difference between live and replayed values in standard deviations.
    lost : int
        Samples that did not get from one node to the next, or into only one of filter and bag.
    troubles : dict of str to str
        Warnings and errors of the nodes' diagnostics.
    """

    live: FloatArray
    live_count: int
    samples: int
    log: DriveLog
    replayed: FloatArray
    offline: Identification
    truth: dict[str, float]
    agreement: float
    lost: int
    troubles: dict[str, str]


def run_demo(settings: DemoSettings, say: Callable[[str], object] = print) -> DemoResult:
    """Run the demonstration; `say` takes the lines of progress.

    Raises
    ------
    PkmError
        If a node does not start or nothing arrives.
    """
    machine = load_machine(settings.machine)
    truth = perturb_machine(machine, settings.seed, settings.perturbation)
    folder = Path(settings.folder)
    bag = folder / "bag"
    folder.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(bag, ignore_errors=True)
    say(f"1. {settings.duration:g} s of a rich motion of all drives on '{machine.name}', through ROS 2 nodes")
    say("   simulator -> strut_filter -> kinematics -> estimator, and a recorder; starting them ...")
    live = _run_nodes(settings, bag, say)
    if live is None or live.estimate is None:
        raise PkmError("demo: no estimate arrived; see the nodes' logs in " + str(folder / "logs"))
    samples = live.count("strut_filter", "accepted")

    say("2. the same identification from the recorded bag, offline")
    log = read_log(bag, machine)
    causal = identify([log], machine, Settings(causal=True))
    count = int(live.estimate.count)
    if not 0 < count <= len(causal.trace.values):
        raise PkmError(f"demo: {count} equations live but {len(causal.trace.values)} from the bag")
    replayed = causal.estimate.values
    values = np.array(live.estimate.values)
    agreement = float(np.max(np.abs(values - replayed) / causal.estimate.std))

    say("3. zero-phase offline, and the forces of another motion predicted")
    offline = identify([log], machine, Settings.of(estimator=FULL))
    held_out = simulate(truth, "rich2", 12.0, nominal=machine, sensors=SENSORS, seed=settings.seed + 1).log()
    offline = validate(offline, replace(held_out, source="rich2 (12 s, simulated)"))
    return DemoResult(
        live=values,
        live_count=count,
        samples=samples,
        log=log,
        replayed=replayed,
        offline=offline,
        truth=compute_true_values(machine, as_machine(truth)),
        agreement=agreement,
        lost=underway(live) + abs(samples - len(log.time)),
        troubles=live.troubles,
    )


def _run_nodes(settings: DemoSettings, bag: Path, say: Callable[[str], object]) -> Monitor:
    common = {"machine": settings.machine}
    # one of its own, so that demonstrations side by side do not hear each other
    domain = os.getpid() % 90 + 11 if settings.domain == OWN_DOMAIN else settings.domain
    process = partial(NodeProcess, domain=domain, folder=bag.parent / "logs")
    # a computer that is too slow shall take longer, not lose samples
    reliable = {"qos_overrides./strut_states.subscription.reliability": "reliable"}
    options: dict[str, dict[str, Any]] = {"strut_filter": reliable}
    pipeline = [process(name, common | options.get(name, {})) for name in PIPELINE]
    recorder = process("recorder", {"output": str(bag), "topics": ["strut_states"]})
    simulator = process(
        "simulator",
        {
            **common,
            "trajectory": "rich",
            "duration": float(settings.duration),
            "seed": settings.seed,
            "perturbation": settings.perturbation,
            "perturbation_seed": settings.seed,
            "current_noise": CURRENT_NOISE,
            "wait": 30.0,
            "subscribers": 2,  # filter and recorder, so that both see the first sample
            "shutdown_at_end": True,
        },
    )
    os.environ["ROS_DOMAIN_ID"] = str(domain)
    os.environ.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
    rclpy.init()
    monitor = Monitor()
    try:
        with contextlib.ExitStack() as running:
            for node in (*pipeline, recorder):
                running.enter_context(node)
            for node in (*pipeline, recorder):
                node.wait_active()
            if settings.watch:
                page = running.enter_context(watching(domain, "--machine", settings.machine))
                say(f"   page: {page.address}")
            running.enter_context(simulator)
            simulator.wait_active()
            progressed = time.monotonic()
            seen = ""
            troubles = StreamTroubles()
            while simulator.code is None and time.monotonic() < progressed + STUCK:
                monitor.troubles.clear()
                monitor.listen(PROGRESS)
                if monitor.value("strut_filter", "accepted") != seen:
                    seen, progressed = monitor.value("strut_filter", "accepted"), time.monotonic()
                    troubles.take(int(seen), monitor.troubles)
                    say("   " + _show_progress(monitor))
            drain(monitor)
            monitor.troubles = troubles.confirmed
            if simulator.code is None:
                raise PkmError(
                    f"demo: no new sample for {STUCK:g} s and no end: see {bag.parent / 'logs' / 'simulator.log'}"
                )
    finally:
        monitor.close()
        rclpy.try_shutdown()
    return monitor


def _show_progress(monitor: Monitor) -> str:
    accepted = monitor.value("strut_filter", "accepted") or "0"
    if monitor.estimate is None:
        return f"{int(accepted):6d} samples   filters settle ..."
    e = monitor.estimate
    rate = monitor.value("strut_filter", "rate (Hz)")
    parts = [
        f"{int(accepted):6d} samples  {float(rate or 'nan'):6.1f} Hz  {e.count:5d} equations  "
        f"NIS {e.nis:5.2f}/{e.nis_dof}"
    ]
    for i in range(0, len(e.names), max(len(e.names) // SHOWN, 1)):
        parts.append(f"{e.names[i]} {e.values[i]:.4g}±{e.std[i]:.2g}")
    return "  ".join(parts)
