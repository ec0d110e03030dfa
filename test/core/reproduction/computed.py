# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Studies of files, computed once for all tests."""

from __future__ import annotations

from functools import cache
from importlib import import_module

from pkm_identification.reproduction import STUDIES
from pkm_identification.reproduction.number import AGREES, IN_KIND, IN_PART, NOT_REPRODUCED

MODULES = {name: f"pkm_identification.reproduction.{one.module}" for name, one in STUDIES.items()}
JUDGED = (AGREES, IN_PART, IN_KIND, NOT_REPRODUCED)


@cache
def compute_study(name):
    return import_module(MODULES[name]).run_study()
