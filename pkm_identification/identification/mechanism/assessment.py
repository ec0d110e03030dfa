# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Causes of a misfit by the road's own search, as the diagnosis that every machine has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from pkm_identification.estimation.lack_of_fit.thresholds import STANDS_OUT, stands_out
from pkm_identification.estimation.problem import Problem
from pkm_identification.machines.contract import Drive
from pkm_identification.numerics.arrays import FloatArray

from ..diagnosis import findings
from ..diagnosis.noise_floor import FROM_DATA, NoiseFloor
from ..regression.noise import LEAST
from .misfit import EACH, WRONG_SIGN, Cause, Exchange


def describe_fit(
    problem: Problem,
    left: FloatArray,
    floor: FloatArray,
    ratio: FloatArray,
    causes: tuple[Cause, ...] | Exchange,
    drives: Sequence[Drive],
) -> findings.Diagnosis:
    """Return the diagnosis of a fit.

    Parameters
    ----------
    problem : Problem
    left : ndarray, shape (K, n)
        Residuals.
    floor, ratio : ndarray, shape (n,)
        Standard deviation of the residuals that noise alone would leave, and theirs over it.
    causes : tuple of Cause, or Exchange
        What was found; empty where the model fits, or nothing explains the misfit.
    drives : sequence of Drive
    """
    total = float(np.sqrt(np.mean(ratio**2)))
    force = np.sqrt(np.mean(problem.equations.force**2, axis=0))
    adequate = not stands_out(total, ratio)
    nothing = np.full(len(floor), np.nan)
    if isinstance(causes, Exchange):
        found, rest = (_exchanged(causes, drives),), 1.0
    else:
        found = tuple(_cause(one, drives) for one in causes)
        rest = causes[-1].left if causes else total
    unexplained = not adequate and rest > STANDS_OUT
    if unexplained:
        found = tuple(replace(one, cure="") for one in found)
    return findings.Diagnosis(
        adequate=adequate,
        floor=NoiseFloor(floor, nothing, nothing, FROM_DATA, LEAST * force, nothing, nothing),
        floor_percent=100.0 * float(np.sqrt(np.mean(floor**2) / max(np.mean(force**2), 1e-300))),
        ratio=total,
        per_strut=ratio,
        left=rest,
        causes=found,
        moved=np.empty((0, problem.reported)),
        residuals=(findings.Residuals(problem.equations.time, left / floor),),
        unexplained=unexplained,
    )


def _cause(cause: Cause, drives: Sequence[Drive]) -> findings.Cause:
    effect = cause.effect
    name = effect.also([drive.name for drive in drives])
    drive = drives[max(effect.drive, 0)]
    value, detail, cure = cause.value, "", f"Estimate it with --also {name}"
    unit = {"delay": "s", "gain": ""}.get(effect.kind, drive.force_unit)
    if effect.kind == "gain":
        value += 1.0
        if abs(1.0 + value) < WRONG_SIGN:
            cure = f"Change the sign of {drive.force_name} in the log"
    elif effect.kind == "friction_square":
        unit = f"{drive.force_unit} s^2/{drive.unit}^2"
    elif effect.kind == "inertia":
        unit = _inertia_unit(drive)
    if effect.drive == EACH:
        largest = int(np.argmax(np.abs(cause.values)))
        value, std = cause.values[largest], cause.stds[largest]
        unit = _inertia_unit(drives[largest])
        each = zip(drives, cause.values, strict=True)
        detail = ", ".join(f"{one.name} {size:.3g} {_inertia_unit(one)}" for one, size in each)
    else:
        std = cause.std
    return findings.Cause(
        name,
        value,
        std,
        unit,
        cause.explains,
        cure,
        evidence=cause.evidence,
        rivals=cause.rivals,
        detail=detail,
    )


def _inertia_unit(drive: Drive) -> str:
    return "kg" if drive.unit == "m" else "kg m^2"


def _exchanged(exchange: Exchange, drives: Sequence[Drive]) -> findings.Cause:
    names = [drive.force_name for drive in drives]
    moved = [f"{names[column]} is {names[k]}" for k, column in enumerate(exchange.column) if column != k]
    return findings.Cause(
        "exchanged_drives",
        float(len(moved)),
        0.0,
        "",
        1.0,
        "Set the columns of the log right",
        detail=", ".join(moved),
    )
