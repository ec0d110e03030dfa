# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Other programs' descriptions of a machine: URDF for display, MJCF for physics, YAML for ourselves."""
