"""The studies of the reference texts done again; each is a module with a `run()` that returns an `Outcome`."""

from .outcome import Outcome
from .registry import STUDIES, Study

__all__ = ["STUDIES", "Outcome", "Study"]
