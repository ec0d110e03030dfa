# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The server of the live page: its files and its stream from one port, to browsers on this computer unless asked."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import http
import json
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

from pkm_identification.errors import SettingsError
from pkm_identification.optional import library

from ..inline import asset
from .admission import Admission
from .board import Board

PERIOD = 0.04  # s between two messages to a page, at least
STREAM = "/stream"
CLOSING = 2.0  # s that a page has at the end, for a last answer and to close
LARGEST_REQUEST = 1024  # bytes that a page may send at once
PAGES = {
    "/": "watch.html",
    "/watch.css": "watch.css",
    "/watch.js": "watch.js",
    "/band_chart.js": "band_chart.js",
    "/machine_view.js": "machine_view.js",
    "/three.min.js": "three.min.js",
    "/favicon.ico": "icon.svg",
}
KINDS = {"html": "text/html", "css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Cache-Control": "no-cache",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Connection": "close",
}

# What a page asked for, by name; gives whether it was done and a sentence.
Action = Callable[[str], Awaitable[tuple[bool, str]]]


class PageServer:
    """Serves the page, sends each page what is new on the board, and does what its buttons ask for.

    Each page has a task of its own that takes the newest from the board when the last message has gone out: a page that
    reads slowly, or not at all, gets fewer messages, and delays neither the others nor who writes to the board.

    Parameters
    ----------
    board : Board
    actions : tuple of str
        What a page may ask for.
    act : callable
        Does it.
    admission : Admission
    """

    def __init__(self, board: Board, actions: tuple[str, ...], act: Action, admission: Admission) -> None:
        self._board = board
        self._actions = actions
        self._act = act
        self._admission = admission
        self._asked = 0  # requests of pages that are not answered yet
        self._answered = asyncio.Event()

    @asynccontextmanager
    async def listening(self, host: str, port: int) -> AsyncIterator[int]:
        """Listen as long as the block lasts; gives the port, a free one for port 0.

        Raises
        ------
        SettingsError
            If the address is not of this computer or not free, or the extra `watch` is not installed.
        """
        serve = library("websockets.asyncio.server", "watch").serve
        # The library logs every malformed request; the terminal is for the address of the page.
        quiet = logging.getLogger("pkm_identification.watch")
        quiet.addHandler(logging.NullHandler())
        quiet.propagate = False
        try:
            server = await serve(
                self._handle,
                host,
                port,
                process_request=self._answer,
                compression=None,
                close_timeout=CLOSING,
                max_size=LARGEST_REQUEST,
                server_header=None,
                logger=quiet,
            )
        except OSError as error:
            raise SettingsError(_refuse(host, port, error)) from None
        except UnicodeError:  # no name that DNS could know
            raise SettingsError(f"--host {host}: neither an address nor a name") from None
        async with server:
            yield next(iter(server.sockets)).getsockname()[1]
            if self._asked:
                with contextlib.suppress(asyncio.TimeoutError):
                    await asyncio.wait_for(self._answered.wait(), CLOSING)

    def _answer(self, connection: Any, request: Any) -> Any:
        """Files by HTTP; None lets the stream's handshake go on."""
        path = request.path.partition("?")[0]
        status, body, kind = 200, b"", "text/plain"
        if path == STREAM:
            host, origin = (request.headers.get_all(name) for name in ("Host", "Origin"))
            status = self._admission.refusal(request.path, host, origin)
            if not status:
                return None
        elif path in PAGES:
            name = PAGES[path]
            body, kind = asset(name).encode(), KINDS[name.rpartition(".")[2]]
        else:
            status = 404
        meaning = http.HTTPStatus(status).phrase
        body = body or f"{status} {meaning}\n".encode()
        headers = library("websockets.datastructures", "watch").Headers(HEADERS)
        headers["Content-Type"] = f"{kind}; charset=utf-8"
        headers["Content-Length"] = str(len(body))
        return library("websockets.http11", "watch").Response(status, meaning, headers, body)

    async def _handle(self, page: Any) -> None:
        closed = library("websockets.exceptions", "watch").ConnectionClosed
        sending = asyncio.create_task(self._send(page))
        try:
            with contextlib.suppress(closed):
                async for text in page:
                    await self._take(page, text)
        finally:
            sending.cancel()
            with contextlib.suppress(asyncio.CancelledError, closed):
                await sending

    async def _send(self, page: Any) -> None:
        version = 0
        while True:
            version, text = self._board.since(version)
            if text:
                await page.send(text)
            await asyncio.sleep(PERIOD)

    async def _take(self, page: Any, text: str | bytes) -> None:
        try:
            wanted = json.loads(text)
        except ValueError:
            wanted = None
        name = wanted.get("do") if isinstance(wanted, dict) else None
        if name not in self._actions:
            await page.close(1008, "no such action")
            return
        self._asked += 1
        self._answered.clear()
        try:
            success, sentence = await self._act(name)
            await page.send(json.dumps({"answer": {"do": name, "done": success, "text": sentence}}))
        finally:
            self._asked -= 1
            if not self._asked:
                self._answered.set()


def _refuse(host: str, port: int, error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"--port {port}: in use on {host}; another --port, or 0 for a free one"
    if error.errno == errno.EACCES:
        return f"--port {port}: may not be used by this user; one from 1024 on may"
    return f"--host {host}: no address of this computer"
