# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""`pkm watch` from its start to Ctrl-C: one thread listens to ROS, one serves pages, the board is between them."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
import webbrowser
from collections.abc import Callable
from dataclasses import dataclass

import rclpy
from rclpy.signals import SignalHandlerOptions
from rclpy.utilities import get_rmw_implementation_identifier

from pkm_identification.browser.live.admission import Admission
from pkm_identification.browser.live.page_server import PageServer
from pkm_identification.errors import PkmError
from pkm_identification.machines.contract import Machine

from ..node.transport import remove_shared_memory
from .listener import ACTIONS, Listener

ALIVE = 1.0  # s between two looks at the listening thread


@dataclass(frozen=True)
class WatchSettings:
    """What `pkm watch` does.

    Attributes
    ----------
    host : str
        Address to listen on.
    port : int
        0: a free one.
    token : str or None
        What a page must know.
    admission : Admission
        Who may connect, by address and token.
    machine : Machine or None
        To draw; None: the nodes'.
    namespace : str
        Of the nodes.
    domain : int or None
        ROS domain; None: that of the environment.
    open_browser : bool
        Whether to show the page.
    """

    host: str
    port: int
    token: str | None
    admission: Admission
    machine: Machine | None = None
    namespace: str = ""
    domain: int | None = None
    open_browser: bool = True

    def address(self, port: int) -> str:
        """Address of the page on a port; the token is behind #, where it reaches no log."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{port}/{'' if self.token is None else '#' + self.token}"


def run_watch(settings: WatchSettings, say: Callable[[str], object]) -> None:
    """Serve the page until SIGINT or SIGTERM; `say` is given its address.

    Raises
    ------
    PkmError
        If the address cannot be used, or ROS cannot be started or ends.
    """
    remove_shared_memory(get_rmw_implementation_identifier())
    if settings.domain is not None:
        os.environ["ROS_DOMAIN_ID"] = str(settings.domain)
    try:
        rclpy.init(args=[], signal_handler_options=SignalHandlerOptions.NO)
        listener = Listener(settings.namespace, settings.machine)
    except RuntimeError as error:  # of rcl and the middleware
        raise PkmError(f"ROS cannot be started: {' '.join(str(error).split())}") from None
    try:
        asyncio.run(_serve(settings, listener, say))
    finally:
        listener.close()
        rclpy.try_shutdown()


async def _serve(settings: WatchSettings, listener: Listener, say: Callable[[str], object]) -> None:
    loop = asyncio.get_running_loop()
    stopped = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stopped.set)

    server = PageServer(listener.board, ACTIONS, listener.ask, settings.admission)
    async with server.listening(settings.host, settings.port) as port:
        listener.start()
        address = settings.address(port)
        say(address)
        # without a display there are only browsers that would take the terminal
        if settings.open_browser and any(map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY"))):
            # some browsers come back when they are closed
            threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
        while not stopped.is_set():
            if not listener.alive:
                raise PkmError("ROS has ended")
            try:
                await asyncio.wait_for(stopped.wait(), ALIVE)
            except asyncio.TimeoutError:
                continue
        listener.stop_asking()
