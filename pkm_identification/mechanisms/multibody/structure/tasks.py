# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Drives and outputs must be as many as degrees of freedom, and decide the motion at home."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from pkm_identification.errors import MachineError
from pkm_identification.numerics.arrays import FloatArray

from ..description.records import Description

_WHAT = {"drives": "driven coordinate", "outputs": "output"}
POSE = 6  # numbers of a pose
_STILL = 1e-7  # of the largest motion, or of another direction, that counts as none


def _list_names(description: Description) -> dict[str, list[str]]:
    return {
        "drives": [drive.name for drive in description.drives],
        "outputs": [output.name for output in description.outputs],
    }


def check_counts(
    description: Description,
    freedom: int,
    undriven: Callable[[], list[str]],
    compute_motion: Callable[[], FloatArray],
) -> None:
    """Refuse more or fewer drives or outputs than degrees of freedom, and a pose where these are not six.

    Parameters
    ----------
    description : Description
    freedom : int
    undriven : callable
        The joints that move while all drives are held, for the message.
    compute_motion : callable
        Rates of the drives per unit of the motions that the loops allow at home (drives, freedom), for the message.

    Raises
    ------
    MachineError
        With both numbers.
    """
    stated = description.document.get("pose") is not None
    if stated and freedom != POSE:
        raise MachineError(
            f"{description.source}: pose: takes six degrees of freedom, but the mechanism has {freedom}"
        )
    for kind, names in _list_names(description).items():
        if len(names) != freedom:
            advice = ""
            if kind == "drives":
                advice = (
                    _advise_surplus(names, compute_motion()) if len(names) > freedom else _advise(undriven())
                )
            raise MachineError(
                f"{description.source}: {kind}: {len(names)} of them, but the mechanism has {freedom} degree"
                f"{'' if freedom == 1 else 's'} of freedom{advice}"
            )


def _advise(loose: list[str]) -> str:
    return (
        f"; drive, or make fixed, some of the joints that no drive holds: {', '.join(loose)}" if loose else ""
    )


def _advise_surplus(names: list[str], moved: FloatArray) -> str:
    """Return what to do with drives that move together, or that others decide in another way."""
    size = np.linalg.norm(moved, axis=1)
    forces: dict[int, list[str]] = {}
    followers: list[str] = []
    for k, name in enumerate(names):
        for first, summed in forces.items():
            # zero drives follow all others, and are said to move nothing once there are few enough
            ratio = float(moved[k] @ moved[first]) / max(size[first] ** 2, _STILL)
            if np.linalg.norm(moved[k] - ratio * moved[first]) <= _STILL * size.max(initial=0.0):
                # the power of both is that of the sum on one of them
                summed.append(f"{'' if abs(ratio - 1.0) < _STILL else f'{ratio:.6g} x '}the force of {name}")
                followers.append(f"{name} moves with {names[first]}")
                break
        else:
            forces[k] = [f"the force of {name}"]
    if not followers:
        return "; no two of them move together, and redundant drives are not identified: leave out all but as many"
    kept = [
        f"{names[k]}, whose force is {' + '.join(those)}" for k, those in forces.items() if len(those) > 1
    ]
    return f"; {', '.join(followers)}: drive {' and '.join(kept)}"


def check_tasks(description: Description, moved: Mapping[str, FloatArray]) -> None:
    """Refuse drives or outputs that do not decide the mechanism's motion at home.

    Parameters
    ----------
    description : Description
    moved : mapping of str to ndarray, shape (n, n)
        Rates of `drives` and `outputs` per unit of the motions that the loops allow at home.

    Raises
    ------
    MachineError
        Names the one that moves nothing, or those that depend on each other.
    """
    for kind, names in _list_names(description).items():
        size = np.linalg.norm(moved[kind], axis=1)
        where = f"{description.source}: {kind}:"
        for name, one in zip(names, size, strict=True):
            if one <= _STILL * size.max(initial=0.0):
                raise MachineError(f"{where} {_WHAT[kind]} '{name}' does not move the mechanism at home")
        unit = moved[kind] / size[:, None]
        if np.linalg.matrix_rank(unit, tol=_STILL) < len(names):
            raise MachineError(
                f"{where} {', '.join(names)} do not decide the mechanism's motion at home: they depend on each other"
            )
