"""The saturated model: everything the candidates could explain is taken out, what is left is pure error."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .evidence import Base
from .selection import Candidate


def saturated(base: Base, candidates: Sequence[Candidate]) -> Base:
    """The base with the columns of all candidates, under their priors."""
    if not candidates:
        return base
    columns = np.concatenate([candidate.columns for candidate in candidates], axis=2)
    return base.extended(columns, np.concatenate([candidate.scale for candidate in candidates]))
