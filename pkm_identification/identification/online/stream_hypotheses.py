"""What may be wrong with a stream of equations: columns for the cheap tests, from the equations alone.

The names are those of `pkm diagnose`, which looks at a whole log and knows many more.
"""

from __future__ import annotations

import numpy as np

from pkm_identification.estimation.lack_of_fit.selection import Candidate
from pkm_identification.motion import STRUTS
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.prior import Prior

from .recent_equations import Recent

# Large ones: standard deviations of the coefficients' priors.
DELAY = 3e-3  # s
GAIN = 0.1
OFFSET = 0.1  # of the typical force
UNITS = {"force_delay": "s", "force_gain": "", "force_offset": "N", "changed_during_log": ""}


def candidates(recent: Recent, mean: FloatArray, prior: Prior, typical_force: float) -> list[Candidate]:
    """Columns of everything the cheap tests look for.

    Parameters
    ----------
    recent : Recent
    mean : ndarray, shape (P,)
        Of the unknowns at present, SI units.
    prior : Prior
        Of the unknowns.
    typical_force : float
        N.
    """
    late, predicted, one = -recent.force_rate, recent.predicted(mean), np.ones_like(recent.force)
    made = [Candidate("force_delay", "force_delay", late[:, :, None], np.array([DELAY]))]
    for name, rows, scale in (
        ("force_delay", late, DELAY),
        ("force_gain", predicted, GAIN),
        ("force_offset", one, OFFSET * typical_force),
    ):
        for k in range(STRUTS):
            columns = np.zeros((*rows.shape, 1))
            columns[:, k, 0] = rows[:, k]
            made.append(Candidate(f"{name}_{k + 1}", name, columns, np.array([scale])))
    later = recent.time > recent.time[len(recent.time) // 2]
    changed = recent.regressor * later[:, None, None]
    made.append(Candidate("changed_during_log", "changed_during_log", changed, prior.std))
    return made
