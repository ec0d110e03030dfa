# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Motions that show a machine's parameters well: what is asked of them, how they are searched."""
