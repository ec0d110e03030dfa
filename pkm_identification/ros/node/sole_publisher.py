# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""One publisher of a topic is listened to: samples of two, mixed, are no motion of any machine."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Container

# As the publisher of what nodes of one process hand over to each other.
THIS_PROCESS = b"this process"
LOOK_PERIOD_S = 0.1  # between looks whether the one listened to is still there: each takes .04 ms


class SolePublisher:
    """Chooses the publisher that is listened to: the first that was heard, until it has gone.

    It has gone when the graph has it no more, or when another one has been sending for `patience` and it has not: the
    graph keeps a process that was killed for some 20 s. What nodes of this process hand over goes before all others.

    Parameters
    ----------
    present : callable
        Gives the identities (`publisher_gid`) of the publishers that are in the graph.
    patience : float
        s.

    Attributes
    ----------
    chosen : bytes or None
        Identity of the publisher listened to.
    refused : int
        Messages of others so far, which were left out.
    several : bool
        Whether the topic has several publishers, for middlewares that do not say who sent a message: then nothing is
        taken, because what is learned from a mixture is wrong.
    """

    def __init__(self, present: Callable[[], Container[bytes]], patience: float) -> None:
        self._present = present
        self._patience = patience
        self._looked = self._refused_at = -math.inf
        self._alone_since = math.inf  # when another one began to send and the chosen one did not
        self.chosen: bytes | None = None
        self.refused = 0
        self.several = False

    def accepts(self, publisher: bytes | None) -> bool:
        """Return whether a message of this publisher is to be taken; None stands for one that is not known."""
        if publisher is None:
            self.refused += self.several
            return not self.several
        now = time.monotonic()
        if publisher == self.chosen or publisher is THIS_PROCESS or self._has_gone(publisher, now):
            self.chosen, self._alone_since = publisher, math.inf
            return True
        self.refused += 1
        return False

    def forget(self) -> None:
        """Listen to whoever comes next: what the chosen one sent was of no use."""
        self.chosen = None

    def _has_gone(self, publisher: bytes, now: float) -> bool:
        if now - self._refused_at > self._patience:
            self._alone_since = math.inf  # all were silent
        self._alone_since, self._refused_at = min(self._alone_since, now), now
        if self.chosen is None or now - self._alone_since > self._patience:
            return True
        if self.chosen is THIS_PROCESS or now - self._looked < LOOK_PERIOD_S:
            return False
        self._looked = now
        present = self._present()
        # where messages and graph have other identities neither is found, and silence alone decides
        return publisher in present and self.chosen not in present
