# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""`python -m benchmarks.live_page`: what `pkm watch` and its page cost the stream; the figures of docs/watch.md.

Simulator, strut_filter, kinematics and estimator run once, and windows of some seconds follow each other meanwhile: the
nodes alone, with `pkm watch`, with a page that reads everything and one that reads nothing, with a page that a browser
draws, and again. Each window is compared with that of the nodes alone in its round, because computers have other work.
A minute for each case with the options as they are.
"""

from __future__ import annotations

import argparse
import os
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from statistics import mean, median, stdev
from tempfile import TemporaryDirectory

import rclpy
import yaml

from pkm_identification.mechanisms.hexapod.machine import builtin_machines
from pkm_identification.ros.processes.monitor import Monitor
from pkm_identification.ros.processes.node_process import NodeProcess, cpu_time
from pkm_identification.ros.processes.watch_process import watching

PAGE = Path(__file__).resolve().parents[1] / "docs" / "watch.md"
BEGIN, END = "<!-- benchmarks.live_page -->", "<!-- end -->"
PIPELINE = ("strut_filter", "kinematics", "estimator")
FLAGS = ["--no-sandbox", "--disable-gpu", "--enable-unsafe-swiftshader", "--disable-background-networking"]


@contextmanager
def nobody(address: str) -> Iterator[None]:
    """No page."""
    yield


@contextmanager
def reading(address: str) -> Iterator[None]:
    """A page that reads everything, and one that reads nothing, without drawing."""
    from websockets.exceptions import ConnectionClosed
    from websockets.sync.client import connect
    from websockets.typing import Origin

    def read() -> None:
        try:
            for _ in quick:
                pass
        except ConnectionClosed:
            pass

    origin = Origin(address.rstrip("/"))
    stream = f"{origin.replace('http', 'ws')}/stream"
    with (
        connect(stream, origin=origin, max_size=None) as quick,
        connect(stream, origin=origin, max_queue=1, ping_interval=None),
    ):
        reader = threading.Thread(target=read, daemon=True)
        reader.start()
        yield


@contextmanager
def drawing(address: str) -> Iterator[None]:
    """A page in a headless Chromium that draws in software."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        browser.new_page().goto(address)
        yield
        browser.close()


# Name of a case, whether `pkm watch` runs, and the page beside it.
Page = Callable[[str], AbstractContextManager[None]]
CASES: tuple[tuple[str, bool, Page], ...] = (
    ("nodes alone", False, nobody),
    ("pkm watch, no page", True, nobody),
    ("two pages, one reads nothing", True, reading),
    ("a page drawn in software", True, drawing),
)


SETTLE = 2.0  # s, until what has just been started has been


class Pipeline:
    """The nodes behind a running simulator, and what they have done so far."""

    def __init__(self, running: ExitStack, machine: Path, domain: int) -> None:
        self.monitor = Monitor()
        running.callback(self.monitor.close)
        folder = Path(running.enter_context(TemporaryDirectory()))
        common = {"machine": str(machine)}
        self.nodes = [NodeProcess(name, common, domain=domain, folder=folder) for name in PIPELINE]
        for node in self.nodes:
            running.enter_context(node)
        for node in self.nodes:
            node.wait_active()
        motion = {"trajectory": "rich", "duration": 3600.0, "wait": 60.0}
        simulator = NodeProcess("simulator", {**common, **motion}, domain=domain, folder=folder)
        running.enter_context(simulator)
        simulator.wait_active()
        while int(self.monitor.value("estimator", "equations") or 0) < 1:
            self.monitor.listen(0.5)

    def so_far(self) -> dict[str, float]:
        """Counts and processor time at the instant of the filter's next diagnostics, which come once a second."""
        before = self.monitor.value("strut_filter", "accepted")
        while self.monitor.value("strut_filter", "accepted") == before:
            self.monitor.listen(0.02)
        return {
            "elapsed": time.monotonic(),
            "samples": float(self.monitor.value("strut_filter", "accepted")),
            "lost": sum(float(self.monitor.value(name, "lost") or 0) for name in PIPELINE),
            "nodes": sum(node.cpu_time() for node in self.nodes),
        }

    def window(self, seconds: float, domain: int, watched: bool, page: Page) -> dict[str, float]:
        """What happens in so many seconds beside `pkm watch` and a page, or alone."""
        with ExitStack() as beside:
            watch = beside.enter_context(watching(domain, "--no-browser")) if watched else None
            beside.enter_context(page(watch.address if watch else ""))
            self.monitor.listen(SETTLE)
            before, watch_before = self.so_far(), cpu_time(watch.pid) if watch else 0.0
            self.monitor.listen(seconds)
            after, watch_after = self.so_far(), cpu_time(watch.pid) if watch else 0.0
        return {name: after[name] - before[name] for name in after} | {"watch": watch_after - watch_before}


