# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""`pkm watch` as a process, beside an estimator that does not answer."""

from __future__ import annotations

import contextlib
import json
import signal
import subprocess
import sys
import time

import pytest
from rclpy.task import Future
from std_srvs.srv import Trigger

pytest.importorskip("websockets.sync.client", reason="websockets is not installed (extra 'watch')")

from websockets.sync.client import connect

from pkm_identification.ros.processes.node_process import process_environment


@pytest.mark.slow
def test_an_interrupt_ends_it_with_an_answer_to_who_waits_for_the_estimators(bench, domain):
    """The page is told, instead of having the end wait for a node that may hang."""
    asked = []

    async def hang(request, _):
        asked.append(request)
        await Future()

    bench.node.create_service(Trigger, "estimator/reset", hang)
    with subprocess.Popen(
        [sys.executable, "-m", "pkm_identification.cli", "watch", "--no-browser", "--port", "0"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=process_environment(domain),
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as process:  # fmt: skip
        assert process.stdout is not None
        address = process.stdout.readline().split()[1]
        stream = address.replace("http:", "ws:") + "stream"
        with connect(stream, origin=address.rstrip("/"), open_timeout=60.0) as page:
            while not asked:
                page.send(json.dumps({"do": "reset"}))
                # refused at once as long as the estimator is not found
                refused = bench.wait(lambda: asked or answer_within(page, 0.05), "an answer, or a request")
                assert refused in (asked, "no estimator node was found")
            process.send_signal(signal.SIGINT)
            assert answer_within(page, 60.0) == "pkm watch has ended"
        output, error = process.communicate(timeout=300.0)
    assert (process.returncode, output, error) == (0, "", "")


def answer_within(page, seconds: float) -> str | None:
    """The sentence that the page got for what it asked for; None if there was none."""
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0.0:
        with contextlib.suppress(TimeoutError):
            message = json.loads(page.recv(left))
            if "answer" in message:
                return message["answer"]["text"]
    return None
