# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Homogeneous units of the regressor (Ebrahimi and Kövecses 2009)."""
