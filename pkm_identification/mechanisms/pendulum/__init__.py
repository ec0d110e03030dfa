# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The double pendulum of Oh 2003, chapter 3."""
