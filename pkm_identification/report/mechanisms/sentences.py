# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""The identification of a mechanism that is no hexapod, in sentences."""

from __future__ import annotations

import numpy as np

from pkm_identification.estimation.lack_of_fit.thresholds import STANDS_OUT
from pkm_identification.identification.mechanism.misfit import COMMON, EACH, WRONG_SIGN, Cause, Exchange
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
        lines.append((True, f"Not distinguishable from 0: {listed(list(result.near_zero))}."))
    lines.append(_held_sentence(result))
    good = result.fits and result.total_ratio is not None
    if not result.fits:
        lines = [(False, text) for _, text in lines]
    return [*lines, (good, fit_sentence(result))]


def fit_sentence(result: MechanismIdentification) -> str:
    """Return whether the model fits, and what is wrong where it does not."""
    if result.total_ratio is None:
        return "The logs are too short to tell noise from misfit."
    if result.fits:
        return f"The model fits: the residual is {number(result.total_ratio, 3)} times the noise floor."
    why = misfit(result)
    return f"{why[0].upper()}{why[1:]}"


def misfit(result: MechanismIdentification) -> str:
    """Why the model does not fit, one line; empty where it does."""
    ratio = result.ratio
    if result.fits or ratio is None:
        return ""
    worst = int(np.argmax(ratio))
    if _are_nearest_only(result):
        return (
            f"no known cause explains the misfit (residual {number(result.total_ratio, 3)} times the noise floor, most "
            f"of {result.mechanism.force_names[worst]}, {number(float(ratio[worst]), 3)} times); nearest: "
            f"{_causes(result)}{_remedy(result)}"
        )
    return (
        f"the model does not fit: residual {number(result.total_ratio, 3)} times the noise floor, most of "
        f"{result.mechanism.force_names[worst]} ({number(float(ratio[worst]), 3)} times); "
        f"{_causes(result)}{_remedy(result)}"
    )


def _remedy(result: MechanismIdentification) -> str:
    """What estimates the causes; a wrong sign or column is put right in the log."""
    causes = result.causes
    if isinstance(causes, Exchange) or not causes or any(_has_wrong_sign(cause) for cause in causes):
        return ""
    drives = result.mechanism.drive_names
    names = list(dict.fromkeys([*result.also, *(cause.effect.also(drives) for cause in causes)]))
    option, several = f"--also {','.join(names)}", len(names) > 1
    if _are_nearest_only(result):
        return f". {option} estimates {'them' if several else 'it'}, which leaves the rest unexplained"
    return f". Estimate {'them' if several else 'it'} with {option}"


def _has_wrong_sign(cause: Cause) -> bool:
    return cause.effect.kind == "gain" and abs(2.0 + cause.value) < WRONG_SIGN


def _causes(result: MechanismIdentification) -> str:
    """What explains a misfit, in words."""
    names, causes = result.mechanism.force_names, result.causes
    if isinstance(causes, Exchange):
        moved = [f"{names[column]} is {names[k]}" for k, column in enumerate(causes.column) if column != k]
        return f"forces stand in each other's columns: {', '.join(moved)}"
    if not causes:
        return "nothing that was tried explains it; does the file say what the drives are?"
    sentences = []
    for cause in causes:
        other = f" (or: {listed(list(cause.rivals))})" if cause.rivals else ""
        sentences.append(
            f"{cause_words(cause, result)}{other}, which explains {100.0 * cause.explains:.0f} % of it and leaves "
            f"{number(cause.left, 3)} times the floor"
        )
    return "; then ".join(sentences)


def _are_nearest_only(result: MechanismIdentification) -> bool:
    """Return whether the causes leave so much that they do not explain the misfit."""
    causes = result.causes
    return not isinstance(causes, Exchange) and bool(causes) and causes[-1].left > STANDS_OUT


def cause_words(cause: Cause, result: MechanismIdentification) -> str:
    """One cause with its size and standard deviation."""
    description, drive = result.mechanism.description, cause.effect.drive
    common = drive == COMMON
    who = "all forces" if common else result.mechanism.force_names[drive]
    unit = description.drives[max(drive, 0)].force_unit
    size = f"{number(cause.value, 3)} +- {number(cause.std, 2)}"
    if cause.effect.kind == "delay":
        late = f"{number(1e3 * cause.value, 3)} +- {number(1e3 * cause.std, 2)} ms"
        return f"{who} {'come' if common else 'comes'} {late} late"
    if cause.effect.kind == "gain":
        factor = 1.0 + cause.value
        if _has_wrong_sign(cause):
            return f"{who} has the wrong sign"
        return f"{who} is {number(factor, 3)} +- {number(cause.std, 2)} times what it should be"
    if cause.effect.kind == "inertia":
        if drive == EACH:
            return _each_inertia(cause, result)
        along = "kg" if description.drives[max(drive, 0)].measure.unit == "m" else "kg m^2"
        whose = "all drives have" if common else f"the drive of {who} has"
        return f"{whose} {size} {along} more inertia than the file says"
    if cause.effect.kind == "offset":
        return f"{who} has an offset of {size} {unit}"
    if cause.effect.kind == "friction_asymmetric":
        return f"friction of {who} differs by direction by {size} {unit} to either side"
    if cause.effect.kind == "friction_stribeck":
        return f"friction of {who} is {size} {unit} more at low rates"
    length = description.drives[drive].measure.unit
    return f"friction of {who} goes with the square of the rate, by {size} {unit} s^2/{length}^2"


def _each_inertia(cause: Cause, result: MechanismIdentification) -> str:
    drives = result.mechanism.description.drives
    sizes = [
        f"{drive.name} {number(value, 3)} +- {number(std, 2)} {'kg' if drive.measure.unit == 'm' else 'kg m^2'}"
        for drive, value, std in zip(drives, cause.values, cause.stds, strict=True)
    ]
    return f"drives have more inertia than the file says: {', '.join(sizes)}"


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
