# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""From a log of n drives to equations: input validation, smooth samples, standstill, friction, regressors.

It knows no machine but by the contract (`machines.contract`).
"""