def against_alone(rounds: list[dict[str, float]], alone: list[dict[str, float]]) -> str:
    """What the nodes spend on a sample beside what they spend alone in the same round, %: mean and its deviation."""
    pairs = zip(rounds, alone, strict=True)
    more = [100.0 * (cost(one) / cost(other) - 1.0) for one, other in pairs]
    if len(more) < 2:
        return f"{more[0]:+.1f}"
    return f"{mean(more):+.1f} ± {stdev(more) / len(more) ** 0.5:.1f}"


def cost(one: dict[str, float]) -> float:
    """Processor time of the three nodes, us a sample."""
    return 1e6 * one["nodes"] / one["samples"]


def table(found: dict[str, list[dict[str, float]]], conditions: str) -> str:
    """What docs/watch.md shows."""
    lines = [
        conditions,
        "",
        "| case | samples a second | lost | nodes, µs a sample | over alone, % | `pkm watch`, % of a core |",
        "|---|---|---|---|---|---|",
    ]
    alone = found[CASES[0][0]]
    for name, rounds in found.items():
        rate = median(one["samples"] / one["elapsed"] for one in rounds)
        lost = sum(one["lost"] for one in rounds)
        share = median(100.0 * one["watch"] / one["elapsed"] for one in rounds)
        spent = median(cost(one) for one in rounds)
        beside = "" if rounds is alone else against_alone(rounds, alone)
        lines.append(f"| {name} | {rate:.0f} | {lost:.0f} | {spent:.0f} | {beside} | {share:.1f} |")
    return "\n".join(lines)


def write(text: str) -> None:
    """Put a table into the page, in place of the one before."""
    page = PAGE.read_text(encoding="utf-8")
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    PAGE.write_text(f"{before}{BEGIN}\n{text}\n{END}{after}", encoding="utf-8")


def main() -> None:
    """Measure, print the table and on request write it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=15.0, help="of a window")
    parser.add_argument("--rate", type=float, default=1000.0)
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--domain", type=int, default=87)
    parser.add_argument("--write", action="store_true", help=f"put the table into {PAGE.name}")
    options = parser.parse_args()
    os.environ["ROS_DOMAIN_ID"] = str(options.domain)
    os.environ.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
    cases = [case for case in CASES if case[2] is not drawing or shutil.which("chromium")]
    load = os.getloadavg()[0]
    rclpy.init()
    found: dict[str, list[dict[str, float]]] = {name: [] for name, _, _ in cases}
    with ExitStack() as running, TemporaryDirectory() as folder:
        document = yaml.safe_load(builtin_machines()["uf"].read_text(encoding="utf-8"))
        document["drive"]["sample_rate"] = options.rate
        machine = Path(folder) / "uf.yaml"
        machine.write_text(yaml.safe_dump(document), encoding="utf-8")
        pipeline = Pipeline(running, machine, options.domain)
        for number in range(options.rounds):
            # every case is the first one as often as another
            turn = number % len(cases)
            for name, watched, page in cases[turn:] + cases[:turn]:
                found[name].append(pipeline.window(options.seconds, options.domain, watched, page))
                print(f"  {name}: {found[name][-1]}", flush=True)
    rclpy.try_shutdown()
    text = table(
        found,
        f"`python -m benchmarks.live_page --seconds {options.seconds:g} --rate {options.rate:g} --rounds "
        f"{options.rounds}`: medians;\nover alone: mean over rounds and its deviation; load before it "
        f"{load:.1f} on {os.cpu_count()} cores.",
    )
    print(text)
    if options.write:
        write(text)


if __name__ == "__main__":
    main()
