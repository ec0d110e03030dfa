# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Pages in a real browser, headless: Debian's Chromium, driven by playwright; skipped where either is missing."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

try:
    from axe_playwright_python.sync_playwright import Axe
    from playwright.sync_api import Browser, Page, sync_playwright

    MISSING = ""
except ImportError as error:
    MISSING = f"what drives a browser is not installed (pip install '.[dev]'): {error}"

NAMES = ("chromium", "chromium-browser", "google-chrome")
# Software drawing, and nothing that asks the network on its own account.
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--enable-unsafe-swiftshader",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
WIDE, NARROW = (1280, 900), (390, 844)
DEADLINE = 180.0  # s, for whatever a page is waited for
POLL = 50.0  # ms


class _Missing(pytest.Module):
    def collect(self):
        pytest.skip(MISSING, allow_module_level=True)


def pytest_pycollect_makemodule(module_path, parent):
    return _Missing.from_parent(parent, path=module_path) if MISSING else None


@dataclass
class Visit:
    """A page that was opened, and all it complained about and asked for meanwhile."""

    page: Page
    errors: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def wait(self, condition: str, deadline: float = DEADLINE) -> None:
        """Until a JavaScript expression holds, s; playwright's own way needs what a page's policy may forbid (eval)."""
        end = time.monotonic() + deadline
        while not self.page.evaluate(condition):
            assert time.monotonic() < end, f"not within {deadline:g} s: {condition}"
            self.page.wait_for_timeout(POLL)

    def inaccessible(self) -> list[str]:
        """What axe-core finds serious or critical, each with the element."""
        found = Axe().run(self.page).response["violations"]
        return [
            f"{finding['id']}: {node['target']} {node.get('failureSummary', '')}"
            for finding in found
            if finding["impact"] in ("serious", "critical")
            for node in finding["nodes"]
        ]

    @property
    def asked_outside(self) -> list[str]:
        """Addresses beyond this computer."""
        inside = ("file:", "data:", "blob:", "http://127.0.0.1:", "ws://127.0.0.1:")
        return [address for address in self.requests if not address.startswith(inside)]


# A file's, not the session's: while playwright runs, its event loop is the thread's, and no test that comes
# after in the same process could start one of its own (`asyncio.run`).
@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """The browser of the tests in one file."""
    path = next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        pytest.skip("no Chromium here (Debian: apt-get install chromium)")
    with sync_playwright() as playwright:
        made = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        yield made
        made.close()


@pytest.fixture
def visit(browser) -> Iterator[Any]:
    """`visit(address or file, size=WIDE, dark=False)`: a page of its own, as a `Visit`."""
    contexts = []

    def opened(place: str | Path, size: tuple[int, int] = WIDE, dark: bool = False) -> Visit:
        context = browser.new_context(
            viewport={"width": size[0], "height": size[1]}, color_scheme="dark" if dark else "light"
        )
        contexts.append(context)
        context.set_default_timeout(1000.0 * DEADLINE)
        found = Visit(context.new_page())
        page = found.page
        page.on("console", lambda line: found.errors.append(line.text) if line.type == "error" else None)
        page.on("pageerror", lambda error: found.errors.append(str(error)))
        page.on("request", lambda request: found.requests.append(request.url))
        page.on("websocket", lambda socket: found.requests.append(socket.url))
        page.goto(place.resolve().as_uri() if isinstance(place, Path) else place)
        return found

    yield opened
    for context in contexts:
        context.close()
