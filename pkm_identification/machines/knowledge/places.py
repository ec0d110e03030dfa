# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""How well places of joints and zeros of encoders are usually known."""

from __future__ import annotations

from .records import DEFAULT

# Of the machine's size: .1 mm in a machine of .7 m
PLACES = {"measured": 0.5e-4, "cad": 1.5e-4, DEFAULT: 1.5e-4, "guessed": 1.5e-3}
