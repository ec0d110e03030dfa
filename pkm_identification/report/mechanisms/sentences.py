"""The identification of a mechanism that is no hexapod, in sentences."""

from __future__ import annotations

import numpy as np

from pkm_identification.identification.mechanism.result import MechanismIdentification

from ..listing import number
from ..sentences import (
    NOTHING_HELD_OUT,
    PREDICTED,
    converged_sentence,
    held_out_subject,
    identified_sentence,
    listed,
)


def verdicts(result: MechanismIdentification) -> list[tuple[bool, str]]:
    """The result in a few sentences, each with whether it is good news."""
    lines = [
        converged_sentence(result.converged, result.nonconvergence),
        identified_sentence(result.estimate),
    ]
    if result.near_zero:
        lines.append((True, f"Friction not distinguishable from 0: {listed(list(result.near_zero))}."))
    lines.append(_held_sentence(result))
    if result.total_ratio is None:
        lines.append((False, "The logs are too short to tell noise from misfit."))
    elif result.fits:
        lines.append(
            (True, f"The model fits: the residual is {number(result.total_ratio, 3)} times the noise floor.")
        )
    else:
        why = misfit(result)
        lines = [(False, text) for _, text in lines] + [(False, f"{why[0].upper()}{why[1:]}")]
    return lines


def misfit(result: MechanismIdentification) -> str:
    """Why the model does not fit, one line; empty where it does."""
    ratio = result.ratio
    if result.fits or ratio is None:
        return ""
    worst = int(np.argmax(ratio))
    return (
        f"the model does not fit: residual {number(result.total_ratio, 3)} times the noise floor, most of "
        f"{result.mechanism.force_names[worst]} ({number(float(ratio[worst]), 3)} times); "
        "does the file say what the drives are?"
    )


def _held_sentence(result: MechanismIdentification) -> tuple[bool, str]:
    held = result.prediction
    if held is None:
        return False, NOTHING_HELD_OUT
    own, file = held.total
    good = not own > file
    if result.floor is not None:
        noise = float(np.sqrt(np.mean(result.floor**2) / np.mean(held.measured**2)))
        good = own <= PREDICTED * max(result.total_ratio or 1.0, 1.0) * noise
    return good, (
        f"{held_out_subject(held.what, held.part)} to {number(100 * own, 3)} % rms in the estimation band "
        f"(the file's values: {number(100 * file, 3)} %)"
        + ("." if good else ": the estimate does not hold for that motion.")
    )
