# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""`pkm watch` beside the real nodes, over DDS, in a real browser."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import sys
from contextlib import ExitStack

import pytest
import yaml

pytest.importorskip("rclpy", reason="ROS 2 is not installed (pip install '.[ros]')")
pytest.importorskip(
    "pkm_identification.msg", reason="this package's messages are not built (pip install '.[ros]')"
)
pytest.importorskip("websockets.asyncio.server", reason="websockets is not installed (extra 'watch')")

from ros.domains import DOMAIN

from pkm_identification.mechanisms.hexapod.machine import Machine, builtin_machines
from pkm_identification.mechanisms.hexapod.parameters.sets import list_hexapod_parameters
from pkm_identification.ros.processes.node_process import NodeProcess, process_environment
from pkm_identification.ros.processes.watch_process import watching

from .conftest import NARROW, WIDE

pytestmark = [pytest.mark.slow, pytest.mark.ros]
STARTING = 300.0  # s; the first start of all compiles kernels
TOKEN = "cell17operators"
RATE = 250.0  # Hz; a quarter of the work
PIPELINE = ("strut_filter", "kinematics", "estimator")
IDENTIFIED = "pkmWatch.state.estimate?.status.filter(status => status === 'identified').length >= 10"
# Notes that a page was given an estimate that began anew, however far it has come when the test looks.
AFRESH = """(() => {
    const { run, count } = pkmWatch.state.estimate;
    globalThis.afresh = false;
    setInterval(() => {
        const now = pkmWatch.state.estimate;
        globalThis.afresh ||= now?.run > run && now.count < count;
    }, 20);
})()"""


def pipeline(folder, saved, machine):
    parameters = {
        "machine": str(machine),
        "save_folder": str(saved),
        "save_name": "seen.json",
        "pose_rate": 5.0,
    }
    return NodeProcess("bringup", parameters, domain=DOMAIN, folder=folder, together=PIPELINE)


@pytest.fixture(scope="module")
def live(tmp_path_factory):
    """Nodes, a simulated machine that moves for as long as the tests take, and the page's address."""
    folder = tmp_path_factory.mktemp("watch")
    document = yaml.safe_load(builtin_machines()["uf"].read_text(encoding="utf-8"))
    document["drive"]["sample_rate"] = RATE
    machine = folder / "slow.yaml"
    machine.write_text(yaml.safe_dump(document), encoding="utf-8")
    motion = {
        "machine": str(machine),
        "trajectory": "rich",
        "duration": 3600.0,
        "perturbation": 0.15,
        "current_noise": 0.005,
    }
    with ExitStack() as running:
        nodes = running.enter_context(pipeline(folder / "first", folder / "saved", machine))
        simulator = NodeProcess("simulator", {**motion, "wait": STARTING}, domain=DOMAIN, folder=folder)
        running.enter_context(simulator)
        address = running.enter_context(watching(DOMAIN, "--no-browser", "--token", TOKEN)).address
        nodes.wait_active(STARTING)
        yield address, nodes, folder
    assert "Traceback" not in nodes.text()


def test_the_page_shows_every_estimate_and_asks_nobody_else(live, visit):
    address, _, _ = live
    seen = visit(address, WIDE)
    seen.wait(IDENTIFIED, STARTING)
    seen.wait("pkmWatch.page.view?.frames > 2", STARTING)
    estimate = seen.page.evaluate("pkmWatch.state.estimate")
    expected = list_hexapod_parameters(Machine.load("uf"))
    assert estimate["names"] == list(expected.names)
    rows = seen.page.locator("#parameters tr")
    assert rows.count() == len(expected.names)
    for i in range(rows.count()):
        name, value, unit, *_ = rows.nth(i).locator("th, td").all_inner_texts()
        assert name == expected.names[i]
        assert unit == estimate["units"][i].replace("^2", "²")
        # an estimate has a deviation, and what the data do not show has neither
        assert re.fullmatch(r"-?\d+(\.\d+)? ± \d+(\.\d+)?|–", value)
    # every course is drawn: a canvas that is not empty
    drawn = """[...document.querySelectorAll("td canvas, #chart")].map(canvas => canvas.getContext("2d")
        .getImageData(0, 0, canvas.width, canvas.height).data.some(value => value > 0))"""
    assert seen.page.evaluate(drawn) == [True] * (len(expected.names) + 1)
    # each node publishes its diagnostics at a time of its own
    for node in PIPELINE:
        seen.page.wait_for_selector(f"#diagnostics >> text={node}")
    assert seen.inaccessible() == []
    assert seen.errors == []
    assert seen.asked_outside == []


