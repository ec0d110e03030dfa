"""`pkm watch` as a process, beside an estimator that does not answer."""

from __future__ import annotations

import contextlib
import json
import signal
import subprocess
import sys
import time

import pytest
from std_srvs.srv import Trigger

pytest.importorskip("websockets.sync.client", reason="websockets is not installed (extra 'watch')")

from websockets.sync.client import connect

from pkm_identification.ros.processes.node_process import process_environment


@pytest.mark.slow
def test_an_interrupt_ends_it_with_an_answer_to_who_waits_for_the_estimators(bench, domain):
    """The page is told, instead of having the end wait for a node that may hang."""
    bench.node.create_service(Trigger, "estimator/reset", lambda _, answer: answer)  # nobody looks at it
    with subprocess.Popen(
        [sys.executable, "-m", "pkm_identification.cli", "watch", "--no-browser", "--port", "0"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=process_environment(domain),
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as process:  # fmt: skip
        assert process.stdout is not None
        address = process.stdout.readline().split()[1]
        with connect(address.replace("http:", "ws:") + "stream", origin=address.rstrip("/")) as page:
            asked = "no estimator node was found"
            while asked == "no estimator node was found":
                page.send(json.dumps({"do": "reset"}))
                asked = answer_within(page, 4.0)
            assert asked is None
            process.send_signal(signal.SIGINT)
            assert answer_within(page, 60.0) == "pkm watch has ended"
        output, error = process.communicate(timeout=60.0)
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
