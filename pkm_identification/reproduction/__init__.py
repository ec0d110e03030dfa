# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The studies of the reference texts, repeated; each returns an `Outcome`."""

from .finding import Outcome
from .registry import STUDIES, Study

__all__ = ["STUDIES", "Outcome", "Study"]
