# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""How nodes reach each other: over UDP, because shared memory does not survive a process that is killed.

With Fast DDS's shared memory (3.2; its issue 5469) after a `kill -9` the others, and the killed node's successor,
sometimes receive nothing any more: once in some hundred kills. For messages as small as ours UDP on loopback is as
fast.
"""

from __future__ import annotations

import os
from collections.abc import MutableMapping
from pathlib import Path

LOOPBACK = Path(__file__).with_name("loopback.xml")
TRANSPORTS = "FASTDDS_BUILTIN_TRANSPORTS"
# of Fast DDS 3, and of 2 in older distributions
PROFILES, OLD_PROFILES = "FASTDDS_DEFAULT_PROFILES_FILE", "FASTRTPS_DEFAULT_PROFILES_FILE"
OLD_DISTRIBUTIONS = ("humble", "iron", "jazzy")
# Those whom a profile bound to loopback could not reach.
PEERS = ("ROS_STATIC_PEERS", "ROS_DISCOVERY_SERVER")


def remove_shared_memory(middleware: str, environment: MutableMapping[str, str] = os.environ) -> None:
    """Let the participants that this process will make use UDP alone, unless the user chose a transport.

    Parameters
    ----------
    middleware : str
        Name of ROS's middleware; nothing is changed for another than Fast DDS.
    environment : mutable mapping
        Read and changed: `FASTDDS_BUILTIN_TRANSPORTS`; or, where ROS is confined to this computer (rmw_fastrtps
        then insists on shared memory), a profile of Fast DDS that means the same.
    """
    chosen = any(map(environment.get, (TRANSPORTS, PROFILES, OLD_PROFILES)))
    if chosen or not middleware.startswith("rmw_fastrtps"):
        return
    deprecated = environment.get("ROS_LOCALHOST_ONLY") == "1"  # where it is known it overrules the other one
    if not deprecated and environment.get("ROS_AUTOMATIC_DISCOVERY_RANGE") != "LOCALHOST":
        environment[TRANSPORTS] = "UDPv4"
    elif not any(map(environment.get, PEERS)):
        old = environment.get("ROS_DISTRO") in OLD_DISTRIBUTIONS
        environment[OLD_PROFILES if old else PROFILES] = str(LOOPBACK)
        environment["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "SYSTEM_DEFAULT"
        environment.pop("ROS_LOCALHOST_ONLY", None)
