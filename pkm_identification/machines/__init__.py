# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Machines of any kind behind one contract: what a log's road asks of a machine, whatever moves in it."""
