# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Forces that were not measured: a channel that is noise while its drive's motion needs a force.

Such are a channel that is not connected, a motor that is off while something else holds or pulls its axis, and a dead
band that is wider than the force. A force that is truly small, as of an axis that swings freely, is none of these: file
and other drives then predict little.

Of equations f = a p + errors, where p is what they predict and the errors have the covariance C P C' + s^2 of that
prediction and of noise, a is 1 of a force that was measured and 0 of one that was not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from pkm_identification.estimation.posterior.answer import Answer
from pkm_identification.estimation.posterior.blocks import form_normal_equations
from pkm_identification.estimation.posterior.mode import find_mode
from pkm_identification.estimation.posterior.thresholds import LARGEST_ERROR, LARGEST_FOLLOWED
from pkm_identification.estimation.posterior.verdict import DO_NOT_USE
from pkm_identification.machines.contract import Machine
from pkm_identification.numerics.arrays import FloatArray

from ..full_model.equations import FullEquations
from ..full_model.posterior import build_model
from ..model_errors.effect import LARGEST_SHARE
from .findings import Cause

NAME = "force_unmeasured"
CORRECTION = (
    "Connect its force channel, switch its motor on and open its brake, or give the log of another motion"
)


def find_unmeasured_forces(full: FullEquations, floor: FloatArray) -> list[Cause]:
    """Return the drives whose forces are noise though their motion needs more than that.

    Parameters
    ----------
    full : FullEquations
    floor : ndarray, shape (n,)
        Noise of the equations, N or N m.
    """
    used = _find_used(full)
    noisy = [k for k, own in enumerate(used.T) if _compute_followed_share(full, k, own) < LARGEST_FOLLOWED]
    if not noisy:
        return []
    noise = floor * np.sqrt(full.problem.redundancy)
    weights = 1.0 / np.where(used.any(axis=0), noise, np.inf)
    weights[noisy] = 0.0  # what is noise says nothing of the machine
    model = build_model(full)
    normal = form_normal_equations(full.columns * weights[:, None], full.measured * weights)
    mode = find_mode(model, normal)
    sizes, axes = np.linalg.eigh(mode.covariance)
    root = mode.slope @ (axes * np.sqrt(np.maximum(sizes, 0.0)))
    found = []
    for k in noisy:
        columns, force = full.columns[used[:, k], k], full.measured[used[:, k], k]
        predicted = columns @ mode.values
        part, std = _compare_with_prediction(force, predicted, columns @ root, float(noise[k]))
        if abs(part) < 1.0 - LARGEST_SHARE and 1.0 - part > LARGEST_ERROR * std:
            explains = float(np.clip(1.0 - np.var(force) / np.var(force - predicted), 0.0, 1.0))
            name = f"{NAME}_{full.machine.drives[k].label}"
            found.append(Cause(name, part, std, "", explains, CORRECTION, NAME))
    return found


def refuse_unmeasured(found: Answer, machine: Machine, causes: Sequence[Cause]) -> Answer:
    """Return an answer, refused since the forces of the causes' drives were not measured."""
    names = {one.name for one in causes}
    drives = [one.title for one in machine.drives if f"{NAME}_{one.label}" in names]
    what = f"the force of {drives[0]} is noise and does not follow the motion"
    if len(drives) > 1:
        what = f"the forces of {', '.join(drives)} are noise and do not follow the motion"
    sentence = f"Do not use: {what}. Is the channel connected, the motor on and the brake open?"
    verdict = replace(found.verdict, grade=DO_NOT_USE, sentence=sentence)
    return replace(found, values=tuple(one.affected() for one in found.values), verdict=verdict)


def _find_used(full: FullEquations) -> NDArray[np.bool_]:
    used = full.problem.used
    return np.ones(full.measured.shape, dtype=bool) if used is None else used


def _compute_followed_share(full: FullEquations, drive: int, used: NDArray[np.bool_]) -> float:
    """Return the share of a force's power about its mean that columns of the drive explain beyond chance."""
    columns = full.problem.equations.regressor[used, drive]
    columns = columns[:, np.any(columns, axis=0)]
    force = full.problem.equations.force[used, drive]
    count = len(force) / full.problem.redundancy
    free = count - columns.shape[1] - 1.0
    if free < 1.0:
        return 1.0  # too few to tell
    centred = columns - columns.mean(axis=0)
    force = force - force.mean()
    left = force - centred @ np.linalg.lstsq(centred, force)[0]
    power = float(force @ force)
    return 1.0 - float(left @ left) / free / max(power / count, 1e-300)


def _compare_with_prediction(
    force: FloatArray, predicted: FloatArray, root: FloatArray, noise: float
) -> tuple[float, float]:
    """Return which part of a prediction (K,) is in a force (K,), and its deviation if all is.

    The prediction's covariance is root root' (K, p) and noise of a standard deviation is added. An offset is free.
    """
    force, predicted, root = (one - one.mean(axis=0) for one in (force, predicted, root))
    inner = noise**2 * np.eye(root.shape[1]) + root.T @ root

    def weigh(values: FloatArray) -> FloatArray:
        return np.asarray((values - root @ np.linalg.solve(inner, root.T @ values)) / noise**2)

    weighed = weigh(predicted)
    information = max(float(predicted @ weighed), 1e-300)
    return float(weighed @ force) / information, float(1.0 / np.sqrt(information))
