# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""A page alongside running nodes: what it shows, and the server that keeps it up to date."""
