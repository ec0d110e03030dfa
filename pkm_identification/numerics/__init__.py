# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What compiled kernels share: vectors, rotations, linear solvers."""
