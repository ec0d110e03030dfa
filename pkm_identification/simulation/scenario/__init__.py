# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Scenarios of a simulated machine: files that say what happens when."""

from .actions import Event, Scenario

__all__ = ["Event", "Scenario"]
