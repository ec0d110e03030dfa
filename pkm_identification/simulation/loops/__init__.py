# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Closing the loops of MuJoCo's open tree exactly: universal joints at the base, or at the platform."""
