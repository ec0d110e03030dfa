# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Hostile input by the thousand, seeded: nothing may crash, hang, or come out that is not finite."""
