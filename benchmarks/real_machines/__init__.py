# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Identification of real machines from public logs, beside plain least squares with other programs."""
