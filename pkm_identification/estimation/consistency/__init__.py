# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Estimates that some machine could have: pseudo-inertias, log-Cholesky coordinates, constrained least squares."""
