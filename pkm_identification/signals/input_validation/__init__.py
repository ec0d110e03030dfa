# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Input validation: lets no sample through that would harm the filters behind it.

It keeps the accepted samples on the drive's regular clock: a short hole (a dropped sample) is filled by a straight
line, a long one starts a new segment. The same compiled step serves the online stream and whole logs.
"""

from .samples import ValidatedLog, ValidatedSample
from .settings import ValidationSettings
from .stream import InputValidator

__all__ = ["InputValidator", "ValidatedLog", "ValidatedSample", "ValidationSettings"]
