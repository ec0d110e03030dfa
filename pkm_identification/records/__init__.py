# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Reading and writing logs: CSV here and in `table`, rosbag2 recordings in `bags`."""

from __future__ import annotations

from importlib import import_module
from typing import Any

__all__ = [
    "PoseTable",
    "read_log",
    "read_logs",
    "read_motion_csv",
    "read_pose_csv",
    "write_log",
    "write_mode_csv",
    "write_motion_csv",
    "write_pose_csv",
    "write_raw_csv",
]

_HOMES = {
    **dict.fromkeys(("read_log", "read_logs", "write_log"), f"{__name__}.log"),
    "write_raw_csv": f"{__name__}.drive_csv",
}


def __getattr__(name: str) -> Any:
    """Load what is asked for and nothing else: nodes need stamps alone, and not what reads recordings."""
    if name not in __all__:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    value = getattr(import_module(_HOMES.get(name, f"{__name__}.motion_csv")), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
