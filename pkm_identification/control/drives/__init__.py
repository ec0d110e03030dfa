# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Control inside the drives: cascades of loops at rates of their own."""
