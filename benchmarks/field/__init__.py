# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Cases of the kinds that people met in the field, made anew by seed: `python -m benchmarks.field.MODULE`."""
