"""What may be wrong with a stream of equations: the cheap tests, from the equations alone.

Names, sizes and cures are those of `pkm diagnose`, which looks at a whole log and knows many more.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pkm_identification.estimation.lack_of_fit.selection import Candidate
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import STRUTS
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.prior import Prior

from ..diagnosis.hypotheses import forces
from ..diagnosis.hypotheses.hypothesis import Effect
from ..diagnosis.situation import own_strut
from .recent_equations import Recent

CHANGED = "changed_during_log"
CHANGED_CURE = "Identify the parts of the log apart: something changed, a load, a joint, friction or a sensor"


@dataclass(frozen=True)
class StreamHypothesis:
    """A candidate, and how to read its coefficients.

    Attributes
    ----------
    candidate : Candidate
    effect : Effect or None
        Its kind; None for a change of the parameters themselves.
    """

    candidate: Candidate
    effect: Effect | None


def stream_hypotheses(
    machine: Machine, recent: Recent, mean: FloatArray, prior: Prior
) -> list[StreamHypothesis]:
    """Everything that the cheap tests look for.

    Parameters
    ----------
    machine : Machine
    recent : Recent
    mean : ndarray, shape (P,)
        Of the unknowns at present, SI units.
    prior : Prior
        Of the unknowns.
    """
    columns = {
        "force_delay": -recent.force_rate,
        "force_gain": recent.predicted(mean),
        "force_offset": np.ones_like(recent.force),
    }
    made = []
    for effect in forces.effects(machine):
        own = own_strut(columns[effect.name])
        if effect.common:
            together = own.sum(axis=2, keepdims=True)
            made.append(
                StreamHypothesis(Candidate(effect.common, effect.family, together, effect.scale[:1]), effect)
            )
        for k in range(STRUTS):
            one = slice(k, k + 1)
            member = Candidate(effect.members[k], effect.family, own[:, :, one], effect.scale[one])
            made.append(StreamHypothesis(member, effect))
    later = recent.time > recent.time[len(recent.time) // 2]
    changed = Candidate(CHANGED, "change", recent.regressor * later[:, None, None], prior.std)
    return [*made, StreamHypothesis(changed, None)]
