# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""When, where and with what was measured."""

from __future__ import annotations

import os
import platform
import subprocess
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pkm_identification

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("numpy", "numba", "scipy", "pin", "mujoco", "filterpy")


def processor() -> str:
    """The processor's name, as far as the system tells."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def load() -> float:
    """Programs that wanted to run, averaged over the last minute; NaN where the system does not tell."""
    try:
        return os.getloadavg()[0]
    except OSError:
        return float("nan")


def commit() -> str:
    """The commit that is measured, `-dirty` when the sources differ from it; empty outside a repository."""
    command = ["git", "-C", str(ROOT), "describe", "--always", "--dirty"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def surroundings() -> dict[str, object]:
    """Date, version, processor, its cores, and the versions of everything that was compared."""
    versions = {"python": platform.python_version()}
    for name in PACKAGES:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            versions[name] = "unknown"
    return {
        "date": date.today().isoformat(),
        "version": pkm_identification.__version__,
        "commit": commit(),
        "processor": processor(),
        "cores": os.cpu_count(),
        "versions": versions,
    }
