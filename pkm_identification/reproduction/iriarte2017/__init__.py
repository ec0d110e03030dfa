# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Base parameters of low-mobility mechanisms: double precision, many digits, rules, fractions (Iriarte et al. 2017)."""
