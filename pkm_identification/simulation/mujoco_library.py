"""MuJoCo, an extra of this package: where it is missing, whatever simulates says so in one line."""

from __future__ import annotations

from pkm_identification.errors import PkmError

try:
    import mujoco
except ImportError as error:
    raise PkmError("simulation needs MuJoCo: pip install mujoco, or pkm_identification[sim]") from error

__all__ = ["mujoco"]
