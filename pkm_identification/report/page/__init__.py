# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The report's page."""

from .document import html_page
from .material import Material

__all__ = ["Material", "html_page"]
