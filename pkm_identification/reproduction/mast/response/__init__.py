# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Frequency responses of the table's axes: transfer functions, resonance, the closed position loop, its bandwidth."""
