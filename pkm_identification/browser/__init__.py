# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What pages show in a browser: the machine in 3D, and scripts that a page holds itself, without any network."""
