# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Machielsen 1983: the assembly robot EPAAS, an arm with hydraulic drives; a module for each of its studies.

The figures of our copy are lost and most of its display equations are garbled; its tables are largely intact.
"""
