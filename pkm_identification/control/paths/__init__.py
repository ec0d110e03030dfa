# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Paths of the platform: waypoints, the smooth curve through them, and what is worked out alongside control."""
