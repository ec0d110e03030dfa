# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The server of the live page: who is let in, what is served, and pages that do not read."""

from __future__ import annotations

import asyncio
import json
import socket
import urllib.request
from contextlib import asynccontextmanager
from urllib.error import HTTPError

import pytest

pytest.importorskip("websockets.asyncio.server", reason="websockets is not installed (extra 'watch')")

from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from pkm_identification.browser.live.admission import Admission, is_loopback
from pkm_identification.browser.live.board import Board
from pkm_identification.browser.live.page_server import PAGES, PageServer
from pkm_identification.errors import SettingsError

DEADLINE = 120.0
TOKEN = "abcd1234efgh"


@asynccontextmanager
async def serving(board=None, token=None, act=None):
    async def refuse(action):
        return False, f"{action} refused"

    server = PageServer(board or Board(), ("reset", "save"), act or refuse, Admission("127.0.0.1", token))
    async with server.listening("127.0.0.1", 0) as port:
        yield port


def stream(port, origin=None, query="", **options):
    origin = f"http://127.0.0.1:{port}" if origin is None else origin
    return connect(f"ws://127.0.0.1:{port}/stream{query}", origin=origin, **options)


async def status_of(connecting):
    """HTTP status of a handshake; 101 when it succeeds."""
    try:
        async with connecting:
            return 101
    except InvalidStatus as refused:
        return refused.response.status_code


def posted(port):
    """Status of a POST, None where the server just hangs up."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/", b"x", timeout=DEADLINE) as answer:
            return answer.status
    except HTTPError as error:
        with error:
            return error.code
    except OSError:
        return None


def get(port, path):
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=DEADLINE) as answer:
            return answer.status, answer.headers, answer.read()
    except HTTPError as error:
        with error:
            return error.code, error.headers, b""


def test_every_file_of_the_page_is_served_and_nothing_else():
    async def run():
        async with serving() as port:
            for path in PAGES:
                status, headers, body = await asyncio.to_thread(get, port, path)
                assert status == 200, path
                assert len(body) > 100, path
                assert "default-src 'none'" in headers["Content-Security-Policy"]
            for path in ("/nothing", "/../setup.py", "/%2e%2e/inline.py", "//", "/stream/"):
                assert (await asyncio.to_thread(get, port, path))[0] == 404, path
            # the stream is no page, and nothing can be posted
            assert (await asyncio.to_thread(get, port, "/stream"))[0] == 403
            assert await asyncio.to_thread(posted, port) != 200

    asyncio.run(asyncio.wait_for(run(), DEADLINE))


def test_pages_from_elsewhere_are_refused():
    async def run():
        async with serving() as port:
            assert await status_of(stream(port)) == 101
            for origin in (
                "http://example.com",
                f"http://example.com:{port}",
                f"http://127.0.0.1:{port + 1}",
                "null",
                "http://[",
                f"http://127.0.0.1:{port}.example.com",
            ):
                assert await status_of(stream(port, origin)) == 403, origin
            assert await status_of(connect(f"ws://127.0.0.1:{port}/stream")) == 403
            # a name of somebody else's that leads to this computer (DNS rebinding)
            evil = f"evil.example:{port}"
            rebound = connect(f"ws://{evil}/stream", origin=f"http://{evil}", host="127.0.0.1", port=port)
            assert await status_of(rebound) == 403
            twice = stream(port, additional_headers={"Host": "evil.example"})
            assert await status_of(twice) == 403

    asyncio.run(asyncio.wait_for(run(), DEADLINE))


def test_a_page_behind_a_tunnel_with_another_port_is_let_in():
    local, open_to_all = Admission("127.0.0.1", None), Admission("0.0.0.0", TOKEN)
    assert local.refusal("/stream", ["localhost:9000"], ["http://localhost:9000"]) == 0
    assert local.refusal("/stream", ["[::1]:9000"], ["http://[::1]:9000"]) == 0
    assert local.refusal("/stream", ["evil.example"], ["http://evil.example"]) == 403
    assert local.refusal("/stream", ["[:"], ["http://[:"]) == 403
    assert open_to_all.refusal(f"/stream?token={TOKEN}", ["cell:80"], ["http://cell:80"]) == 0


def test_a_wrong_token_gets_401_at_the_handshake():
    async def run():
        async with serving(token=TOKEN) as port:
            assert await status_of(stream(port, query=f"?token={TOKEN}")) == 101
            for query in (
                "",
                "?token=",
                f"?token={TOKEN}x",
                f"?token={TOKEN[:-1]}",
                "?token=%C3%A9",
                f"?t={TOKEN}",
            ):
                assert await status_of(stream(port, query=query)) == 401, query

    asyncio.run(asyncio.wait_for(run(), DEADLINE))


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.1.2", "::", "cell.example", ""])
def test_an_address_others_can_reach_needs_a_token(host):
    assert not is_loopback(host)
    with pytest.raises(SettingsError, match="--token"):
        Admission(host, None)


@pytest.mark.parametrize("token", ["", "short", "with space in it", "slash/in/the/token", "ümlaut12345"])
def test_a_token_that_is_short_or_no_word_is_refused(token):
    with pytest.raises(SettingsError, match="8 or more letters and digits"):
        Admission("127.0.0.1", token)


def test_an_address_that_cannot_be_used_says_why():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]

        async def listen(host, wanted):
            server = PageServer(Board(), (), None, Admission(host, TOKEN))
            async with server.listening(host, wanted):
                pass

        with pytest.raises(SettingsError, match=f"--port {port}: in use on 127.0.0.1"):
            asyncio.run(listen("127.0.0.1", port))
        # TEST-NET-1: nobody has it
        with pytest.raises(SettingsError, match=r"--host 192\.0\.2\.1: no address of this computer"):
            asyncio.run(listen("192.0.2.1", 0))
        with pytest.raises(SettingsError, match=r"--host cell\.\.local: "):
            asyncio.run(listen("cell..local", 0))


def test_a_button_is_answered_and_anything_else_ends_the_connection():
    asked = []

    async def act(action):
        asked.append(action)
        return True, f"{action} done"

    async def run():
        async with serving(act=act) as port:
            async with stream(port) as page:
                await page.send(json.dumps({"do": "save"}))
                answer = json.loads(await page.recv())["answer"]
                assert answer == {"do": "save", "done": True, "text": "save done"}
            for text in ("", "reset", "[]", '{"do": "shutdown"}', '{"do": ["save"]}', b"\xff", "x" * 2000):
                async with stream(port) as page:
                    await page.send(text)
                    with pytest.raises(ConnectionClosed):
                        await page.recv()

    asyncio.run(asyncio.wait_for(run(), DEADLINE))
    assert asked == ["save"]


@pytest.mark.slow
def test_a_page_that_does_not_read_delays_nobody_and_gets_the_newest_when_it_does():
    board = Board()
    ballast = "x" * 200_000

    async def run():
        # a page whose buffers are soon full, because it takes nothing from its socket
        async with (
            serving(board) as port,
            stream(port, max_queue=1) as stuck,
            stream(port, max_size=None) as quick,
        ):
            stuck.transport.pause_reading()
            for number in range(60):
                board.put("n", [number, ballast])
                while json.loads(await quick.recv())["n"][0] != number:
                    pass
            stuck.transport.resume_reading()
            seen = []
            while not seen or seen[-1] != 59:
                seen.append(json.loads(await stuck.recv())["n"][0])
            assert seen == sorted(set(seen))
            assert len(seen) < 60

    asyncio.run(asyncio.wait_for(run(), DEADLINE))
