# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""A description made a tree of frames and rows of constraints; degrees of freedom; what bodies may weigh."""
