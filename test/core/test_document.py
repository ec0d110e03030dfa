# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Numbers as messages write them."""

from __future__ import annotations

import pytest

from pkm_identification.document import format_percent


@pytest.mark.parametrize(
    ("share", "text"),
    [(0.0034, "0.34 %"), (0.046, "4.6 %"), (0.1, "10 %"), (0.38, "38 %"), (0.995, "100 %"), (1.23, "123 %")],
)
def test_a_share_has_no_exponent(share, text):
    assert format_percent(share) == text
