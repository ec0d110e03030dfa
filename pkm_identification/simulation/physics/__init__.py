# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What a simulation asks of a machine of its kind: hexapods, and bodies with joints and loops."""
