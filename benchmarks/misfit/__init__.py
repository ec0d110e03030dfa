# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What a diagnosis finds on machines with one thing wrong, and on right ones (`python -m benchmarks.misfit`)."""
