# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Mechanisms of bodies, joints and loops from one description: kinematics, dynamics, parameters, in any arithmetic."""
