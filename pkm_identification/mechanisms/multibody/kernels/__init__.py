# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Functions over arrays that run compiled on float64 and interpreted on mpmath numbers."""
