# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The arm as its actuators feel it (Machielsen 1983, chapters 4 and 8.2): inertia, coupling, modes, forces."""
