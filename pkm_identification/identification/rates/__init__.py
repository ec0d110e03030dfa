# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What depends on the rate of the samples: their period, the cutoffs that suit it, what a slow log can show."""
