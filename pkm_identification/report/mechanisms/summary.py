"""The identification of a mechanism as plain text: what `pkm identify` prints of it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from pkm_identification.identification.mechanism.result import MechanismIdentification

from ..tables import estimate_table
from .sentences import verdicts
from .tables import prediction_table


def summary(
    found: MechanismIdentification, shown: Callable[[bool, str], str] = lambda good, text: text
) -> str:
    """Tables and sentences, for a person; `shown` as of a hexapod's `summary`."""
    estimate, stated = found.estimate, found.settings.estimator.assumptions.described()
    head = f"{found.mechanism.name}: {estimate.estimator}, {found.problem.samples} samples"
    blocks = [
        head + (f"\nstated beforehand: {stated}" if stated else ""),
        str(estimate_table(estimate, near_zero=found.near_zero)),
    ]
    if summed := int(np.sum(np.count_nonzero(found.base.sums, axis=1) > 1)):
        blocks.append(
            f"Base parameters: {summed} of the values are of sums of parameters, each called by one of them; "
            "--json has the sums (base)."
        )
    if found.prediction is not None:
        blocks.append(str(prediction_table(found, found.prediction)))
    blocks.append("\n".join(shown(good, text) for good, text in verdicts(found)))
    return "\n\n".join(blocks)
