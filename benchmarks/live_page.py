"""`python -m benchmarks.live_page`: what `pkm watch` and its page cost the stream; the figures of docs/watch.md.

Simulator, strut_filter, kinematics and estimator run for some seconds: alone, with `pkm watch`, with a page that reads
everything and one that reads nothing, and with a page that a browser draws. Rounds alternate, because computers have
other work.
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

    def read() -> None:
        try:
            for _ in quick:
                pass
        except ConnectionClosed:
            pass

    origin = address.rstrip("/")
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


def run(machine: Path, seconds: float, domain: int, watched: bool, page: Page) -> dict[str, float]:
    """One case: samples, samples lost, time, and processor time of the nodes and of `pkm watch`."""
    monitor = Monitor()
    common = {"machine": str(machine)}
    motion = {"trajectory": "rich", "duration": seconds, "wait": 60.0, "shutdown_at_end": True}
    with ExitStack() as running, TemporaryDirectory() as folder:
        running.callback(monitor.close)
        process = [NodeProcess(name, common, domain=domain, folder=Path(folder)) for name in PIPELINE]
        for node in process:
            running.enter_context(node)
        for node in process:
            node.wait_active()
        watch = running.enter_context(watching(domain, "--no-browser")) if watched else None
        running.enter_context(page(watch.address if watch else ""))
        simulator = NodeProcess("simulator", {**common, **motion}, domain=domain, folder=Path(folder))
        before = sum(node.cpu_time() for node in process)
        watch_before = cpu_time(watch.pid) if watch else 0.0
        running.enter_context(simulator)
        simulator.wait_active()
        start = time.monotonic()
        while simulator.code is None:
            monitor.listen(0.5)
        elapsed = time.monotonic() - start
        monitor.listen(2.5)
        return {
            "samples": float(monitor.value("strut_filter", "accepted")),
            "lost": sum(float(monitor.value(name, "lost") or 0) for name in PIPELINE),
            "nodes": sum(node.cpu_time() for node in process) - before,
            "watch": (cpu_time(watch.pid) - watch_before) if watch else 0.0,
            "elapsed": elapsed,
        }


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
        "| case | samples a second | lost | nodes, µs a sample | beside alone, % | `pkm watch`, % of a core |",
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
    parser.add_argument("--seconds", type=float, default=20.0)
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
    with TemporaryDirectory() as folder:
        document = yaml.safe_load(builtin_machines()["uf"].read_text(encoding="utf-8"))
        document["drive"]["sample_rate"] = options.rate
        machine = Path(folder) / "uf.yaml"
        machine.write_text(yaml.safe_dump(document), encoding="utf-8")
        for number in range(options.rounds):
            # every case is the first one as often as another
            turn = number % len(cases)
            for name, watched, page in cases[turn:] + cases[:turn]:
                found[name].append(run(machine, options.seconds, options.domain, watched, page))
                print(f"  {name}: {found[name][-1]}", flush=True)
    rclpy.try_shutdown()
    text = table(
        found,
        f"`python -m benchmarks.live_page --seconds {options.seconds:g} --rate {options.rate:g} --rounds "
        f"{options.rounds}`: medians;\nbeside alone: mean over rounds and its deviation; load before it "
        f"{load:.1f} on {os.cpu_count()} cores.",
    )
    print(text)
    if options.write:
        write(text)


if __name__ == "__main__":
    main()
