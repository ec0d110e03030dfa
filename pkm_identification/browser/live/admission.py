# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Who may connect: pages that came from this server, with the token if there is one."""

from __future__ import annotations

import hmac
import ipaddress
from collections.abc import Sequence
from urllib.parse import parse_qs, urlsplit

from pkm_identification.errors import SettingsError

SHORTEST_TOKEN = 8
LOCAL_NAMES = ("127.0.0.1", "localhost", "::1")


def is_loopback(host: str) -> bool:
    """Return whether an address can be reached from this computer alone."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class Admission:
    """Judges the requests for a stream.

    Parameters
    ----------
    host : str
        Address that is listened on.
    token : str or None
        What a request must have as `?token=`; None: nothing.

    Raises
    ------
    SettingsError
        If the address can be reached from outside and there is no token, or the token is short.
    """

    def __init__(self, host: str, token: str | None) -> None:
        self._local = is_loopback(host)
        if token is None and not self._local:
            raise SettingsError(
                f"--host {host}: others can reach it, and the page can reset the estimator: "
                "give a token, too (PKM_WATCH_TOKEN or --token)"
            )
        if token is not None and (len(token) < SHORTEST_TOKEN or not token.isalnum() or not token.isascii()):
            raise SettingsError(
                f"--token or PKM_WATCH_TOKEN: must be {SHORTEST_TOKEN} or more letters and digits"
            )
        self._token = token

    def refusal(self, path: str, hosts: Sequence[str], origins: Sequence[str]) -> int:
        """HTTP status of the refusal, 0 if the stream may be had.

        A browser says truly where a page came from. It must be this server, by the name the browser called it by: a
        tunnel may give it another port. Of a server on this computer the name must be this computer's, because a page
        from elsewhere may have a name that leads here.

        Parameters
        ----------
        path : str
            Of the request, with its query.
        hosts, origins : sequence of str
            Its headers of these names; one each is right.
        """
        if len(hosts) != 1 or not self._is_ours(hosts[0]) or len(origins) != 1:
            return 403
        # https where something in front of this server encrypts
        if origins[0] not in (f"http://{hosts[0]}", f"https://{hosts[0]}"):
            return 403
        if self._token is None:
            return 0
        given = parse_qs(urlsplit(path).query).get("token", [""])[-1]
        return 0 if hmac.compare_digest(given.encode(), self._token.encode()) else 401

    def _is_ours(self, host: str) -> bool:
        try:
            return not self._local or urlsplit(f"//{host}").hostname in LOCAL_NAMES
        except ValueError:
            return False
