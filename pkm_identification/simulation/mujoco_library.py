# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""MuJoCo, an extra of this package: where it is missing, whatever simulates says so in one line."""

from __future__ import annotations

from pkm_identification.errors import SettingsError
from pkm_identification.optional import needs

try:
    import mujoco
except ImportError as error:
    raise SettingsError(needs("mujoco", "sim")) from error

__all__ = ["mujoco"]
