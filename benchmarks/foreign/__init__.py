# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Faults that are not the simulator's: `python -m benchmarks.foreign --help`."""
