# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Strut lengths behind drives that yield: what the model says of belts and shafts between motors and struts."""
