# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What moves, each with its model: hexapods, mechanisms of any joint graph, a pendulum; friction and drives."""
