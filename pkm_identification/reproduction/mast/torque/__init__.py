# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Torque of the table's axes: friction and inertia from it, and why position alone does not validate a model."""
