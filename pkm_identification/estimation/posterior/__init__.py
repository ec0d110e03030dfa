# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The posterior of unknowns that are known before the data: mode, data's and prior's shares, statuses, verdict."""
