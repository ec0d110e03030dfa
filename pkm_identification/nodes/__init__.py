# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The ROS 2 nodes: each a thin shell around the core's stages, with a main() of its own."""

import os

# Before numpy is loaded: matrices here are small, and threads for them only take time from other nodes.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
