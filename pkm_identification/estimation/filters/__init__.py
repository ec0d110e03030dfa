# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Recursive estimators: one equation after the other, each with a covariance that stays positive definite."""
