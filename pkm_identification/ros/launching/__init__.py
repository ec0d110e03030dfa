# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What the launch files share: their arguments, and how a node is made of them."""
