# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Outputs of two revisions of the package side by side: what a change of structure must leave as it was."""
