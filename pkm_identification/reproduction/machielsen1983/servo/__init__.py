# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The hydraulic servo on its test set-up (Machielsen 1983, chapters 6 to 8.1): identification, steps, sensitivities."""
