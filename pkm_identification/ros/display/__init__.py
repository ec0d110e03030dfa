# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What RViz and others show: markers, joint states, transforms."""
