# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""A node ends with the `ros2 launch` that started it, however that one ends.

`ros2 launch` passes Ctrl-C on, but not SIGTERM, and a killed one can pass nothing on: its nodes would run on with
nobody who stops them. Linux tells a process that its parent has ended (prctl(2), PR_SET_PDEATHSIG).
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from collections.abc import Mapping

# Process id of the one who started a node and without whom it shall not run; set by our launch files.
LAUNCHER = "PKM_LAUNCHER"
PR_SET_PDEATHSIG = 1


def end_with_launcher(environment: Mapping[str, str] = os.environ) -> bool:
    """Have SIGTERM sent to this process when its launcher ends; elsewhere than on Linux, nothing happens.

    To be called when handlers of signals are set. A program between launcher and node (`prefix`) is left alone: it has
    been signalled in its own way.

    Returns
    -------
    bool
        False if the launcher has ended already.
    """
    launcher = environment.get(LAUNCHER, "")
    if not launcher.isdecimal() or not sys.platform.startswith("linux"):
        return True
    if os.getppid() == int(launcher):
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
        # it may have ended meanwhile
        return os.getppid() == int(launcher)
    return _is_running(int(launcher))


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True
