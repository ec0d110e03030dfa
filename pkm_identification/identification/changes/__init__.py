# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What changes while a machine is watched: loads taken up and set down, friction that drifts."""
