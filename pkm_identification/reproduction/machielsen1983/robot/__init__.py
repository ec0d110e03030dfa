# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The robot: the arm with its five hydraulic servos, nonlinear, of order 25 (Machielsen 1983, chapter 7.2)."""
