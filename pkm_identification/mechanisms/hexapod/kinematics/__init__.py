# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Kinematics of hexapods: inverse, forward, Jacobian and rates; assembly modes, passive joints, singularities."""
