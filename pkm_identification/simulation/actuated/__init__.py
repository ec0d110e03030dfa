# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Machines whose drives have states: delay lines, small steps with the actuators inside, controllers in the drives."""
