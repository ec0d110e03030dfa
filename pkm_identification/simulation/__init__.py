# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Simulated machines: plant, drives, controller, sensors, motions, faults (Oh 2003, chapter 4, made whole)."""
