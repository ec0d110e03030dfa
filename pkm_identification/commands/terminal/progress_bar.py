# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""A bar with the time that is left, on a terminal, for what takes longer than two seconds."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

PATIENCE = 2.0  # s: what is done sooner needs no bar


class ProgressBar:
    """Shows the outermost piece of work that is under way; pieces of it are not shown by themselves."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._what, self._started = "", 0.0
        self._bar: Any = None

    def report_progress(self, what: str, part: float, whole: float) -> None:
        """See `progress.Listener`."""
        if not self._what:
            self._what, self._started = what, self._clock()
        if what != self._what:
            return
        if part >= whole:
            self.close()
        elif self._bar is not None:
            self._bar.update(part - self._bar.n)
        elif self._clock() - self._started > PATIENCE:
            self._show(part, whole)

    def hide(self) -> None:
        """See `progress.Listener`."""
        if self._bar is not None:
            self._bar.clear()

    def tell(self, line: str) -> None:
        """See `progress.Listener`."""
        self.hide()
        print(line, file=sys.stderr, flush=True)

    def close(self) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.close()
        self._what, self._bar = "", None

    def _show(self, part: float, whole: float) -> None:
        # loaded by those only who wait anyway
        from tqdm import tqdm

        percent = "{l_bar}{bar}| {elapsed}, {remaining} left"
        self._bar = tqdm(total=whole, desc=self._what, file=sys.stderr, leave=False, bar_format=percent)
        self._bar.start_t -= self._clock() - self._started
        self._bar.n = part
        self._bar.refresh()