def test_a_telephone_in_the_dark_shows_it_without_barriers_or_sideways_scrolling(live, visit):
    address, _, _ = live
    seen = visit(address, NARROW, dark=True)
    seen.wait(IDENTIFIED, STARTING)
    seen.page.wait_for_selector("#diagnostics .status")
    assert seen.inaccessible() == []
    for place in ("html", ".right .scroll"):
        assert seen.page.evaluate(
            f"(at => at.scrollWidth <= at.clientWidth)(document.querySelector('{place}'))"
        )
    seen.page.click("#reset")
    assert seen.inaccessible() == []
    assert seen.errors == []


def test_buttons_save_and_reset_the_estimator_and_every_page_sees_it(live, visit):
    address, nodes, folder = live
    seen, other = visit(address, NARROW), visit(address, NARROW)
    for one in (seen, other):
        one.wait(IDENTIFIED, STARTING)
    seen.page.click("#save")
    seen.wait("pkmWatch.state.answer?.do === 'save'", STARTING)
    assert seen.page.evaluate("pkmWatch.state.answer.done")
    assert [path.name for path in (folder / "saved").glob("*.json")] == ["seen.json"]
    for one in (seen, other):
        one.page.evaluate(AFRESH)
    # asked first, and nothing happens when it is not meant
    seen.page.click("#reset")
    seen.page.click("#sure button[value=cancel]")
    assert "reset" not in nodes.text()
    seen.page.click("#reset")
    seen.page.click("#sure button[value=reset]")
    seen.wait("pkmWatch.state.answer?.do === 'reset'", STARTING)
    assert seen.page.evaluate("pkmWatch.state.answer.done")
    assert "reset" in nodes.text()
    for one in (seen, other):
        one.wait("afresh", STARTING)
        assert one.errors == []


def test_nodes_that_are_gone_are_called_silent_and_come_back(live, visit):
    address, nodes, folder = live
    seen = visit(address, NARROW)
    seen.wait("pkmWatch.state.nodes.estimator && pkmWatch.state.estimate", STARTING)
    nodes.signal(signal.SIGKILL)
    nodes.wait(60.0)
    seen.page.wait_for_selector("#verdict.error >> text=nothing from")
    # each node has spoken last at a time of its own
    seen.wait("document.querySelector('#sentence').textContent.includes('estimator for')", STARTING)
    seen.wait("document.querySelector('#reset').disabled", STARTING)
    run = seen.page.evaluate("pkmWatch.state.estimate?.run || 0")
    with pipeline(folder / "second", folder / "saved", folder / "slow.yaml") as again:
        again.wait_active(STARTING)
        seen.wait(f"pkmWatch.state.estimate?.run > {run}", STARTING)
        seen.wait("document.querySelector('#word').textContent !== 'Silent'", STARTING)
    assert seen.errors == []


def test_a_page_with_a_wrong_token_gets_nothing_and_says_why(live, visit):
    address, _, _ = live
    assert address.endswith(f"/#{TOKEN}")
    wrong = visit(address.replace(TOKEN, "cell18operators"), NARROW)
    wrong.page.wait_for_selector("#verdict.error >> text=token")
    assert wrong.page.evaluate("pkmWatch.state.received") == 0


def test_a_port_in_use_is_one_line_and_code_2():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        command = [
            sys.executable,
            "-m",
            "pkm_identification.cli",
            "watch",
            "--no-browser",
            "--port",
            str(port),
        ]
        done = subprocess.run(
            command, env=process_environment(DOMAIN), capture_output=True, text=True, timeout=STARTING
        )
    assert (done.returncode, done.stdout) == (2, "")
    assert (
        done.stderr == f"pkm watch: --port {port}: in use on 127.0.0.1; another --port, or 0 for a free one\n"
    )
