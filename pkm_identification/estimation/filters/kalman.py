# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The extended Kalman filter for parameters: the model's own derivative instead of sigma points."""

from __future__ import annotations

from .unscented import UnscentedFilter


class ExtendedFilter(UnscentedFilter):
    """Random-walk parameters estimated by the EKF; on a linear model the unscented filter is the same one."""
