# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""All of a machine at once: every number of its file with how well it is known, and every nuisance effect."""
