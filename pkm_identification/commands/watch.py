# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""pkm watch: a page in the browser alongside running nodes."""

from __future__ import annotations

import argparse
import os
import re

from pkm_identification.browser.live.admission import Admission
from pkm_identification.errors import SettingsError
from pkm_identification.machines.load import load_machine
from pkm_identification.optional import library

from .ros_part import require_ros

PORT = 8741
TOKEN = "PKM_WATCH_TOKEN"  # in the environment, which other users do not see
LARGEST_DOMAIN = 232
NAMESPACE = re.compile(r"/?([A-Za-z_]\w*(/[A-Za-z_]\w*)*)?", re.ASCII)


def add(commands: argparse._SubParsersAction) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "watch",
        description="Show running nodes on a page in the browser, until Ctrl-C: the machine in 3D, estimates settling "
        "with their bands, fit, payload, diagnostics; with buttons that save and reset the estimate.",
    )
    parser.add_argument("--machine", help="built-in name or YAML file (default: that of the estimator node)")
    parser.add_argument("--namespace", default="", help="of the nodes")
    parser.add_argument("--domain", type=int, help="ROS domain (default: ROS_DOMAIN_ID)")
    parser.add_argument(
        "--host", default="127.0.0.1", help="address to listen on; others than 127.0.0.1 need a token"
    )
    parser.add_argument("--port", type=int, default=PORT, help=f"0: a free one (default: {PORT})")
    parser.add_argument(
        "--token",
        metavar="T",
        help=f"what a page must know: 8 or more letters and digits (others here see it in ps: {TOKEN} hides it)",
    )
    parser.add_argument("--no-browser", action="store_true", help="print the address and open no browser")
    parser.set_defaults(run=_watch)


def _watch(options: argparse.Namespace) -> int:
    if not 0 <= options.port <= 65535:
        raise SettingsError(f"--port {options.port}: must be from 0 to 65535")
    if options.domain is not None and not 0 <= options.domain <= LARGEST_DOMAIN:
        raise SettingsError(f"--domain {options.domain}: must be from 0 to {LARGEST_DOMAIN}")
    if not NAMESPACE.fullmatch(options.namespace):
        raise SettingsError(
            f"--namespace {options.namespace!r}: must be words of letters, digits and _ with / between"
        )
    token = options.token if options.token is not None else os.environ.get(TOKEN)
    admission = Admission(options.host, token)
    machine = None if options.machine is None else load_machine(options.machine)
    library("websockets.asyncio.server", "watch")
    require_ros()
    # ROS is an option of this package, so nothing outside the commands that need it loads it
    from pkm_identification.ros.watching.watch import WatchSettings, run_watch

    run_watch(
        WatchSettings(
            host=options.host,
            port=options.port,
            token=token,
            admission=admission,
            machine=machine,
            namespace=options.namespace,
            domain=options.domain,
            open_browser=not options.no_browser,
        ),
        say=lambda address: print(f"Page: {address}  (Ctrl-C ends it)", flush=True),
    )
    return 0
