"""Where and with what was measured."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

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


def surroundings() -> dict[str, object]:
    """Processor, its cores, and the versions of everything that was compared."""
    versions = {"python": platform.python_version()}
    for name in PACKAGES:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            versions[name] = "unknown"
    return {"processor": processor(), "cores": os.cpu_count(), "versions": versions}
