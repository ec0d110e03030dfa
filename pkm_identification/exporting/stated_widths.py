# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""How well identified values are known: their standard deviations as widths in the machine file."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from pkm_identification.errors import MachineError
from pkm_identification.estimation.statuses import is_identified
from pkm_identification.identification.saved_estimate import SavedEstimate
from pkm_identification.machines.contract import Machine
from pkm_identification.machines.knowledge.build import list_hexapod_bodies
from pkm_identification.mechanisms.known_statements import Width
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.parameter_set import ParameterSet

_FOREIGN = 1e-3  # of a standard deviation: what parameters that are not identified may add to it
_ROUNDING = 1e-9  # relative: a number that an estimate leaves as it is


def state_widths(machine: Machine, widths: Mapping[str, float]) -> Machine:
    """Return the machine whose file states standard deviations of numbers, by their keys; all else stays stated."""
    added = {tuple(key.split(".")): Width(float(f"{width:.4g}")) for key, width in widths.items()}
    return machine.with_statements(added)


def find_hexapod_widths(build: Callable[[FloatArray], Machine], saved: SavedEstimate) -> dict[str, float]:
    """Return standard deviations of the numbers of a hexapod's file that an estimate identifies, by their keys.

    Parameters
    ----------
    build : callable
        The machine with values (P,) of the estimate's parameters.
    saved : SavedEstimate
    """
    own, deviations = build(saved.mean), np.sqrt(np.diag(saved.covariance))
    numbers = _list_numbers(own)
    slopes = np.zeros((len(numbers), len(deviations)))
    for k, deviation in enumerate(deviations):
        for sign in (1.0, -1.0):
            moved = saved.mean.copy()
            moved[k] += sign * deviation
            try:
                changed = np.array(list(_list_numbers(build(moved)).values()))
            except MachineError:
                continue  # no rigid body has this value
            slopes[:, k] = sign * (changed - np.array(list(numbers.values()))) / deviation
            break
    identified = np.array([is_identified(saved.status.get(name, "")) for name in saved.names])
    spread = np.sqrt(np.maximum(np.einsum("ij,jk,ik->i", slopes, saved.covariance, slopes), 0.0))
    foreign = np.abs(slopes * deviations)[:, ~identified].max(axis=1, initial=0.0)
    return {
        key: float(std)
        for (key, value), std, other in zip(numbers.items(), spread, foreign, strict=True)
        if std > _ROUNDING * abs(value) and other <= _FOREIGN * std
    }


def find_friction_widths(parameters: ParameterSet, saved: SavedEstimate) -> dict[str, float]:
    """Return standard deviations of identified coefficients of the drives' friction, by their keys.

    Forces know the bodies of a mechanism by sums alone, of which no key of its file is one.
    """
    return {
        f"friction.{entry.symbol}.{entry.limb}": float(saved.std[entry.name])
        for entry in parameters.entries
        if entry.kind.friction and entry.limb is not None and is_identified(saved.status.get(entry.name, ""))
    }


def _list_numbers(machine: Machine) -> dict[str, float]:
    """Return the numbers of bodies and friction of a hexapod's file, by their keys."""
    description = machine.loaded
    found: dict[str, float] = {}
    for body in list_hexapod_bodies(description):
        values = (body.mass, *body.center, *body.moments, *body.products)
        found |= {key: float(value) for key, value in zip(body.keys, values, strict=True)}
    friction = description.friction
    for coefficient, row in zip(friction.law.coefficients, friction.coefficients, strict=True):
        found |= {f"friction.{coefficient.name}.{i}": float(value) for i, value in enumerate(row)}
    return found
