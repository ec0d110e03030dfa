# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The studies of the reference texts, repeated; each is a folder whose `study.run()` returns an `Outcome`."""

from .outcome import Outcome
from .registry import STUDIES, Study

__all__ = ["STUDIES", "Outcome", "Study"]
