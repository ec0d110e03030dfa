# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""How well the numbers of a machine file are known."""

from .records import DEFAULT, WIDTH, Knowledge, KnownBody, KnownNumber, LikeBodies

__all__ = ["DEFAULT", "WIDTH", "Knowledge", "KnownBody", "KnownNumber", "LikeBodies"]
