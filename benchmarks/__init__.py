# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Timings of this package beside its peers, on the same states in one run: `python -m benchmarks`."""
