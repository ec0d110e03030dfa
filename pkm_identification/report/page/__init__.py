"""The report's page."""

from .document import html_page
from .material import Material

__all__ = ["Material", "html_page"]
