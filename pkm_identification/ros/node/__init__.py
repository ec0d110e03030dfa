# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What every node is made of: life cycle, diagnostics, executor, transport."""
