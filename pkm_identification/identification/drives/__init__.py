# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Numbers of the drives themselves from a log: what their motors, valves, shafts and loops are."""
