# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Mechanisms of any joint graph in MuJoCo: the tree by MuJoCo, the loops closed exactly, motions, controlled runs."""
