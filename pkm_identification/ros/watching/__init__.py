# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""`pkm watch`: a process next to the nodes that listens to what they publish anyway and shows it in a browser."""
