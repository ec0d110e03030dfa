# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Laws that command the drives of a machine together, by its kinematics and dynamics."""
