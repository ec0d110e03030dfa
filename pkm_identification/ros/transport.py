"""How nodes reach each other: over UDP, because shared memory does not survive a process that is killed.

With Fast DDS's shared memory (3.2; its issue 5469) a `kill -9` leaves the others, and the killed node's successor, now
and then deaf for good: once in some hundred kills. For messages as small as ours UDP on loopback is as fast.
"""

from __future__ import annotations

import os
from collections.abc import MutableMapping
from pathlib import Path

LOOPBACK = Path(__file__).with_name("loopback.xml")
# Whoever sets one of these has chosen; and peers named by hand are not for a profile of ours.
CHOSEN = (
    "FASTDDS_BUILTIN_TRANSPORTS",
    "FASTDDS_DEFAULT_PROFILES_FILE",
    "FASTRTPS_DEFAULT_PROFILES_FILE",
    "ROS_STATIC_PEERS",
)


def without_shared_memory(environment: MutableMapping[str, str] = os.environ) -> None:
    """Let the participants that this process will make use UDP alone, unless the user chose a transport.

    Other implementations of DDS do not look at what is set here.

    Parameters
    ----------
    environment : mutable mapping
        Read and changed: `FASTDDS_BUILTIN_TRANSPORTS`; or, where ROS is told to stay on this computer (rmw_fastrtps
        then insists on shared memory), a profile of Fast DDS that means the same.
    """
    if any(environment.get(name) for name in CHOSEN):
        return
    if environment.get("ROS_AUTOMATIC_DISCOVERY_RANGE") == "LOCALHOST":
        environment["FASTDDS_DEFAULT_PROFILES_FILE"] = str(LOOPBACK)
        environment["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "SYSTEM_DEFAULT"
    else:
        environment["FASTDDS_BUILTIN_TRANSPORTS"] = "UDPv4"
