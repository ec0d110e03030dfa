# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The page of `pkm watch` when its server goes and another one comes: without ROS, the board is written here."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

pytest.importorskip("websockets.asyncio.server", reason="websockets is not installed (extra 'watch')")

from pkm_identification.browser.live.admission import Admission
from pkm_identification.browser.live.board import Board, TimeHistory
from pkm_identification.browser.live.page_server import PageServer

from .conftest import NARROW, WIDE

pytestmark = pytest.mark.slow
HOST = "127.0.0.1"


@contextmanager
def served(board: Board, port: int = 0) -> Iterator[int]:
    """The page of a board, as long as the block lasts; gives the port."""
    started = threading.Event()
    found = {}

    async def act(action: str) -> tuple[bool, str]:
        return False, f"{action} refused"

    async def serve() -> None:
        found["loop"], found["end"] = asyncio.get_running_loop(), asyncio.Event()
        async with PageServer(board, (), act, Admission(HOST, None)).listening(HOST, port) as found["port"]:
            started.set()
            await found["end"].wait()

    thread = threading.Thread(target=asyncio.run, args=(serve(),), daemon=True)
    thread.start()
    assert started.wait(300.0)
    try:
        yield found["port"]
    finally:
        found["loop"].call_soon_threadsafe(found["end"].set)
        thread.join()


def board() -> Board:
    history = TimeHistory()
    return Board(lambda: {"course": history.entry()})


def test_what_an_ended_server_said_of_nodes_is_not_taken_for_the_next_ones(visit):
    first = board()
    task = {"task": "estimate", "level": "ok", "message": "all well", "values": {}}
    first.put("nodes", {"estimator": [task]})
    first.put("silent", {"estimator": 0.1})
    with served(first) as port:
        seen = visit(f"http://{HOST}:{port}/", NARROW)
        seen.wait("document.querySelector('#diagnostics').innerText.includes('all well')")
    seen.wait("document.querySelector('#word').innerText === 'No connection'")
    with served(board(), port):
        seen.wait("document.querySelector('#word').innerText === 'Waiting'")
        assert seen.page.inner_text("#diagnostics") == "No node heard yet"


def test_a_value_that_grows_from_a_negative_one_of_the_file_has_grown(visit):
    shown = board()
    names = ["mx_p", "my_p", "mz_p"]
    estimate = {
        "run": 1, "names": names, "units": ["kg m"] * 3, "status": ["identified"] * 3, "time": 1.0, "count": 9,
        "nominal": [-2.0, 2.0, 0.0], "values": [-1.0, 1.0, 1.0], "std": [0.01] * 3, "nis": 6.0, "nis_dof": 6,
        "estimator": "rls", "model": "force", "machine": "uf", "fit": None,
    }  # fmt: skip
    shown.put("estimate", estimate)
    with served(shown) as port:
        seen = visit(f"http://{HOST}:{port}/", WIDE)
        seen.wait("document.querySelectorAll('#parameters tr').length === 3")
        changes = [row.locator("td").nth(3).inner_text() for row in seen.page.locator("#parameters tr").all()]
    assert changes == ["+50.0 %", "−50.0 %", "–"]
