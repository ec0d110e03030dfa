# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The version of the package. Rooms read it here: the package root stands above all of them."""

__version__ = "0.1.0"
