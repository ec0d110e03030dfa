# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Logs of hours: taken in blocks that fit into memory, and judged by an excerpt."""
