# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Exact numbers, and the arithmetics they are evaluated in."""
