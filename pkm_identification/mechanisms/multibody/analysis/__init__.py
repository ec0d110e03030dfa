# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What the structure of a mechanism shows of its parameters: states to ask, the columns there, the routes."""
